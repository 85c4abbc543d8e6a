package screen

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"heavytail/storage/vec"
)

// A projection maps every vector to a few numbers that decide most pairs: its products
// with a few directions along which the vectors spread, and the length of the remainder.
// With a matrix Q of directions and x″ the projection of x,
//
//	x″ = (Q·x′, ρ(x)),  ρ(x)² = ‖x′‖² − ‖Q·x′‖²,
//
// no two vectors are nearer than their projections: if ‖Q‖ ≤ 1, ρ is a seminorm,
// so |ρ(x)−ρ(y)| ≤ ρ(x−y), and
//
//	‖x″−y″‖² ≤ ‖Q·(x′−y′)‖² + ρ(x−y)² = ‖x′−y′‖² = D.
//
// So D is above a limit if ‖x″−y″‖² is. ‖x″−y″‖² is computed as the screen
// computes D, and lowered norms give a lower bound of it by the same proof,
// with one more error: x″ is computed in float64 before it is rounded. The
// error of the products is at most d·2⁻⁵³·‖x′‖, and that of ρ, the root of a
// difference, at most the root of 3d·2⁻⁵³·‖x′‖². Together they are below
// η·‖x′‖ with η² = 4d·2⁻⁵³, and with one rounding to float32 the error of the
// length of x″−y″ is at most (η+1.01u)(√p+√q), and that of its square, since
// √D ≤ √p+√q, at most 4.1(η+1.01u)(p+q).
//
// The bound holds for any directions, but it is tight only for good ones. They
// are the principal axes of a sample of vectors about the centre, each vector
// divided by √(‖x′‖²+r²). Without the division the longest vectors alone would
// determine the directions, and these are far from all others anyway.
type projection struct {
	cols   int       // number of directions plus one
	limit  float32   // of ‖x″−y″‖²
	panels []float32 // as those of the screen
	low    []float32 // lowered norms of the projections, rounded down
}

const (
	ProjectionRows = 4096 // choosing directions for fewer takes over a tenth of the time of comparing them
	ProjectionDim  = 1024 // the covariance of more columns would take more than 8 MB
)

// ProjectionSizes are the numbers of directions to choose from. With the length of the
// remainder a projection has a multiple of 8 columns.
func ProjectionSizes() []int { return []int{7, 15, 23, 31, 47, 63} }

// fewestDirections returns directions whose projections cost the least for a sample of
// tiles, or nil if they cost as much as the least cost that is known.
func (s *Screen) fewestDirections(limit, least float64, workers int) [][]float64 {
	rows, dim := s.M.Rows, s.M.Dim
	if rows < ProjectionRows || dim > ProjectionDim {
		return nil
	}
	most := 0
	for _, size := range ProjectionSizes() {
		// The cost of the directions must be small compared with that of
		// the pairs.
		if 2*size <= dim && 128*size <= rows {
			most = size
		}
	}
	if most == 0 {
		return nil
	}
	q := s.Directions(most, limit, workers)
	if size := s.tryProjections(q, limit, least); size > 0 {
		return q[:size]
	}
	return nil
}

// newProjection returns the projections on directions, for pairs within a limit.
func newProjection(ctx context.Context, s *Screen, limit float64, q [][]float64, workers int) *projection {
	rows, dim := s.M.Rows, s.M.Dim
	count := (rows + vec.TileCols - 1) / vec.TileCols
	l := &projection{cols: len(q) + 1, limit: float32(limit)}
	l.panels = make([]float32, count*vec.TileCols*l.cols)
	l.low = make([]float32, count*vec.TileCols)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		row, short := make([]float64, dim), make([]float64, l.cols)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			l.packPanel(s, q, p, row, short)
		}
	})
	return l
}

func (l *projection) Pack(group *Group, r int) {
	group.columns = Fitted(group.columns, vec.TileRows*l.cols)
	PackGroup(group.columns, l.panels, l.cols, r, GroupNorms{To: &group.Norms, Of: l.low})
}

func (l *projection) Near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *Group, p int) bool {
	vec.Tile(products, l.cols, group.columns, 1, vec.TileRows, l.panel(p))
	return vec.TileWithin(mask, products, &group.Norms, (*[vec.TileCols]float32)(l.low[p*vec.TileCols:]), l.limit)
}

// ScaledRow sets dst to x′ of vector v, not rounded to float32.
func (s *Screen) ScaledRow(dst []float64, v int) { s.Scaled(dst, s.M.Row(v)) }

// Scaled sets dst to x′ of a vector x.
func (s *Screen) Scaled(dst []float64, x []float32) {
	for l, x := range x {
		dst[l] = (float64(x) - s.centre[l]) * s.Scale
	}
}

// Shorten sets short to the products of a vector with the directions and,
// last, the part of its squared length that they do not cover, which it
// returns.
func Shorten(short, row []float64, q [][]float64) float64 {
	norm := vec.Dot64(row, row)
	rest := norm
	for l, direction := range q {
		short[l] = vec.Dot64(direction, row)
		rest -= short[l] * short[l]
	}
	short[len(q)] = max(0, rest)
	return norm
}

// packPanel fills panel p.
func (l *projection) packPanel(s *Screen, q [][]float64, p int, row, short []float64) {
	panel := l.panel(p)
	for j := range vec.TileCols {
		v := p*vec.TileCols + j
		if v >= s.M.Rows {
			l.low[v] = float32(math.Inf(1))
			continue
		}
		s.ScaledRow(row, v)
		l.low[v] = Shortened(panel[j:], vec.TileCols, s, q, row, short)
	}
}

// Shortened writes the projection of x′, which is in row, to every so many elements of to, and
// returns its lowered norm. Columns are in ascending order of their weight, as in the screen: the
// remainder, which is most of a vector, is last. short is its workspace.
func Shortened(to []float32, every int, s *Screen, q [][]float64, row, short []float64) float32 {
	drift, cols := math.Sqrt(4*float64(s.M.Dim)*0x1p-53), len(q)+1
	length := Shorten(short, row, q)
	short[len(q)] = math.Sqrt(short[len(q)])
	norm, roundings := 0.0, 0.0
	for i := range cols {
		y := float32(short[i])
		if i < len(q) {
			y = float32(short[len(q)-1-i])
		}
		to[i*every] = y
		square := float64(y) * float64(y)
		norm += square
		roundings += square * float64(cols-i+1)
	}
	margin := roundings*Gamma(cols+2)/float64(cols+2) + (5*drift+8*Unit)*max(norm, length)
	return RoundDown(norm - margin)
}

// panel returns the packed projections of the vectors [32p, 32p+32).
func (l *projection) panel(p int) []float32 {
	size := vec.TileCols * l.cols
	return l.panels[p*size : (p+1)*size]
}

// Directions returns orthonormal directions, ‖Q‖ ≤ 1, in descending order of
// the spread of a sample of vectors, or nil if there are none. Vectors shorter
// than the root of limit count less.
func (s *Screen) Directions(count int, limit float64, workers int) [][]float64 {
	const most, rounds, seed = 512, 4, 1
	dim := s.M.Dim
	sample := vec.NewMatrix(min(s.M.Rows, most), dim)
	row := make([]float64, dim)
	for i := range sample.Rows {
		s.ScaledRow(row, int(int64(i)*int64(s.M.Rows)/int64(sample.Rows)))
		by := 1 / math.Sqrt(vec.Dot64(row, row)+limit+Underflow)
		for l, x := range row {
			sample.Row(i)[l] = float32(x * by)
		}
	}
	panel := vec.Panel{Data: sample.Data, Rows: sample.Rows, Cols: dim, Stride: dim}
	spread := make([]float64, dim*dim)
	vec.MulTN(spread, panel, panel, workers)

	// Orthogonal iteration. It need not converge: a direction that is slightly
	// off leaves slightly more pairs to measure.
	random := rand.New(rand.NewPCG(seed, 0))
	q, next := make([][]float64, count), make([][]float64, count)
	for i := range q {
		q[i], next[i] = make([]float64, dim), make([]float64, dim)
		for l := range dim {
			q[i][l] = random.NormFloat64()
		}
	}
	for range rounds {
		for i := range q {
			for l := range dim {
				next[i][l] = vec.Dot64(spread[l*dim:(l+1)*dim], q[i])
			}
		}
		q, next = next, q
		orthonormalise(q)
	}
	// The products of the directions with each other are rounding errors far
	// below 1e-10. The directions are shortened by that amount so that ‖Q‖ ≤ 1
	// holds exactly.
	const slack = 1e-10
	off := 0.0
	for i := range q {
		for j := range i + 1 {
			product := vec.Dot64(q[i], q[j])
			if i == j {
				product--
			}
			off += 2 * product * product
		}
	}
	if !(math.Sqrt(off) < slack) {
		return nil
	}
	for i := range q {
		for l := range q[i] {
			q[i][l] *= 1 - slack
		}
	}
	return q
}

// orthonormalise makes vectors orthonormal in turn; twice, since one pass
// leaves rounding errors in vectors that are nearly dependent. If there are
// fewer dimensions than vectors, the last vectors are rounding errors.
func orthonormalise(q [][]float64) {
	for i := range q {
		for range 2 {
			scale(q[i])
			for j := range i {
				vec.Axpy64(-vec.Dot64(q[i], q[j]), q[j], q[i])
			}
		}
		scale(q[i])
	}
}

// scale brings a vector to length 1.
func scale(x []float64) {
	by := 1 / math.Sqrt(vec.Dot64(x, x))
	for l := range x {
		x[l] *= by
	}
}

// tryProjections returns the number of directions with the lowest cost for a sample of
// tiles, or 0 if none costs less than the given cost.
func (s *Screen) tryProjections(q [][]float64, limit, least float64) int {
	dim := s.M.Dim
	sizes := ProjectionSizes()
	cost := make([]float64, len(sizes))
	row := make([]float64, dim)
	var short [vec.TileRows + vec.TileCols][]float64
	var norms [len(short)]float64
	for i := range short {
		short[i] = make([]float64, len(q)+1)
	}
	tiles := s.sampleTiles(func(r, first int) {
		for i := range short {
			v := r + i
			if i >= vec.TileRows {
				v = first + i - vec.TileRows
			}
			s.ScaledRow(row, v)
			norms[i] = Shorten(short[i], row, q)
		}
		var near [8]int
		for i := range vec.TileRows {
			for j := vec.TileRows; j < len(short); j++ {
				CountNear(near[:len(sizes)], short[i], short[j], norms[i], norms[j], sizes, limit)
			}
		}
		for c := range sizes {
			cost[c] += LeftCost(near[c], dim)
		}
	})
	best := 0
	for c, size := range sizes {
		if total := float64(size+1+WithinCost) + cost[c]/float64(tiles); size <= len(q) && total < least {
			best, least = size, total
		}
	}
	return best
}

// CountNear adds 1 to each of the sizes whose projections do not decide a
// pair. norms are the squared lengths of the vectors.
func CountNear(near []int, a, b []float64, normA, normB float64, sizes []int, limit float64) {
	d, restA, restB, at := 0.0, normA, normB, 0
	for c, size := range sizes {
		if size >= len(a) {
			return
		}
		for ; at < size; at++ {
			d += (a[at] - b[at]) * (a[at] - b[at])
			restA -= a[at] * a[at]
			restB -= b[at] * b[at]
		}
		rest := math.Sqrt(max(0, restA)) - math.Sqrt(max(0, restB))
		if d > limit {
			return // larger sizes decide it too
		}
		if d+rest*rest <= limit {
			near[c]++
		}
	}
}

// PairsIn returns how many bits of a tile are set.
func PairsIn(near *[vec.TileRows]uint32) int {
	n := 0
	for _, word := range near {
		n += bits.OnesCount32(word)
	}
	return n
}
