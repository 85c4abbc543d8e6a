package index

import (
	"math"
	"slices"

	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// batch is one pass of queries over the vectors. A tile holds, for 12 vectors
// r and 32 queries q, the products c = r·q, and vec.TileWithin skips the pairs
// with
//
//	row(r) + column(q) − 2c > 0
//
// where row and column are chosen so that a pair is skipped only if its key is
// certainly greater than t, the largest key among the k nearest of q so far.
// With u, γ and d as in screen.go, p = ‖r‖² and s = ‖q‖²:
//
//   - L2: as there, |p + s − 2c − D| < (γ(d+2) + 10u)(p+s), where D is the true
//     squared distance and the key is D·(1 ± γ(d+4)). So row = p·(1−m), column =
//     s·(1−m) − t/(1−γ(d+4)), with m = γ(d+2) + 10u.
//   - Dot: the key is −r·q. Its error, like that of c, is at most γ(d+16) times
//     Σ|r_l·q_l| ≤ (p+s)/2. So row = −m·p and column = −2t − m·s, with m = 2γ(d+16).
//   - Cosine: c is the product of the directions of r and q, whose elements are rounded
//     up to twice more, so row = 0 and column = −2t − 2m, with m = 2γ(d+24).
//
// Rounding p, s and the sums changes each term by at most 16u of it, which is
// added to m and to t; the error of values below the normal range is at most
// (4d+16)·2⁻¹⁴⁹. Where p or s is so large that products might overflow, row or
// column is NaN, which skips no pair.
type batch struct {
	x      *Exact
	equal  *equalRows // if not nil, the rows of x are its groups
	k      int
	order  []uint32 // the vectors in the order in which they are searched; nil for that of the matrix
	places []uint32 // of each query, ascending, in order; nil if they are not known
	filter func(uint32) bool
	of     func(int, uint32) bool // filter of a query; nil for none
	number []int                  // of each query, for it
	scores []scorer
	panels []float32  // 32 queries each, transposed: the b of vec.Tile
	norms  []float64  // column without t
	margin float64    // m
	sieve  querySieve // skips vectors before the tiles above, if not nil
}

func newBatch(x *Exact, queries *vec.Matrix, k int, opts SearchOptions) *batch {
	d := x.m.Dim
	count := (queries.Rows + vec.TileCols - 1) / vec.TileCols
	b := &batch{
		x: x, k: k, filter: opts.Filter, of: opts.FilterOf,
		scores: make([]scorer, queries.Rows),
		panels: make([]float32, count*vec.TileCols*d),
		norms:  make([]float64, queries.Rows),
	}
	switch x.metric {
	case L2:
		b.margin = screen.Gamma(d+2) + 26*screen.Unit
	case Dot:
		b.margin = 2*screen.Gamma(d+16) + 16*screen.Unit
	case Cosine:
		b.margin = 2*screen.Gamma(d+24) + 16*screen.Unit
	}
	vec.Parallel(queries.Rows, vec.TileCols, opts.Workers, func(p, lo, hi int) {
		packed := vec.NewMatrix(hi-lo, d)
		for i := lo; i < hi; i++ {
			b.scores[i].set(x, queries.Row(i))
			copy(packed.Row(i-lo), b.scores[i].vector)
			b.norms[i] = b.term(dot64(queries.Row(i), queries.Row(i)))
			if x.metric == Cosine {
				b.norms[i] = -2 * b.margin
			}
		}
		vec.PackRows(b.panel(p), vec.Panel{Data: packed.Data, Rows: hi - lo, Cols: d, Stride: d})
	})
	return b
}

// panel returns packed queries.
func (b *batch) panel(p int) []float32 {
	size := vec.TileCols * b.x.m.Dim
	return b.panels[p*size : (p+1)*size]
}

// term returns row or column, without t, for a squared norm under L2 and Dot.
func (b *batch) term(norm float64) float64 {
	switch {
	case !(norm <= 0x1p100):
		return math.NaN()
	case b.x.metric == L2:
		return norm * (1 - b.margin)
	}
	return -norm * b.margin
}

// farthest returns t as a bound of what column compares: of D under L2, and otherwise of
// twice the key.
func (b *batch) farthest(t float32) float64 {
	d := b.x.m.Dim
	tiny := float64(4*d+16) * 0x1p-149
	if b.x.metric == L2 {
		return (float64(t) + tiny) / (1 - screen.Gamma(d+4))
	}
	return 2*float64(t) + tiny
}

// column returns the column term of query i for a bound of farthest.
func (b *batch) column(i int, farthest float64) float32 {
	return screen.RoundDown(b.norms[i] - farthest - 16*screen.Unit*math.Abs(farthest))
}

// sieveFarthest returns the bound of the sieve for one of what column compares.
func (b *batch) sieveFarthest(farthest float64) float64 {
	if b.x.metric == Cosine {
		return farthest + 2 + 2*b.margin
	}
	return farthest
}

// firstBlock returns the number of the block that has the place of a query, or 0 if that is not known.
func (b *batch) firstBlock(query, block int) int {
	if b.places == nil {
		return 0
	}
	return int(b.places[query]) / block
}

// ownRows returns whole groups of vectors about the places of the queries of a panel, or none if they are too few.
func (b *batch) ownRows(query int) [2]int {
	const more, most = 24, 1024
	lo, hi := int(b.places[query]), int(b.places[min(query+vec.TileCols, len(b.places))-1])
	lo = max(0, lo, (lo+hi-most)/2) / vec.TileRows * vec.TileRows
	hi = min(b.x.m.Rows, hi+more, lo+most)
	if hi-lo < 3*b.k {
		return [2]int{}
	}
	return [2]int{lo, (hi + vec.TileRows - 1) / vec.TileRows * vec.TileRows}
}

// row returns the vector at a place.
func (b *batch) row(place int) uint32 {
	if b.order == nil {
		return uint32(place)
	}
	return b.order[place]
}

func (b *batch) admits(q int, v uint32) bool {
	return (b.filter == nil || b.filter(v)) && (b.of == nil || b.of(b.number[q], v))
}

// admitted returns the first vertex with the vector of a row that may answer query q, unless
// late says that it and all after it come too late.
func (b *batch) admitted(q int, row uint32, late func(v uint32) bool) (uint32, bool) {
	if b.equal == nil {
		return row, !late(row) && b.admits(q, row)
	}
	for _, v := range b.equal.of(row) {
		if late(v) {
			return 0, false
		}
		if b.admits(q, v) {
			return v, true
		}
	}
	return 0, false
}

// spread returns the candidates of query q with those that have the same vectors, at least
// the first k of them. A candidate is the first of its group that may answer.
func (b *batch) spread(q int, found []candidate) []candidate {
	slices.Sort(found)
	var all []candidate
	for i, c := range found {
		if i > 0 && len(all) >= b.k && c.key() != found[i-1].key() {
			break
		}
		group := b.equal.of(b.equal.group[c.vertex()])
		at, _ := slices.BinarySearch(group, c.vertex())
		for left := b.k; at < len(group) && left > 0; at++ {
			if v := group[at]; b.admits(q, v) {
				all = append(all, candidateOf(c.key(), v))
				left--
			}
		}
	}
	return all
}
