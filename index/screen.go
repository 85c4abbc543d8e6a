package index

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/vec"
)

// A screen decides most pairs of vectors by products of whole tiles, and marks
// the rest, which must be measured with vec.L2Squared.
//
// It holds x′ = (x − c)·s for every vector x. The centre c, common to all,
// changes no distance but makes norms small. s is a power of two that brings
// the longest x′ to a length between ½ and 1, so that products neither
// overflow nor vanish. Below, D = s²·‖x−y‖² is the true scaled distance of a
// pair, p = ‖x′‖² and q = ‖y′‖² the squared norms, d the dimension, u = 2⁻²⁴,
// and γ(k) = ku/(1−ku) bounds the relative error of k consecutive roundings
// (Higham,
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
// Together |p + q − 2x′·y′ − D| < e(x) + e(y) + 10u(p+q), and the right side
// is a sum of one term per vector: with both norms lowered by e + 10u·norm the
// same expression is a lower bound of D, with raised norms an upper bound. So
// a tile kernel that compares p + q − 2x′·y′ with a limit is exact and does no
// extra work per pair.
//
//   - vec.L2Squared differs from ‖x−y‖² by a factor in 1 ± γ(d+4), and by at
//     most (d+2)·2⁻¹⁴⁹ where its squares fall below the normal range. That goes
//     into the limits, in threshold.
//   - x′ and its products may fall below the normal range too; these errors are far
//     below 2⁻¹¹⁰, which goes into the limits as well.
//
// Memory: 4 bytes per element of the matrix, and 8 per vector.
type screen struct {
	m      *vec.Matrix
	panels []float32 // 32 vectors each, transposed: the b of vec.Tile; the last is padded with zeros
	low    []float32 // lowered norms, rounded down; +Inf for padding
	high   []float32 // raised norms, rounded up; +Inf for padding
	centre []float64 // c
	scale  float64   // s
	scale2 float64   // s²
	sieve  sieve     // decides pairs that are far apart before the screen, if not nil
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
	s.centre = centreOf(m)
	s.setScale(ctx, workers)
	order := bySpread(m, s.centre)
	vec.Parallel(count, 1, workers, func(p, _, _ int) {
		if ctx.Err() == nil {
			s.pack(p, order)
		}
	})
	return s, ctx.Err()
}

// setScale sets s.
func (s *screen) setScale(ctx context.Context, workers int) {
	_, exponent := math.Frexp(longest(ctx, s.m, s.centre, workers))
	s.scale = math.Ldexp(1, -exponent)
	s.scale2 = s.scale * s.scale
}

// pack fills panel p, taking the columns in the given order.
func (s *screen) pack(p int, order []int) {
	panel, dim := s.panel(p), s.m.Dim
	first := p * vec.TileCols
	count := min(vec.TileCols, s.m.Rows-first)
	// All vectors of the panel at a time, so that no addition waits for the
	// previous one.
	var norms, sums [vec.TileCols]float64
	for l, column := range order {
		c, at := s.centre[column], first*dim+column
		for j, dst := 0, panel[l*vec.TileCols:][:vec.TileCols]; j < count && j < len(dst); j++ {
			y := float32((float64(s.m.Data[at]) - c) * s.scale)
			at += dim
			dst[j] = y
			norms[j] += float64(y) * float64(y)
			sums[j] += norms[j]
		}
	}
	for j := range vec.TileCols {
		v := first + j
		if j >= count {
			s.low[v], s.high[v] = float32(math.Inf(1)), float32(math.Inf(1))
			continue
		}
		// Column l, from 0 here, is in d−l of the sums, so with norm it is
		// taken m(l) = d−l+1 times. γ(m) ≤ mu/(1−(d+2)u) for all m up to d+2.
		norm, roundings := norms[j], sums[j]+norms[j]
		margin := roundings*gamma(dim+2)/float64(dim+2) + 10*unit*norm
		s.low[v] = roundDown(norm - margin)
		s.high[v] = roundUp(norm + margin)
	}
}

// panel returns the packed vectors [32p, 32p+32).
func (s *screen) panel(p int) []float32 {
	size := vec.TileCols * s.m.Dim
	return s.panels[p*size : (p+1)*size]
}

// packGroup copies 12 vectors beginning with vector r out of panels of so many columns
// into dst, so that their elements of one column are adjacent, and their
// norms; vectors beyond the last are zero and have infinite norms.
func packGroup[T float32 | uint32](dst, panels []T, columns, r int, norms ...groupNorms) {
	for done := 0; done < vec.TileRows; {
		v := r + done
		column := v % vec.TileCols
		count := min(vec.TileRows-done, vec.TileCols-column) // of one panel
		if v >= len(norms[0].of) {
			for l := range columns {
				clear(dst[l*vec.TileRows+done : (l+1)*vec.TileRows])
			}
			for _, n := range norms {
				for i := done; i < vec.TileRows; i++ {
					n.to[i] = float32(math.Inf(1))
				}
			}
			return
		}
		panel := panels[v/vec.TileCols*vec.TileCols*columns:]
		for l := range columns {
			copy(dst[l*vec.TileRows+done:][:count], panel[l*vec.TileCols+column:])
		}
		for _, n := range norms {
			copy(n.to[done:done+count], n.of[v:])
		}
		done += count
	}
}

// fitted returns a slice of n elements, x if it has room.
func fitted[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// groupNorms are the norms of all vectors, and the destination for those of a
// group.
type groupNorms struct {
	to *[vec.TileRows]float32
	of []float32
}

// A threshold is one radius in the units of the screen.
type threshold struct {
	exact float32 // a pair is within the radius if vec.L2Squared is at most this
	near  float32 // a pair whose lower bound is above this is not within the radius
	sure  float32 // a pair whose upper bound is at most this is within the radius
}

func (s *screen) threshold(radius float64) threshold {
	const all = 64 // bounds of D are at most little above 4, so this admits every pair
	limit := radius * radius
	t := threshold{exact: roundDown(limit)}
	relative := gamma(s.m.Dim + 4)
	absolute := float64(s.m.Dim+2) * 0x1p-149
	t.near = roundUp(min(all, (limit+absolute)*s.scale2/(1-relative)+underflow))
	t.sure = roundDown(min(all, (limit-absolute)*s.scale2/(1+relative)-underflow))
	if 4/s.scale2 > math.MaxFloat32/2 {
		// L2Squared may overflow to infinity, which the bounds of D do not
		// cover.
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

// sampleTiles calls f with the first row and the first column of random tiles, and returns
// their number.
func (s *screen) sampleTiles(f func(r, first int)) int {
	const seed = 2
	rows := s.m.Rows
	tiles := max(32, min(rows/256, 192))
	random := rand.New(rand.NewPCG(seed, 0))
	for range tiles {
		r := random.IntN(rows/vec.TileRows) * vec.TileRows
		f(r, random.IntN(rows/vec.TileCols)*vec.TileCols)
	}
	return tiles
}
