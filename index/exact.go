package index

import (
	"context"
	"fmt"
	"sync/atomic"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// Exact searches by scanning all vectors. A query costs n·dim multiply-adds,
// which take less time than reading the vectors from memory, and k hits of
// memory per worker.
type Exact struct {
	m      *vec.Matrix
	metric Metric
	// inverse holds 1/‖row‖ under Cosine, 8 bytes per vector: 0 for a zero
	// vector, NaN for a vector so long or so short that float32 products with
	// it would overflow or lose digits.
	inverse []float64
}

var _ Index = (*Exact)(nil)

// NewExact returns the index of the vectors in the rows of m. It does not copy m, which
// must not be written afterwards. Cosine reads the matrix once, for the norms. Values are
// taken to be finite, as the store and the embeddings guarantee.
func NewExact(m *vec.Matrix, metric Metric) (*Exact, error) {
	if metric > Dot {
		return nil, fmt.Errorf("metric %d: %w", metric, ErrMetric)
	}
	if err := base.CheckShape(m); err != nil {
		return nil, err
	}
	x := &Exact{m: m, metric: metric}
	if metric == Cosine {
		x.inverse = make([]float64, m.Rows)
		vec.Parallel(m.Rows, base.ScanRows(m.Dim), 0, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				x.inverse[i] = inverseNorm(m.Row(i))
			}
		})
	}
	return x, nil
}

// Len returns the number of vectors.
func (x *Exact) Len() int { return x.m.Rows }

// Dim returns their dimension.
func (x *Exact) Dim() int { return x.m.Dim }

// Metric returns the measure of nearness.
func (x *Exact) Metric() Metric { return x.metric }

// Search returns the k nearest admissible vertices; see [Index]. The cosine of
// a zero vector with anything is 0.
func (x *Exact) Search(ctx context.Context, query []float32, k int, opts SearchOptions) ([]Hit, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	s, err := x.newScan(query, k, opts)
	if err != nil {
		return nil, err
	}
	if err := x.scan(ctx, s); err != nil {
		return nil, err
	}
	return s.Hits(), nil
}

// newScan is NewScan for the vectors of x.
func (x *Exact) newScan(query []float32, k int, opts SearchOptions) (*Scan, error) {
	opts.Workers = x.workers(opts.Workers)
	s, err := NewScan(x.metric, x.m.Dim, query, k, opts)
	if err != nil {
		return nil, err
	}
	s.k = min(k, max(1, x.m.Rows)) // at most what the heap can hold
	return s, nil
}

// Within returns every admissible vertex within the radius of the query,
// nearest first, ties by vertex. Under L2 a vertex is within the radius if
// float64(vec.L2Squared(query, row)) ≤ radius²; under Cosine and Dot, radius
// is the minimum similarity. A radius that is not finite, or negative under
// L2, is [ErrRadius].
func (x *Exact) Within(ctx context.Context, query []float32, radius float64, opts SearchOptions) ([]Hit, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	opts.Workers = x.workers(opts.Workers)
	s, err := NewScanWithin(x.metric, x.m.Dim, query, radius, opts)
	if err != nil {
		return nil, err
	}
	if err := x.scan(ctx, s); err != nil {
		return nil, err
	}
	return s.Hits(), nil
}

// scan passes all vectors to the workers of one or more scans, which have as many workers each: a block
// of vectors to one scan after another, so that it is read from memory once. It stops early when ctx ends.
func (x *Exact) scan(ctx context.Context, scans ...*Scan) error {
	ctx = base.OrBackground(ctx)
	block := base.ScanRows(x.m.Dim)
	workers := len(scans[0].workers)
	var next atomic.Int64
	vec.Parallel(workers, 1, workers, func(worker, _, _ int) {
		for ctx.Err() == nil {
			lo := (int(next.Add(1)) - 1) * block
			if lo >= x.m.Rows {
				return
			}
			hi := min(lo+block, x.m.Rows)
			var inverse []float64
			if x.metric == Cosine {
				inverse = x.inverse[lo:hi]
			}
			for _, s := range scans {
				if x.m.Dim == 0 {
					s.addEmpty(worker, uint32(lo), hi-lo)
				} else {
					s.add(worker, uint32(lo), x.m.Data[lo*x.m.Dim:hi*x.m.Dim], inverse)
				}
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// workers returns how many goroutines a scan uses.
func (x *Exact) workers(asked int) int {
	// Below about half a megabyte a scan takes about 30 µs, as long as
	// starting a second goroutine.
	const smallScan = 1 << 17
	blocks := (x.m.Rows + base.ScanRows(x.m.Dim) - 1) / base.ScanRows(x.m.Dim)
	if len(x.m.Data) < smallScan {
		return 1
	}
	return max(1, min(base.Processors(asked), blocks))
}
