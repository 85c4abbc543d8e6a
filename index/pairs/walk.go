package pairs

import (
	"context"
	"math/bits"

	"heavytail/index/internal/base"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// stripe is a range of vectors whose pairs with all later vectors one worker
// processes: the unit of work of Join and NewSweep.
type stripe struct{ lo, hi int }

// stripeRows is the number of vectors of a stripe: a multiple of 96, which
// tiles of 12 rows and panels of 32 both divide. Its packed vectors fit in a
// second-level cache of 1 MB with room for other data, and every panel, once
// loaded into the first-level cache, is multiplied with all of them.
func stripeRows(rows, dim int) int {
	const step, cache = 96, 384 << 10
	fit := cache / (4 * max(dim, 1)) / step
	// At least 16 stripes: the last ones, which are short, balance the load of
	// a few workers.
	return step * max(1, min(fit, 10, rows/(16*step)))
}

// walker processes one stripe after the other. It is the workspace of one
// worker.
type walker struct {
	s     *screen.Screen
	rows  []float32               // packed groups of the stripe
	low   [][vec.TileRows]float32 // their norms
	high  [][vec.TileRows]float32
	fine  []screen.Group // the groups for the sieve, if there is one
	tile  [vec.TileRows * vec.TileCols]float32
	near  [vec.TileRows]uint32
	sure  [vec.TileRows]uint32
	exact bool  // near has the pairs within the radius, and tile their vec.L2Squared
	again int64 // pairs that were measured again
}

// walk computes the tiles of a stripe with every panel that has later vectors.
// open is called before the tiles of a panel, shut after. For every tile with
// pairs that are near enough, visit is called with its first row and its
// panel, in one of two states. If exact is set, near has the bits of the pairs
// within the radius, and tile their vec.L2Squared. Otherwise near has the bits
// of the pairs whose lower bound is within the limit, and tile the products of
// all. All pairs have u < v. It returns early when ctx ends.
func (w *walker) walk(ctx context.Context, st stripe, limit screen.Threshold, meter *base.Meter, open, shut func(p int), visit func(group, r, p int)) error {
	s := w.s
	groups := (st.hi - st.lo + vec.TileRows - 1) / vec.TileRows
	alone := screen.Few(s.M.Dim)
	w.pack(st, groups)
	for p := st.lo / vec.TileCols; p*vec.TileCols < s.M.Rows; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := p * vec.TileCols
		low := (*[vec.TileCols]float32)(s.Low[first:])
		open(p)
		for g := range groups {
			r := st.lo + g*vec.TileRows
			if r >= first+vec.TileCols-1 {
				break // this group and all after it lie below the diagonal
			}
			if s.Sieve != nil {
				left := w.sift(g, r, p)
				if left == 0 {
					continue
				}
				if left <= alone {
					if w.measureNear(r, first, limit) {
						visit(g, r, p)
					}
					continue
				}
			}
			w.exact = false
			w.multiply(g, p)
			if !vec.TileWithin(&w.near, &w.tile, &w.low[g], low, limit.Near) {
				continue
			}
			w.clip(r, first)
			visit(g, r, p)
		}
		shut(p)
		meter.Add(pairsOf(st, first, min(first+vec.TileCols, s.M.Rows)))
	}
	return nil
}

func (w *walker) pack(st stripe, groups int) {
	s, size := w.s, vec.TileRows*w.s.M.Dim
	w.rows = screen.Fitted(w.rows, groups*size)
	w.low, w.high = screen.Fitted(w.low, groups), screen.Fitted(w.high, groups)
	for g := range groups {
		screen.PackGroup(w.rows[g*size:(g+1)*size], s.Panels, s.M.Dim, st.lo+g*vec.TileRows,
			screen.GroupNorms{To: &w.low[g], Of: s.Low}, screen.GroupNorms{To: &w.high[g], Of: s.High})
	}
	if s.Sieve == nil {
		return
	}
	w.fine = screen.Fitted(w.fine, groups)
	for g := range groups {
		s.Sieve.Pack(&w.fine[g], st.lo+g*vec.TileRows)
	}
}

// sift sets near to the pairs u < v of a tile that the sieve does not decide, and returns
// their number.
func (w *walker) sift(group, r, p int) int {
	if !w.s.Sieve.Near(&w.near, &w.tile, &w.fine[group], p) {
		return 0
	}
	w.clip(r, p*vec.TileCols)
	return screen.PairsIn(&w.near)
}

// measureNear measures the near pairs of a tile one by one and keeps those
// within the radius. It reports whether there are any.
func (w *walker) measureNear(r, first int, limit screen.Threshold) bool {
	w.exact = true
	some := false
	for i, near := range w.near {
		if near == 0 {
			continue
		}
		row := w.s.M.Row(r + i)
		for left := near; left != 0; left &= left - 1 {
			j := bits.TrailingZeros32(left)
			d := vec.L2Squared(row, w.s.M.Row(first+j))
			if d > limit.Exact {
				near &^= 1 << j
				continue
			}
			w.tile[i*vec.TileCols+j] = d
			some = true
		}
		w.near[i] = near
	}
	return some
}

// multiply sets the tile to the products of a packed group with panel p.
func (w *walker) multiply(group, p int) {
	dim := w.s.M.Dim
	size := vec.TileRows * dim
	vec.Tile(&w.tile, dim, w.rows[group*size:(group+1)*size], 1, vec.TileRows, w.s.Panel(p))
}

// clip drops the pairs of a tile that are not u < v; only tiles on the diagonal have some.
func (w *walker) clip(r, first int) {
	if r+vec.TileRows <= first {
		return
	}
	for i := range w.near {
		if u := r + i; u >= first {
			w.near[i] &= ^uint32(1) << min(31, u-first)
		}
	}
}

// split splits the near pairs of a tile by one threshold: afterwards near has
// exactly the pairs within the radius.
func (w *walker) split(group, r, p int, t screen.Threshold) {
	if w.exact {
		return
	}
	first := p * vec.TileCols
	vec.TileWithin(&w.sure, &w.tile, &w.high[group], (*[vec.TileCols]float32)(w.s.High[first:]), t.Sure)
	for i, near := range w.near {
		for doubt := near &^ w.sure[i]; doubt != 0; doubt &= doubt - 1 {
			j := bits.TrailingZeros32(doubt)
			if w.measure(r+i, first+j) > t.Exact {
				w.near[i] &^= 1 << j
			}
		}
	}
}

// measure returns the squared distance that the exact rule uses.
func (w *walker) measure(u, v int) float32 {
	w.again++
	return vec.L2Squared(w.s.M.Row(u), w.s.M.Row(v))
}

// pairsOf returns how many pairs u < v have u in the stripe and v in [lo, hi).
func pairsOf(st stripe, lo, hi int) int64 {
	if lo >= st.hi {
		return int64(hi-lo) * int64(st.hi-st.lo)
	}
	n := int64(0)
	for v := lo; v < hi; v++ {
		n += int64(max(0, min(v, st.hi)-st.lo))
	}
	return n
}
