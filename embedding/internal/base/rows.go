package base

import (
	"context"
	"slices"
	"sort"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Rows cuts the vertices of a graph into parts of about the same number of neighbours,
// so that hubs do not make parts unequal: part i is Rows[i]:Rows[i+1].
type Rows []int

// partArcs is the most work of one task of a product with a block: about 0.1 ms, so that a
// cancelled context is noticed at once. A small graph has eight parts, unless they would take less
// than 10 µs, so that two cores finish together.
const (
	partArcs  = 1 << 15
	leastArcs = 1 << 12
	rowArcs   = 4 // what the row itself costs
)

// NewRows cuts the vertices of g.
func NewRows(g *csr.Graph) Rows {
	n, work := g.Vertices(), int64(0)
	if n > 0 {
		work = g.Offsets[n] + rowArcs*int64(n)
	}
	return rowsOf(g, min(max(work/8+1, leastArcs), partArcs))
}

func rowsOf(g *csr.Graph, arcs int64) Rows {
	n := g.Vertices()
	rows := Rows{0}
	work := int64(0)
	for v := range n {
		work += int64(g.Degree(uint32(v))) + rowArcs
		if work >= arcs {
			rows, work = append(rows, v+1), 0
		}
	}
	if rows[len(rows)-1] < n {
		rows = append(rows, n)
	}
	return rows
}

// Each calls f for every vertex, the parts in parallel. The error is that of ctx.
func (r Rows) Each(ctx context.Context, workers int, f func(v int)) error {
	return r.Between(ctx, 0, r[len(r)-1], workers, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			f(v)
		}
	})
}

// Between calls f for the vertices from lo to hi-1, those of each part [lo, hi) together and
// the parts in parallel. The error is that of ctx.
func (r Rows) Between(ctx context.Context, lo, hi, workers int, f func(lo, hi int)) error {
	first := sort.SearchInts(r, lo+1) - 1 // the part that has lo
	parts := sort.SearchInts(r, hi) - first
	vec.Parallel(parts, 1, workers, func(part, _, _ int) {
		if ctx.Err() != nil {
			return
		}
		f(max(lo, r[first+part]), min(hi, r[first+part+1]))
	})
	return ctx.Err()
}

// GatherSeconds measures the time to read the row of a block of width columns for one
// neighbour, by one goroutine, on a sample of the vertices. The block has no more rows than it
// takes to leave the caches of a processor, because the system takes far longer to give a page of
// memory than it takes to read a row, so that all pages are written before.
func GatherSeconds(ctx context.Context, g *csr.Graph, width int) (float64, error) {
	n := g.Vertices()
	const most = 1 << 18
	x, sum := make([]float32, min(n, most)*width), make([]float32, width)
	for i := 0; i < len(x); i += 1024 {
		x[i] = 1
	}
	var folded []uint32
	const some, step = 64, 7919 // vertices at a time, spread, not from one neighbourhood
	i := 0
	return MedianSeconds(ctx, func() (work float64, err error) {
		arcs := 0
		for range min(some, n) {
			v := uint32(i * step % n)
			neighbors := g.Neighbors(v)
			if n > most {
				folded = folded[:0]
				for _, u := range neighbors {
					folded = append(folded, u%most)
				}
				neighbors = folded
			}
			vec.GatherSum(sum, x, width, neighbors)
			arcs += g.Degree(v)
			i = (i + 1) % n
		}
		return float64(max(arcs, 1)), nil
	})
}

// MedianSeconds measures the seconds that a unit of work takes: f does some work, once or many
// times, and returns how much. The median of the measurements is not affected by the moments in
// which other processes had the processor. It takes about 50 ms and at least nine calls.
func MedianSeconds(ctx context.Context, f func() (work float64, err error)) (float64, error) {
	const least, enough = 9, 50 * time.Millisecond
	var each []float64
	for began := time.Now(); len(each) < least || time.Since(began) < enough; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from := time.Now()
		work, err := f()
		if err != nil {
			return 0, err
		}
		each = append(each, time.Since(from).Seconds()/work)
	}
	slices.Sort(each)
	return each[len(each)/2], nil
}
