package index

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"heavytail/storage/vec"
)

// A screen settles most pairs of rows by products of whole tiles, and tells for
// the rest that they must be measured with vec.L2Squared.
//
// It holds x′ = (x − c)·s for every row x, with one centre c for all, which
// moves no distance but makes norms small, and s a power of two that brings the
// longest x′ to a length between ½ and 1, so that products neither overflow nor
// vanish. Below, D = s²·‖x−y‖² is the true scaled distance of a pair, p = ‖x′‖²
// and q = ‖y′‖² the squared norms, d the dimension, u = 2⁻²⁴, and
// γ(k) = ku/(1−ku) bounds the relative error of k roundings in a row (Higham,
// "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
//
//   - x′ is rounded once: each element is off by at most u times itself. So the
//     length of x′−y′ is off by at most u(√p+√q), and its square by at most
//     about 2u(√p+√q)² ≤ 4u(p+q).
//   - The product x′·y′ in float32 is one chain of multiply-adds, so the product
//     of the l-th of d columns is rounded at most m(l) = d−l+2 times and the sum
//     is off by at most Σ γ(m(l))·|x′_l·y′_l|. As 2|ab| ≤ a²+b², twice that is at
//     most e(x) + e(y), where e(x) = Σ γ(m(l))·x′_l². Columns are taken in order
//     of ascending spread, so that the long columns, which weigh most, are rounded
//     the fewest times.
//   - Rounding p+q and the difference adds at most u(p+q) + 2u(p+q).
//
// Together |p + q − 2x′·y′ − D| < e(x) + e(y) + 10u(p+q), and that is a sum of
// what each row has: with both norms lowered by e + 10u·norm the same expression
// is a lower bound of D, with raised norms an upper bound. A tile kernel that
// compares p + q − 2x′·y′ with a limit so is exact with no work per pair.
//
//   - vec.L2Squared is off from ‖x−y‖² by a factor in 1 ± γ(d+4), and by at
//     most (d+2)·2⁻¹⁴⁹ where its squares fall below the normal range. That goes
//     into the limits, in threshold.
//   - x′ and its products may fall below the normal range too; all that is far
//     below 2⁻¹¹⁰, which goes into the limits as well.
//
// Memory: 4 bytes per element of the matrix, and 8 per row.
type screen struct {
	m      *vec.Matrix
	panels []float32 // 32 rows each, transposed: the b of vec.Tile; the last is padded with zeros
	low    []float32 // lowered norms, rounded down; +Inf for padding
	high   []float32 // raised norms, rounded up; +Inf for padding
	scale2 float64   // s²
}

const (
	unit      = 0x1p-24 // u
	underflow = 0x1p-110
)

// gamma is Higham's γ(k) in float32.
func gamma(k int) float64 { return float64(k) * unit / (1 - float64(k)*unit) }

// newScreen prepares the rows of m. It takes O(n·d) time. It returns
// ErrNotFinite if m holds a NaN or an infinity.
func newScreen(ctx context.Context, m *vec.Matrix, workers int) (*screen, error) {
	if err := checkFinite(ctx, m, workers); err != nil {
		return nil, err
	}
	count := (m.Rows + vec.TileCols - 1) / vec.TileCols
	s := &screen{
		m:      m,
		panels: make([]float32, count*vec.TileCols*m.Dim),
		low:    make([]float32, count*vec.TileCols),
		high:   make([]float32, count*vec.TileCols),
	}
	centre := middle(m)
	_, exponent := math.Frexp(longest(ctx, m, centre, workers))
	scale := math.Ldexp(1, -exponent)
	s.scale2 = scale * scale
	order := bySpread(m, centre)
	vec.Parallel(count, 1, workers, func(p, _, _ int) {
		if ctx.Err() == nil {
			s.pack(p, centre, scale, order)
		}
	})
	return s, ctx.Err()
}

// pack fills panel p, taking the columns in the given order.
func (s *screen) pack(p int, centre []float64, scale float64, order []int) {
	panel := s.panel(p)
	for j := range vec.TileCols {
		v := p*vec.TileCols + j
		if v >= s.m.Rows {
			s.low[v], s.high[v] = float32(math.Inf(1)), float32(math.Inf(1))
			continue
		}
		row := s.m.Row(v)
		norm, roundings := 0.0, 0.0
		for l, column := range order {
			y := float32((float64(row[column]) - centre[column]) * scale)
			panel[l*vec.TileCols+j] = y
			square := float64(y) * float64(y)
			norm += square
			roundings += square * float64(len(order)-l+1) // m(l), l from 0 here
		}
		// γ(m) ≤ mu/(1−(d+2)u) for all m up to d+2.
		margin := roundings*gamma(s.m.Dim+2)/float64(s.m.Dim+2) + 10*unit*norm
		s.low[v] = roundDown(norm - margin)
		s.high[v] = roundUp(norm + margin)
	}
}

// panel returns the packed rows [32p, 32p+32).
func (s *screen) panel(p int) []float32 {
	size := vec.TileCols * s.m.Dim
	return s.panels[p*size : (p+1)*size]
}

// group copies 12 rows beginning with row r into dst so that their elements of
// one column are neighbours, and their norms; rows that do not exist are zero
// and of infinite norm.
func (s *screen) group(dst []float32, low, high *[vec.TileRows]float32, r int) {
	for i := range vec.TileRows {
		v := r + i
		if v >= s.m.Rows {
			for l := range s.m.Dim {
				dst[l*vec.TileRows+i] = 0
			}
			low[i], high[i] = float32(math.Inf(1)), float32(math.Inf(1))
			continue
		}
		panel, column := s.panel(v/vec.TileCols), v%vec.TileCols
		for l := range s.m.Dim {
			dst[l*vec.TileRows+i] = panel[l*vec.TileCols+column]
		}
		low[i], high[i] = s.low[v], s.high[v]
	}
}

// A threshold is one radius as the screen sees it.
type threshold struct {
	exact float32 // a pair is within if vec.L2Squared is at most this
	near  float32 // a pair whose lower bound is above this is not within
	sure  float32 // a pair whose upper bound is at most this is within
}

// threshold returns the limits of a radius.
func (s *screen) threshold(radius float64) threshold {
	const all = 64 // bounds of D are hardly above 4, so this admits every pair
	limit := radius * radius
	t := threshold{exact: roundDown(limit)}
	relative := gamma(s.m.Dim + 4)
	absolute := float64(s.m.Dim+2) * 0x1p-149
	t.near = roundUp(min(all, (limit+absolute)*s.scale2/(1-relative)+underflow))
	t.sure = roundDown(min(all, (limit-absolute)*s.scale2/(1+relative)-underflow))
	if 4/s.scale2 > math.MaxFloat32/2 {
		// L2Squared may overflow to infinity, which no bound of D foretells.
		t.sure = -1
	}
	return t
}

// roundDown returns the largest float32 that is not above x.
func roundDown(x float64) float32 {
	y := float32(x)
	if float64(y) > x {
		y = math.Nextafter32(y, float32(math.Inf(-1)))
	}
	return y
}

// roundUp returns the smallest float32 that is not below x.
func roundUp(x float64) float32 {
	y := float32(x)
	if float64(y) < x {
		y = math.Nextafter32(y, float32(math.Inf(1)))
	}
	return y
}

// middle returns a point amid the largest crowd of rows. Any point would do;
// the nearer it is to the rows, the fewer pairs fall inside the rounding
// margin. A mean would be drawn away from a large cluster by small ones far
// out, as components that were embedded apart lie, so the mean is taken again
// over the nearer half of the rows, a few times.
func middle(m *vec.Matrix) []float64 {
	const sample, rounds = 2048, 4
	type member struct {
		row      int
		distance float64
	}
	members := make([]member, min(m.Rows, sample))
	rows := make([]int, len(members))
	for i := range members {
		members[i].row = int(int64(i) * int64(m.Rows) / int64(len(members)))
		rows[i] = members[i].row
	}
	centre := mean(m, rows)
	for range rounds {
		for i := range members {
			members[i].distance = distance64(m.Row(members[i].row), centre)
		}
		slices.SortFunc(members, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
		})
		rows = rows[:0]
		for _, member := range members[:(len(members)+1)/2] {
			rows = append(rows, member.row)
		}
		centre = mean(m, rows)
	}
	return centre
}

func mean(m *vec.Matrix, rows []int) []float64 {
	centre := make([]float64, m.Dim)
	for _, r := range rows {
		for l, x := range m.Row(r) {
			centre[l] += float64(x)
		}
	}
	for l := range centre {
		centre[l] /= float64(max(1, len(rows)))
	}
	return centre
}

// bySpread returns the columns in ascending order of their spread about the
// centre, as a sample of rows tells.
func bySpread(m *vec.Matrix, centre []float64) []int {
	const sample = 1024
	spread, order := make([]float64, m.Dim), make([]int, m.Dim)
	for i := range min(m.Rows, sample) {
		for l, x := range m.Row(int(int64(i) * int64(m.Rows) / int64(min(m.Rows, sample)))) {
			d := float64(x) - centre[l]
			spread[l] += d * d
		}
	}
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[a], spread[b]) })
	return order
}

// distance64 returns the squared distance of a row and a point.
func distance64(row []float32, point []float64) float64 {
	s := 0.0
	for l, x := range row {
		d := float64(x) - point[l]
		s += d * d
	}
	return s
}

// longest returns the largest distance of a row from the centre.
func longest(ctx context.Context, m *vec.Matrix, centre []float64, workers int) float64 {
	block := scanRows(m.Dim)
	partial := make([]float64, (m.Rows+block-1)/block)
	vec.Parallel(m.Rows, block, workers, func(b, lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			partial[b] = max(partial[b], distance64(m.Row(r), centre))
		}
	})
	longest := 0.0
	for _, d := range partial {
		longest = max(longest, d)
	}
	return math.Sqrt(longest)
}

// stripe is a range of rows whose pairs with all later rows one worker looks
// at: the unit of work of Join and NewSweep.
type stripe struct{ lo, hi int }

// stripeRows is how many rows a stripe has: a multiple of 96, which tiles of 12
// rows and panels of 32 both divide. Its packed rows stay in a second-level
// cache of 1 MB beside other data, and every panel, once in the first-level
// cache, meets all of them.
func stripeRows(rows, dim int) int {
	const unit, cache = 96, 384 << 10
	fit := cache / (4 * max(dim, 1)) / unit
	// At least 16 stripes, so that the last ones, which are short, even out the
	// load of a few workers.
	return unit * max(1, min(fit, 10, rows/(16*unit)))
}

// walker looks at one stripe after the other. It is one worker's workspace.
type walker struct {
	s     *screen
	rows  []float32               // packed groups of the stripe
	low   [][vec.TileRows]float32 // their norms
	high  [][vec.TileRows]float32
	tile  [vec.TileRows * vec.TileCols]float32
	near  [vec.TileRows]uint32
	sure  [vec.TileRows]uint32
	again int64 // pairs that were measured again
}

// walk computes the tiles of a stripe with every panel that has later rows.
// open is called before the tiles of a panel, shut after. For every tile that
// holds pairs near enough visit is called with its first row and its panel;
// near then has the bits of pairs whose lower bound is within limit, only of
// pairs u < v. It returns early when ctx ends.
func (w *walker) walk(ctx context.Context, st stripe, limit float32, meter *meter, open, shut func(p int), visit func(group, r, p int)) error {
	s, dim := w.s, w.s.m.Dim
	groups := (st.hi - st.lo + vec.TileRows - 1) / vec.TileRows
	size := vec.TileRows * dim
	w.rows = slices.Grow(w.rows[:0], groups*size)[:groups*size]
	w.low = slices.Grow(w.low[:0], groups)[:groups]
	w.high = slices.Grow(w.high[:0], groups)[:groups]
	for g := range groups {
		s.group(w.rows[g*size:(g+1)*size], &w.low[g], &w.high[g], st.lo+g*vec.TileRows)
	}
	for p := st.lo / vec.TileCols; p*vec.TileCols < s.m.Rows; p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := p * vec.TileCols
		panel, low := s.panel(p), (*[vec.TileCols]float32)(s.low[first:])
		open(p)
		for g := range groups {
			r := st.lo + g*vec.TileRows
			if r >= first+vec.TileCols-1 {
				break // this group and all after it lie below the diagonal
			}
			vec.Tile(&w.tile, dim, w.rows[g*size:(g+1)*size], 1, vec.TileRows, panel)
			if !vec.TileWithin(&w.near, &w.tile, &w.low[g], low, limit) {
				continue
			}
			if r+vec.TileRows > first {
				w.clip(r, first)
			}
			visit(g, r, p)
		}
		shut(p)
		meter.add(pairsOf(st, first, min(first+vec.TileCols, s.m.Rows)))
	}
	return nil
}

// clip drops the pairs of a tile on the diagonal that are not u < v.
func (w *walker) clip(r, first int) {
	for i := range w.near {
		if u := r + i; u >= first {
			w.near[i] &= ^uint32(1) << min(31, u-first)
		}
	}
}

// settle splits the near pairs of a tile by one threshold: it returns with near
// holding exactly the pairs within.
func (w *walker) settle(group, r, p int, t threshold) {
	first := p * vec.TileCols
	vec.TileWithin(&w.sure, &w.tile, &w.high[group], (*[vec.TileCols]float32)(w.s.high[first:]), t.sure)
	for i, near := range w.near {
		for doubt := near &^ w.sure[i]; doubt != 0; doubt &= doubt - 1 {
			j := bits.TrailingZeros32(doubt)
			if w.measure(r+i, first+j) > t.exact {
				w.near[i] &^= 1 << j
			}
		}
	}
}

// measure is the exact rule.
func (w *walker) measure(u, v int) float32 {
	w.again++
	return vec.L2Squared(w.s.m.Row(u), w.s.m.Row(v))
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

// checkFinite looks for the first value that is not a number. When ctx ends it
// finds nothing.
func checkFinite(ctx context.Context, m *vec.Matrix, workers int) error {
	block := scanRows(m.Dim)
	bad := make([]int, (m.Rows+block-1)/block)
	vec.Parallel(m.Rows, block, workers, func(b, lo, hi int) {
		bad[b] = -1
		if ctx.Err() != nil {
			return
		}
		for i, x := range m.Data[lo*m.Dim : hi*m.Dim] {
			if !finite(x) {
				bad[b] = lo*m.Dim + i
				return
			}
		}
	})
	for _, at := range bad {
		if at >= 0 {
			return notFinite(at/m.Dim, at%m.Dim, m.Data[at])
		}
	}
	return nil
}
