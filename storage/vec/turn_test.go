package vec

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// A goroutine that waits for the only processor gets a turn during Parallel, long before the
// scheduler would preempt a worker.
func TestParallel_LetsOthersCompute(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var there atomic.Bool
	go there.Store(true)
	blocks := 0
	Parallel(20, 1, 1, func(_, _, _ int) {
		if there.Load() {
			return
		}
		blocks++
		for began := time.Now(); time.Since(began) < turnTime; {
		}
	})
	if blocks == 20 {
		t.Error("no other goroutine had a turn")
	}
}

// Workers yield only if they use all processors.
func TestTurn_Shares(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for workers, shares := range map[int]bool{1: false, 2: true, 3: true} {
		if turn := NewTurn(workers); turn.shares != shares {
			t.Errorf("%d of 2 share: %t", workers, turn.shares)
		}
	}
}
