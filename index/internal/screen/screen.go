package screen

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// A Screen decides most pairs of vectors by products of whole tiles, and marks
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
//     into the limits, in Threshold.
//   - x′ and its products may fall below the normal range too; these errors are far
//     below 2⁻¹¹⁰, which goes into the limits as well.
//
// Memory: 4 bytes per element of the matrix, and 8 per vector.
type Screen struct {
	M      *vec.Matrix
	Panels []float32 // 32 vectors each, transposed: the b of vec.Tile; the last is padded with zeros
	Low    []float32 // lowered norms, rounded down; +Inf for padding
	High   []float32 // raised norms, rounded up; +Inf for padding
	centre []float64 // c
	Scale  float64   // s
	Scale2 float64   // s²
	Sieve  Sieve     // decides pairs that are far apart before the screen, if not nil
}

const (
	Unit      = 0x1p-24 // u
	Underflow = 0x1p-110
)

// Gamma is Higham's γ(k) in float32.
func Gamma(k int) float64 { return float64(k) * Unit / (1 - float64(k)*Unit) }

// New prepares the rows of m. It takes O(n·d) time. It returns
// ErrNotFinite if m holds a NaN or an infinity.
func New(ctx context.Context, m *vec.Matrix, workers int) (*Screen, error) {
	if err := base.CheckFinite(ctx, m, workers); err != nil {
		return nil, err
	}
	count := (m.Rows + vec.TileCols - 1) / vec.TileCols
	s := Centred(ctx, m, workers)
	s.Panels = make([]float32, count*vec.TileCols*m.Dim)
	s.Low = make([]float32, count*vec.TileCols)
	s.High = make([]float32, count*vec.TileCols)
	order := bySpread(m, s.centre)
	vec.Parallel(count, 1, workers, func(p, _, _ int) {
		if ctx.Err() == nil {
			s.pack(p, order)
		}
	})
	return s, ctx.Err()
}

// Centred returns the screen of m without what compares pairs: for projections.
func Centred(ctx context.Context, m *vec.Matrix, workers int) *Screen {
	s := &Screen{M: m, centre: CentreOf(m)}
	_, exponent := math.Frexp(Longest(ctx, m, s.centre, workers))
	s.Scale = math.Ldexp(1, -exponent)
	s.Scale2 = s.Scale * s.Scale
	return s
}

// pack fills panel p, taking the columns in the given order.
func (s *Screen) pack(p int, order []int) {
	panel, dim := s.Panel(p), s.M.Dim
	first := p * vec.TileCols
	count := min(vec.TileCols, s.M.Rows-first)
	// All vectors of the panel at a time, so that no addition waits for the
	// previous one.
	var norms, sums [vec.TileCols]float64
	for l, column := range order {
		c, at := s.centre[column], first*dim+column
		for j, dst := 0, panel[l*vec.TileCols:][:vec.TileCols]; j < count && j < len(dst); j++ {
			y := float32((float64(s.M.Data[at]) - c) * s.Scale)
			at += dim
			dst[j] = y
			norms[j] += float64(y) * float64(y)
			sums[j] += norms[j]
		}
	}
	for j := range vec.TileCols {
		v := first + j
		if j >= count {
			s.Low[v], s.High[v] = float32(math.Inf(1)), float32(math.Inf(1))
			continue
		}
		// Column l, from 0 here, is in d−l of the sums, so with norm it is
		// taken m(l) = d−l+1 times. γ(m) ≤ mu/(1−(d+2)u) for all m up to d+2.
		norm, roundings := norms[j], sums[j]+norms[j]
		margin := roundings*Gamma(dim+2)/float64(dim+2) + 10*Unit*norm
		s.Low[v] = RoundDown(norm - margin)
		s.High[v] = RoundUp(norm + margin)
	}
}

// Panel returns the packed vectors [32p, 32p+32).
func (s *Screen) Panel(p int) []float32 {
	size := vec.TileCols * s.M.Dim
	return s.Panels[p*size : (p+1)*size]
}

// PackGroup copies 12 vectors beginning with vector r out of panels of so many columns
// into dst, so that their elements of one column are adjacent, and their
// norms; vectors beyond the last are zero and have infinite norms.
func PackGroup[T float32 | uint32](dst, panels []T, columns, r int, norms ...GroupNorms) {
	for done := 0; done < vec.TileRows; {
		v := r + done
		column := v % vec.TileCols
		count := min(vec.TileRows-done, vec.TileCols-column) // of one panel
		if v >= len(norms[0].Of) {
			for l := range columns {
				clear(dst[l*vec.TileRows+done : (l+1)*vec.TileRows])
			}
			for _, n := range norms {
				for i := done; i < vec.TileRows; i++ {
					n.To[i] = float32(math.Inf(1))
				}
			}
			return
		}
		panel := panels[v/vec.TileCols*vec.TileCols*columns:]
		for l := range columns {
			copy(dst[l*vec.TileRows+done:][:count], panel[l*vec.TileCols+column:])
		}
		for _, n := range norms {
			copy(n.To[done:done+count], n.Of[v:])
		}
		done += count
	}
}

// Fitted returns a slice of n elements, x if it has room.
func Fitted[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// GroupNorms are the norms of all vectors, and the destination for those of a
// group.
type GroupNorms struct {
	To *[vec.TileRows]float32
	Of []float32
}

// A Threshold is one radius in the units of the screen.
type Threshold struct {
	Exact float32 // a pair is within the radius if vec.L2Squared is at most this
	Near  float32 // a pair whose lower bound is above this is not within the radius
	Sure  float32 // a pair whose upper bound is at most this is within the radius
}

func (s *Screen) Threshold(radius float64) Threshold {
	const all = 64 // bounds of D are at most little above 4, so this admits every pair
	limit := radius * radius
	t := Threshold{Exact: RoundDown(limit)}
	relative := Gamma(s.M.Dim + 4)
	absolute := float64(s.M.Dim+2) * 0x1p-149
	t.Near = RoundUp(min(all, (limit+absolute)*s.Scale2/(1-relative)+Underflow))
	t.Sure = RoundDown(min(all, (limit-absolute)*s.Scale2/(1+relative)-Underflow))
	if 4/s.Scale2 > math.MaxFloat32/2 {
		// L2Squared may overflow to infinity, which the bounds of D do not
		// cover.
		t.Sure = -1
	}
	return t
}

// RoundDown returns the largest float32 that is not above x.
func RoundDown(x float64) float32 {
	y := float32(x)
	if float64(y) > x {
		y = math.Nextafter32(y, float32(math.Inf(-1)))
	}
	return y
}

// RoundUp returns the smallest float32 that is not below x.
func RoundUp(x float64) float32 {
	y := float32(x)
	if float64(y) < x {
		y = math.Nextafter32(y, float32(math.Inf(1)))
	}
	return y
}

// sampleTiles calls f with the first row and the first column of random tiles, and returns
// their number.
func (s *Screen) sampleTiles(f func(r, first int)) int {
	const seed = 2
	rows := s.M.Rows
	tiles := max(32, min(rows/256, 192))
	random := rand.New(rand.NewPCG(seed, 0))
	for range tiles {
		r := random.IntN(rows/vec.TileRows) * vec.TileRows
		f(r, random.IntN(rows/vec.TileCols)*vec.TileCols)
	}
	return tiles
}
