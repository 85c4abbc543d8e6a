package propagate

import (
	"context"
	"math"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// width is the number of columns that a product computes at a time. A block of this width
// for some 100,000 vertices fits into the processor's caches, and one row of it fits into
// one cache line.
const width = 16

// adjacency is the matrix A of a graph. It keeps 16 bytes for each vertex.
type adjacency struct {
	g       *csr.Graph // with weights only where these are used and not all equal
	degrees []float64  // row sums of A
	inverse []float64  // 1 over the degree; 0 for vertices without edges
	unit    float64    // mean weight, 1 without weights
	rows    base.Rows
	workers int
}

func newAdjacency(g *csr.Graph, ignoreWeights bool, workers int) *adjacency {
	if g = g.WithoutEqualWeights(); ignoreWeights && g.Weighted() {
		g = &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	}
	n := g.Vertices()
	a := &adjacency{g: g, degrees: make([]float64, n), inverse: make([]float64, n), unit: 1, rows: base.NewRows(g), workers: workers}
	sum := 0.0
	for v := range a.degrees {
		a.degrees[v] = float64(g.Degree(uint32(v)))
		if g.Weighted() {
			a.degrees[v] = 0
			for _, w := range g.WeightsOf(uint32(v)) {
				a.degrees[v] += float64(w)
			}
		}
		if a.degrees[v] > 0 {
			a.inverse[v] = 1 / a.degrees[v]
			sum += a.degrees[v]
		}
	}
	if g.Weighted() && sum > 0 {
		a.unit = sum / float64(len(g.Targets))
	}
	return a
}

// power returns the row sums, in mean weights, to a power, limited to a range in which float32
// products do not overflow. It is 0 for vertices without edges.
func (a *adjacency) power(exponent float64) []float32 {
	const most = 1e12
	list := make([]float32, len(a.degrees))
	vec.Parallel(len(list), 1<<10, a.workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if d := a.degrees[v] / a.unit; d > 0 {
				list[v] = float32(min(max(math.Pow(d, exponent), 1/most), most))
			}
		}
	})
	return list
}

// each calls f for every vertex, in parallel.
func (a *adjacency) each(ctx context.Context, f func(v int)) error {
	return a.rows.Each(ctx, a.workers, f)
}

// step sets the block `to` to S times the block `from`.
func (a *adjacency) step(ctx context.Context, to, from []float32) error {
	return a.each(ctx, func(v int) {
		row, inverse := to[v*width:][:width], a.inverse[v]
		lo, hi := a.g.Offsets[v], a.g.Offsets[v+1]
		if a.g.Weighted() {
			clear(row)
			for i, u := range a.g.Targets[lo:hi] {
				vec.Axpy(float32(float64(a.g.Weights[lo+int64(i)])*inverse), from[int(u)*width:][:width], row)
			}
			return
		}
		vec.GatherSum(row, from, width, a.g.Targets[lo:hi])
		for j := range row {
			row[j] *= float32(inverse)
		}
	})
}

// closed sets dst to a factor times row v of (A + I)·x, where I has the mean weight.
func (a *adjacency) closed(dst, x []float32, v int, factor float64) {
	lo, hi := a.g.Offsets[v], a.g.Offsets[v+1]
	if a.g.Weighted() {
		clear(dst)
		for i, u := range a.g.Targets[lo:hi] {
			vec.Axpy(float32(float64(a.g.Weights[lo+int64(i)])*factor), x[int(u)*width:][:width], dst)
		}
	} else {
		vec.GatherSum(dst, x, width, a.g.Targets[lo:hi])
		for j := range dst {
			dst[j] *= float32(factor)
		}
	}
	vec.Axpy(float32(a.unit*factor), x[v*width:][:width], dst)
}

// blocks is a matrix stored as blocks of width columns. The last block may have unused
// columns.
type blocks [][]float32

func newBlocks(n, dim int) blocks {
	list := make(blocks, blocksOf(dim))
	for b := range list {
		list[b] = vec.Zeros[float32](n * width)
	}
	return list
}

func blocksOf(dim int) int { return (dim + width - 1) / width }

// addRow adds a multiple of row v to dst, whose length is the number of columns.
func (b blocks) addRow(factor float32, v int, dst []float32) {
	for _, block := range b {
		n := min(width, len(dst))
		vec.Axpy(factor, block[v*width:][:n], dst[:n])
		dst = dst[n:]
	}
}

// length returns the Euclidean length of the first dim columns of row v.
func (b blocks) length(v, dim int) float64 {
	squares := 0.0
	for _, block := range b {
		n := min(width, dim)
		for _, x := range block[v*width:][:n] {
			squares += float64(x) * float64(x)
		}
		dim -= n
	}
	return math.Sqrt(squares)
}
