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
	score, err := x.scorer(query)
	if err != nil {
		return nil, err
	}
	k = min(k, x.m.Rows)
	workers := x.workers(opts.Workers)
	tops := make([]top, workers)
	err = x.scan(ctx, workers, func(worker, lo, hi int) {
		t := &tops[worker]
		for v := lo; v < hi; v++ {
			c := candidate{key: score(v), vertex: uint32(v)}
			if len(t.heap) == k && !c.before(t.heap[0]) {
				continue
			}
			if opts.Filter == nil || opts.Filter(c.vertex) {
				t.offer(c, k)
			}
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
	if math.IsNaN(radius) || math.IsInf(radius, 0) || (x.metric == L2 && radius < 0) {
		return nil, fmt.Errorf("index: radius %v: %w", radius, ErrRadius)
	}
	score, err := x.scorer(query)
	if err != nil {
		return nil, err
	}
	limit := -radius
	if x.metric == L2 {
		limit = radius * radius
	}
	workers := x.workers(opts.Workers)
	found := make([][]candidate, workers)
	err = x.scan(ctx, workers, func(worker, lo, hi int) {
		for v := lo; v < hi; v++ {
			c := candidate{key: score(v), vertex: uint32(v)}
			if float64(c.key) <= limit && (opts.Filter == nil || opts.Filter(c.vertex)) {
				found[worker] = append(found[worker], c)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	return x.hits(all, len(all)), nil
}

// scorer checks the query and returns the function that scores row v: the
// squared distance under L2, the negated similarity otherwise, so that smaller
// is nearer under every metric.
func (x *Exact) scorer(query []float32) (func(v int) float32, error) {
	if len(query) != x.m.Dim {
		return nil, fmt.Errorf("index: query of dimension %d for vectors of dimension %d: %w", len(query), x.m.Dim, ErrDimension)
	}
	for i, q := range query {
		if !finite(q) {
			return nil, fmt.Errorf("index: query: element %d is %v: %w", i, q, ErrNotFinite)
		}
	}
	switch x.metric {
	case Dot:
		return func(v int) float32 {
			row := x.m.Row(v)
			s := vec.Dot(query, row)
			if !finite(s) {
				// Products overflowed, maybe with both signs, which would give
				// NaN. Their sum may still be a number.
				s = toFloat32(dot64(query, row))
			}
			return -s
		}, nil
	case Cosine:
		unit, length := normalised(query)
		if length == 0 {
			return func(int) float32 { return 0 }, nil
		}
		return func(v int) float32 {
			row, inverse := x.m.Row(v), x.inverse[v]
			if math.IsNaN(inverse) {
				inverse = 1 / norm64(row)
				return -clampCosine(dot64(query, row) * inverse / length)
			}
			return -clampCosine(float64(vec.Dot(unit, row)) * inverse)
		}, nil
	}
	return func(v int) float32 { return vec.L2Squared(query, x.m.Row(v)) }, nil
}

// scan calls f for all rows in blocks, from the given number of goroutines,
// and stops early when ctx ends.
func (x *Exact) scan(ctx context.Context, workers int, f func(worker, lo, hi int)) error {
	block := scanRows(x.m.Dim)
	var next atomic.Int64
	vec.Parallel(workers, 1, workers, func(worker, _, _ int) {
		for ctx.Err() == nil {
			lo := (int(next.Add(1)) - 1) * block
			if lo >= x.m.Rows {
				return
			}
			f(worker, lo, min(lo+block, x.m.Rows))
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
	slices.SortFunc(all, candidate.compare)
	hits := make([]Hit, min(k, len(all)))
	for i := range hits {
		hits[i] = Hit{Vertex: all[i].vertex, Distance: x.distance(all[i].key)}
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
