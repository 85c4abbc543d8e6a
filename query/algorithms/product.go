package algorithms

import (
	"context"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// product multiplies a matrix of weights with vectors: some rows of a graph, or all. An entry of a product is
// the sum of a row in the order of its columns, with tiles and without them.
type product struct {
	Work
	rows    *csr.Graph
	list    []uint32  // the rows, ascending; nil is all
	tiles   *tiles    // nil in small graphs
	buffers sync.Pool // of entries of a product
}

// newProduct is the product with the rows of a list, or all if it is nil, of a matrix that is given by rows and by columns.
// With tiles it takes O(n + m), and tileBytes of memory.
func newProduct(ctx context.Context, w Work, rows, columns *csr.Graph, list []uint32) (*product, error) {
	p := &product{Work: w, rows: rows, list: list}
	if tileRows(int64(rows.Vertices()), int64(len(rows.Targets))) > 0 {
		p.tiles = newTiles(w, columns, p.count(), list)
		if err := p.tiles.fill(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// count is the number of rows.
func (p *product) count() int {
	if p.list == nil {
		return p.rows.Vertices()
	}
	return len(p.list)
}

// blocks calls f for fixed blocks of rows in parallel, with the entries of the product with x.
func (p *product) blocks(x []float64, f func(lo, hi int, y []float64)) {
	n, unit := p.count(), blockVertices
	if p.tiles != nil {
		unit = 1 << p.tiles.rowBits
	}
	vec.Parallel(n, unit, p.Workers, func(block, lo, hi int) {
		y, ok := p.buffers.Get().(*[]float64)
		if !ok {
			y = new(make([]float64, unit))
		}
		defer p.buffers.Put(y)
		p.multiply(block, lo, (*y)[:hi-lo], x)
		for at := lo; at < hi; at += blockVertices {
			end := min(at+blockVertices, hi)
			f(at, end, (*y)[at-lo:end-lo])
		}
	})
}

// multiply sets y to the entries of the product with x from row lo on, which begins a block.
func (p *product) multiply(block, lo int, y, x []float64) {
	switch {
	case p.tiles != nil:
		clear(y)
		turn := vec.NewTurn(workersOf(p.Work))
		p.tiles.add(block, y, x, turn.Pass)
	case p.list != nil:
		for i := range y {
			y[i] = rowProduct(p.rows, p.list[lo+i], x)
		}
	default:
		for i := range y {
			y[i] = rowProduct(p.rows, uint32(lo+i), x)
		}
	}
}

// blockSums computes f as blocks does, and adds the results in the order of the blocks.
func (p *product) blockSums(k int, x []float64, f func(lo, hi int, y, parts []float64)) []float64 {
	parts := make([]float64, blocksOf(p.count())*k)
	p.blocks(x, func(lo, hi int, y []float64) { f(lo, hi, y, parts[lo/blockVertices*k:][:k]) })
	return totals(parts, k)
}

// times is the product with x.
func (p *product) times(x []float64) []float64 {
	to := vec.Zeros[float64](p.count())
	p.blocks(x, func(lo, _ int, y []float64) { copy(to[lo:], y) })
	return to
}

// rowProduct is row v of the adjacency matrix times x.
func rowProduct(g *csr.Graph, v uint32, x []float64) float64 {
	sum := 0.0
	row := g.Neighbors(v)
	if g.Weights == nil {
		for _, u := range row {
			sum += x[u]
		}
		return sum
	}
	weights := g.WeightsOf(v)
	for i, u := range row {
		sum += float64(float64(weights[i]) * x[u])
	}
	return sum
}
