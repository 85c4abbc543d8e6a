package index

import "testing"

// A batch of many queries divides the queries among the workers, and has the candidates of each once; one
// of few has them for each worker.
func TestBatchBytes(t *testing.T) {
	t.Parallel()
	const k, dim = 10, 64
	for _, c := range []struct{ queries, workers, searches int }{{1024, 1, 1}, {1024, 2, 1}, {1024, 16, 2}, {8192, 2, 1}, {32, 2, 2}, {32, 8, 8}} {
		want := int64(min(c.queries, batchMost)*8*k*c.searches + c.queries*8*(k+dim))
		if got := BatchBytes(c.queries, k, dim, c.workers); got != want {
			t.Errorf("%d queries, %d workers: %d bytes, expected %d", c.queries, c.workers, got, want)
		}
	}
}
