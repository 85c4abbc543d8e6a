package storage

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// All pieces are done once; of several errors that of the first piece is returned, whoever was
// faster, and a panic of a piece is damage.
func TestTx_Parallel(t *testing.T) {
	x := &tree.Tx{Ctx: context.Background(), Path: "x.ht"}
	for _, workers := range []int{0, 1, 2, 8} {
		var done [100]atomic.Int32
		if err := graphs.Parallel(x, len(done), workers, func(_, i int) error { done[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d workers: piece %d was done %d times", workers, i, n)
			}
		}
		for range 20 {
			err := graphs.Parallel(x, 100, workers, func(_, i int) error {
				if i%30 == 17 {
					return fmt.Errorf("piece %d", i)
				}
				return nil
			})
			if err == nil || err.Error() != "piece 17" {
				t.Fatalf("%d workers: %v", workers, err)
			}
		}
		if err := graphs.Parallel(x, 3, workers, func(_, i int) error { return []error{nil}[i] }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d workers: a panic became %v", workers, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x.Ctx = ctx
	if err := graphs.Parallel(x, 5, 2, func(_, _ int) error { t.Error("done after the end"); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
