package index

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"heavytail/storage/vec"
)

// Exact searches by scanning all rows of a matrix. A query costs n·dim
// multiply-adds, which is less than the time to read the rows from memory, and
// k hits per worker of memory.
type Exact struct {
	m      *vec.Matrix
	metric Metric
	// inverse holds 1/‖row‖ under Cosine, 8 bytes per vector: 0 for a zero row,
	// NaN for a row so long or so short that float32 products with it would
	// overflow or lose digits.
	inverse []float64
}

// NewExact returns the index of the rows of m, which it shares: m must not be
// written afterwards. Cosine reads the matrix once, for the norms. Values are
// taken to be finite, as the store and the embeddings guarantee.
func NewExact(m *vec.Matrix, metric Metric) (*Exact, error) {
	if metric > Dot {
		return nil, fmt.Errorf("index: metric %d: %w", metric, ErrMetric)
	}
	if err := checkShape(m); err != nil {
		return nil, err
	}
	x := &Exact{m: m, metric: metric}
	if metric == Cosine {
		x.inverse = make([]float64, m.Rows)
		vec.Parallel(m.Rows, scanRows(m.Dim), 0, func(_, lo, hi int) {
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
	if k < 1 {
		return nil, fmt.Errorf("index: k = %d: %w", k, ErrK)
	}
	var score scorer
	if err := score.reset(x, query); err != nil {
		return nil, err
	}
	k = min(k, x.m.Rows)
	workers := x.workers(opts.Workers)
	tops := make([]top, workers)
	err := x.scan(ctx, workers, &score, func(worker int, c candidate) {
		t := &tops[worker]
		if len(t.heap) == k && c >= t.heap[0] {
			return
		}
		if opts.Filter == nil || opts.Filter(c.vertex()) {
			t.offer(c, k)
		}
	})
	if err != nil {
		return nil, err
	}
	// The order of candidates is total, so the k best of all are the k best of
	// the workers' bests, whichever blocks each worker happened to scan.
	var all []candidate
	for i := range tops {
		all = append(all, tops[i].heap...)
	}
	return x.hits(all, k), nil
}

// Within returns every admissible vertex within the radius of the query,
// nearest first, ties by vertex. Under L2 a vertex is within if
// float64(vec.L2Squared(query, row)) ≤ radius²; under Cosine and Dot radius is
// the least similarity. A radius that is not finite, or negative under L2, is
// [ErrRadius].
func (x *Exact) Within(ctx context.Context, query []float32, radius float64, opts SearchOptions) ([]Hit, error) {
	if err := x.checkRadius(radius); err != nil {
		return nil, err
	}
	var score scorer
	if err := score.reset(x, query); err != nil {
		return nil, err
	}
	limit := x.limit(radius)
	workers := x.workers(opts.Workers)
	found := make([][]candidate, workers)
	err := x.scan(ctx, workers, &score, func(worker int, c candidate) {
		if float64(c.key()) <= limit && (opts.Filter == nil || opts.Filter(c.vertex())) {
			found[worker] = append(found[worker], c)
		}
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	return x.hits(all, len(all)), nil
}

// checkRadius refuses a radius that means nothing under the metric.
func (x *Exact) checkRadius(radius float64) error {
	if math.IsNaN(radius) || math.IsInf(radius, 0) || (x.metric == L2 && radius < 0) {
		return fmt.Errorf("index: radius %v: %w", radius, ErrRadius)
	}
	return nil
}

// limit returns the largest key within a radius.
func (x *Exact) limit(radius float64) float64 {
	if x.metric == L2 {
		return radius * radius
	}
	return -radius
}

// scan calls f for all rows, from the given number of goroutines, and stops
// early when ctx ends.
func (x *Exact) scan(ctx context.Context, workers int, s *scorer, f func(worker int, c candidate)) error {
	block := scanRows(x.m.Dim)
	var next atomic.Int64
	vec.Parallel(workers, 1, workers, func(worker, _, _ int) {
		for ctx.Err() == nil {
			lo := (int(next.Add(1)) - 1) * block
			if lo >= x.m.Rows {
				return
			}
			for v := lo; v < min(lo+block, x.m.Rows); v++ {
				f(worker, candidateOf(s.one(uint32(v)), uint32(v)))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("index: search: %w", err)
	}
	return nil
}

// workers returns how many goroutines a scan uses.
func (x *Exact) workers(asked int) int {
	// Below about half a megabyte a scan takes some 30 µs, as long as it takes
	// to wake a second goroutine.
	const smallScan = 1 << 17
	if asked == 0 {
		asked = runtime.GOMAXPROCS(0)
	}
	blocks := (x.m.Rows + scanRows(x.m.Dim) - 1) / scanRows(x.m.Dim)
	if len(x.m.Data) < smallScan {
		return 1
	}
	return max(1, min(asked, blocks))
}

// hits sorts the candidates and returns the first k of them as hits.
func (x *Exact) hits(all []candidate, k int) []Hit {
	slices.Sort(all)
	hits := make([]Hit, min(k, len(all)))
	for i := range hits {
		hits[i] = Hit{Vertex: all[i].vertex(), Distance: x.distance(all[i].key())}
	}
	return hits
}

// distance turns the key of a candidate into what users see.
func (x *Exact) distance(key float32) float32 {
	if x.metric == L2 {
		return float32(math.Sqrt(float64(key)))
	}
	return 0 - key // not -key: a similarity of zero has no sign
}

// scanRows is the number of rows of one block of a scan: some 256 KB, 15 µs of
// memory traffic, between two looks at the context.
func scanRows(dim int) int { return max(1, (1<<16)/max(dim, 1)) }
