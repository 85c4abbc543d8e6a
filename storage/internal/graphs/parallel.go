package graphs

import (
	"runtime"
	"sync/atomic"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// Parallel calls f once for each of n pieces of work that read the file's map, in up to workers
// goroutines, numbered from 0; 0 workers means as many as there are processors. Pieces are begun
// in ascending order. Of several errors it returns that of the first piece, whatever the number of
// workers, and pieces behind it may be left out; before each piece it checks ctx.
func Parallel(t *tree.Tx, n, workers int, f func(worker, i int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	faults := make([]error, n)
	var next, failed atomic.Int64
	failed.Store(int64(n)) // the first piece that failed
	vec.Parallel(workers, 1, workers, func(worker, _, _ int) {
		for {
			i := next.Add(1) - 1
			if i >= failed.Load() {
				return
			}
			if err := t.Ctx.Err(); err != nil {
				faults[i] = err
			} else {
				// Faults of the map are caught by each goroutine for itself.
				faults[i] = fault.Guarded(t.Path, func() error { return f(worker, int(i)) })
			}
			for first := failed.Load(); faults[i] != nil && i < first; first = failed.Load() {
				failed.CompareAndSwap(first, i)
			}
		}
	})
	if first := failed.Load(); first < int64(n) {
		return faults[first]
	}
	return nil
}
