package algorithms

import (
	"context"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// tiles are a matrix of weights that is cut into tiles of rows and columns. The rows of a tile stay in the
// processor's cache, and its columns are read in order, so that a product with a vector that is larger than
// the cache does not wait for each entry: it takes half of the time or less. (Cutting by rows and columns:
// Nishtala, Vuduc, Demmel and Yelick, "When Cache Blocking of Sparse Matrix Vector Multiply Works and Why",
// 2007.)
type tiles struct {
	Work
	columns *csr.Graph
	place   []uint32 // of a row among the rows; absent of one that is not among them; nil where all are
	rowBits int      // a tile has 2 to this power of rows, and 2 to 32 minus this power of columns
	down    int      // tiles of a column
	begins  []int    // of each tile, column of tiles by column, and the end of the last
	arcs    []uint32 // row and column in the tile, by columns
	weights []float32
}

const (
	cachedVertices = 1 << 17 // whose values a cache next to a processor has: with fewer, tiles gain nothing
	fewestTileBits = 13
	usualTileBits  = 16
	mostTileBits   = 18
	absent         = math.MaxUint32
)

// tileRows is the binary logarithm of the most rows of a tile, 0 where tiles gain nothing. Each row of tiles reads the
// vector again: if that is much beside the arcs, tiles have more rows.
func tileRows(n, arcs int64) int {
	if n <= cachedVertices {
		return 0
	}
	for bits := usualTileBits; bits <= mostTileBits; bits++ {
		if n>>bits <= 3*arcs/n {
			return bits
		}
	}
	return 0
}

// TileBytes is the memory of the tiles of a matrix of n rows for the products of PageRank, Katz, Eigenvector
// and Hits with it: 0 in small graphs, 4 bytes for each arc in others, and as much for its weight.
func TileBytes(n, arcs int64, weighted bool) int64 {
	switch {
	case tileRows(n, arcs) == 0:
		return 0
	case weighted:
		return 8 * arcs
	}
	return 4 * arcs
}

// newTiles returns the tiles of some rows, or of all if list is nil, which fill fills.
func newTiles(w Work, columns *csr.Graph, rows int, list []uint32) *tiles {
	n := columns.Vertices()
	t := &tiles{Work: w, columns: columns, rowBits: tileRows(int64(n), int64(len(columns.Targets)))}
	for t.rowBits > fewestTileBits && rows>>t.rowBits < 4*workersOf(w) { // values do not depend on it
		t.rowBits--
	}
	if list != nil {
		t.place = vec.Zeros[uint32](n)
		for v := range t.place {
			t.place[v] = absent
		}
		for i, v := range list {
			t.place[v] = uint32(i)
		}
	}
	t.down = (rows-1)>>t.rowBits + 1
	t.begins = make([]int, ((n-1)>>t.columnBits()+1)*t.down+1)
	return t
}

func (t *tiles) columnBits() int { return 32 - t.rowBits }

// fill reads the columns.
func (t *tiles) fill(ctx context.Context) error {
	g, n := t.columns, t.columns.Vertices()
	// Columns of tiles have their parts of the arcs; first each counts its own.
	across := func(f func(first, lo, hi int)) {
		vec.Parallel(n, 1<<t.columnBits(), t.Workers, func(block, lo, hi int) {
			if ctx.Err() == nil {
				f(block*t.down, lo, hi)
			}
		})
	}
	across(func(first, lo, hi int) {
		counts := t.begins[first+1:][:t.down]
		for _, u := range g.Targets[g.Offsets[lo]:g.Offsets[hi]] {
			if row := t.row(u); row != absent {
				counts[row>>t.rowBits]++
			}
		}
	})
	for i := range len(t.begins) - 1 {
		t.begins[i+1] += t.begins[i]
	}
	t.arcs = vec.Zeros[uint32](t.begins[len(t.begins)-1])
	if g.Weights != nil {
		t.weights = vec.Zeros[float32](len(t.arcs))
	}
	across(func(first, lo, hi int) {
		next := append([]int(nil), t.begins[first:][:t.down]...)
		for v := lo; v < hi; v++ {
			weights := g.WeightsOf(uint32(v))
			for i, u := range g.Neighbors(uint32(v)) {
				row := t.row(u)
				if row == absent {
					continue
				}
				at := &next[row>>t.rowBits]
				t.arcs[*at] = row<<t.columnBits() | uint32(v-lo)
				if weights != nil {
					t.weights[*at] = weights[i]
				}
				*at++
			}
		}
	})
	return ctx.Err()
}

// row is the place of a vertex among the rows.
func (t *tiles) row(v uint32) uint32 {
	if t.place == nil {
		return v
	}
	return t.place[v]
}

// add adds the product with x of a row of tiles to y. It calls pass between tiles.
func (t *tiles) add(row int, y, x []float64, pass func()) {
	shift, mask := t.columnBits()&31, uint32(1)<<t.columnBits()-1
	for tile := row; tile < len(t.begins)-1; tile += t.down {
		from := x[tile/t.down<<t.columnBits():]
		arcs := t.arcs[t.begins[tile]:t.begins[tile+1]]
		if t.weights == nil {
			for _, a := range arcs {
				y[a>>shift] += from[a&mask]
			}
		} else {
			for i, w := range t.weights[t.begins[tile]:t.begins[tile+1]] {
				y[arcs[i]>>shift] += float64(float64(w) * from[arcs[i]&mask])
			}
		}
		pass()
	}
}
