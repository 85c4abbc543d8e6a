package vec

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel cuts [0, n) into blocks of the given size, the last one shorter,
// and calls f(i, lo, hi) once for each block i = [lo, hi), from up to workers
// goroutines at a time; 0 workers means GOMAXPROCS. Blocks are begun in
// ascending order. The cut does not depend on workers: a caller that keeps one
// partial result per block and adds them in order of the blocks gets the same
// bits with any number of workers.
//
// Parallel returns when all calls have. If a call panics, no further blocks
// are begun, and Parallel panics with the value of the lowest such block. It
// panics if block < 1.
//
// Between blocks other goroutines may run, so a block should take at most
// about 100 µs.
func Parallel(n, block, workers int, f func(block, lo, hi int)) {
	parallel(n, block, workers, func(_ *Turn, block, lo, hi int) { f(block, lo, hi) })
}

// parallel is Parallel for longer blocks: f calls turn.Pass inside a block.
func parallel(n, block, workers int, f func(turn *Turn, block, lo, hi int)) {
	if block < 1 {
		panic("vec: Parallel: block < 1")
	}
	if n <= 0 {
		return
	}
	blocks := (n-1)/block + 1
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, blocks)
	if workers == 1 {
		turn := NewTurn(workers)
		for i := range blocks {
			f(&turn, i, i*block, min(n-i*block, block)+i*block)
			turn.Pass()
		}
		return
	}

	var (
		next   atomic.Int64
		mu     sync.Mutex
		failed = -1 // lowest block that panicked
		cause  any
		wg     sync.WaitGroup
	)
	run := func() {
		i := 0
		defer func() {
			if r := recover(); r != nil {
				next.Store(int64(blocks))
				mu.Lock()
				if failed < 0 || i < failed {
					failed, cause = i, r
				}
				mu.Unlock()
			}
		}()
		for turn := NewTurn(workers); ; turn.Pass() {
			i = int(next.Add(1) - 1)
			if i >= blocks {
				return
			}
			f(&turn, i, i*block, min(n-i*block, block)+i*block)
		}
	}
	for range workers - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
	if failed >= 0 {
		panic(cause)
	}
}
