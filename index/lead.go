package index

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"heavytail/storage/vec"
)

// A lead is a short form of every row that tells most pairs apart: its products
// with a few directions along which the rows spread, and the length of what
// these leave over. With a matrix Q of directions and x″ the short form of x,
//
//	x″ = (Q·x′, ρ(x)),  ρ(x)² = ‖x′‖² − ‖Q·x′‖²,
//
// no two rows are nearer than their short forms: if ‖Q‖ ≤ 1, ρ is a seminorm,
// so |ρ(x)−ρ(y)| ≤ ρ(x−y), and
//
//	‖x″−y″‖² ≤ ‖Q·(x′−y′)‖² + ρ(x−y)² = ‖x′−y′‖² = D.
//
// So ‖x″−y″‖² above a limit settles that D is. It is computed as the screen
// computes D, and lowered norms make a lower bound of it by the same proof, with
// one thing to add: x″ is computed in float64 before it is rounded. Products are
// off by d·2⁻⁵³·‖x′‖, and ρ, the root of a difference, by at most the root of
// 3d·2⁻⁵³·‖x′‖². All of it is below η·‖x′‖ with η² = 4d·2⁻⁵³, and together with
// one rounding to float32 the length of x″−y″ is off by at most
// (η+1.01u)(√p+√q), its square, since √D ≤ √p+√q, by 4.1(η+1.01u)(p+q).
//
// Directions need not be principal axes, nor at right angles, for the bound to
// hold, only for it to be good. They are the principal axes of a sample of rows
// about the centre, each row divided by √(‖x′‖²+r²). Without that the longest
// rows alone would choose, which are far from all others anyway.
type lead struct {
	cols   int       // directions and one
	few    int       // up to so many pairs of a tile are measured one by one
	panels []float32 // as those of the screen
	low    []float32 // lowered norms of the short forms, rounded down
}

const (
	leadRows = 4096 // choosing directions for fewer takes over a tenth of the time of comparing them
	leadDim  = 1024 // the covariance of more columns would take more than 8 MB

	// What comparing a tile with a limit, leaving it for its pairs, and measuring
	// one of them cost, in columns of a tile product, 4.4 ns each on a Xeon
	// (Sapphire Rapids).
	withinCost     = 6
	leaveCost      = 5
	aloneCost      = 2
	alonePerColumn = 1.0 / 80
)

// leadSizes are the numbers of directions to choose from. With the length of the
// rest a short form has a multiple of 8 columns.
func leadSizes() []int { return []int{7, 15, 23, 31, 47, 63} }

// newLead returns a lead for pairs within a threshold, or nil where a sample
// tells that comparing all columns costs no more. directions asks for a number of
// them without a look at costs, none if it is negative; 0 leaves the choice here.
func newLead(ctx context.Context, s *screen, t threshold, directions, workers int) *lead {
	rows, dim := s.m.Rows, s.m.Dim
	if directions < 0 || rows == 0 || dim == 0 || (directions == 0 && (rows < leadRows || dim > leadDim)) {
		return nil
	}
	most := directions
	if directions == 0 {
		for _, size := range leadSizes() {
			// The directions have to cost little beside the pairs.
			if 2*size <= dim && 128*size <= rows {
				most = size
			}
		}
		if most == 0 {
			return nil
		}
	}
	q := s.directions(min(most, dim), float64(t.near), workers)
	if q == nil || ctx.Err() != nil {
		return nil
	}
	if directions == 0 {
		size := s.tryLeads(q, float64(t.near))
		if size == 0 {
			return nil
		}
		q = q[:size]
	}
	count := (rows + vec.TileCols - 1) / vec.TileCols
	l := &lead{cols: len(q) + 1, few: few(dim)}
	l.panels = make([]float32, count*vec.TileCols*l.cols)
	l.low = make([]float32, count*vec.TileCols)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		row, short := make([]float64, dim), make([]float64, l.cols)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			l.pack(s, q, p, row, short)
		}
	})
	return l
}

// few returns how many pairs of a tile take less time one by one than the tile.
func few(dim int) int {
	return int(float64(dim+withinCost) / (aloneCost + float64(dim)*alonePerColumn))
}

// scaledRow sets dst to x′ of row v, not rounded to float32.
func (s *screen) scaledRow(dst []float64, v int) {
	for l, x := range s.m.Row(v) {
		dst[l] = (float64(x) - s.centre[l]) * s.scale
	}
}

// shorten sets short to the products of a row with the directions and, last, what
// they leave over of the square of its length, which it returns.
func shorten(short, row []float64, q [][]float64) float64 {
	norm := vec.Dot64(row, row)
	rest := norm
	for l, direction := range q {
		short[l] = vec.Dot64(direction, row)
		rest -= short[l] * short[l]
	}
	short[len(q)] = max(0, rest)
	return norm
}

// pack fills panel p. Columns are in ascending order of what they weigh, as
// those of the screen are: the rest, which is most of a row, is last.
func (l *lead) pack(s *screen, q [][]float64, p int, row, short []float64) {
	panel := l.panel(p)
	drift := math.Sqrt(4 * float64(s.m.Dim) * 0x1p-53)
	for j := range vec.TileCols {
		v := p*vec.TileCols + j
		if v >= s.m.Rows {
			l.low[v] = float32(math.Inf(1))
			continue
		}
		s.scaledRow(row, v)
		length := shorten(short, row, q)
		short[len(q)] = math.Sqrt(short[len(q)])
		norm, roundings := 0.0, 0.0
		for i := range l.cols {
			y := float32(short[i])
			if i < len(q) {
				y = float32(short[len(q)-1-i])
			}
			panel[i*vec.TileCols+j] = y
			square := float64(y) * float64(y)
			norm += square
			roundings += square * float64(l.cols-i+1)
		}
		margin := roundings*gamma(l.cols+2)/float64(l.cols+2) + (5*drift+8*unit)*max(norm, length)
		l.low[v] = roundDown(norm - margin)
	}
}

// panel returns the packed short forms of the rows [32p, 32p+32).
func (l *lead) panel(p int) []float32 {
	size := vec.TileCols * l.cols
	return l.panels[p*size : (p+1)*size]
}

// directions returns orthonormal directions, ‖Q‖ ≤ 1, those along which a sample
// of rows spreads most first, or nil if it has no such. Rows shorter than the
// root of limit count less.
func (s *screen) directions(count int, limit float64, workers int) [][]float64 {
	const most, rounds, seed = 512, 4, 1
	dim := s.m.Dim
	sample := vec.NewMatrix(min(s.m.Rows, most), dim)
	row := make([]float64, dim)
	for i := range sample.Rows {
		s.scaledRow(row, int(int64(i)*int64(s.m.Rows)/int64(sample.Rows)))
		by := 1 / math.Sqrt(vec.Dot64(row, row)+limit+underflow)
		for l, x := range row {
			sample.Row(i)[l] = float32(x * by)
		}
	}
	panel := vec.Panel{Data: sample.Data, Rows: sample.Rows, Cols: dim, Stride: dim}
	spread := make([]float64, dim*dim)
	vec.MulTN(spread, panel, panel, workers)

	// Orthogonal iteration. It need not converge: a direction that is somewhat
	// off leaves somewhat more pairs over.
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
	// What rounding has left of the directions' products with each other is far
	// below 1e-10, and they are shortened by that so that ‖Q‖ ≤ 1 holds in fact.
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

// orthonormalise makes vectors orthonormal in turn; twice, since once leaves
// what rounding has left of vectors that are nearly dependent. Where there are
// fewer dimensions than vectors the last are noise that has been taken apart.
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

// tryLeads returns the number of directions that makes a sample of tiles cheapest,
// or 0 if comparing all columns at once costs at most a little more.
func (s *screen) tryLeads(q [][]float64, limit float64) int {
	const seed = 2
	rows, dim := s.m.Rows, s.m.Dim
	tiles := max(32, min(rows/256, 192))
	random := rand.New(rand.NewPCG(seed, 0))
	sizes := leadSizes()
	cost := make([]float64, len(sizes))
	row := make([]float64, dim)
	var short [vec.TileRows + vec.TileCols][]float64
	var norms [len(short)]float64
	for i := range short {
		short[i] = make([]float64, len(q)+1)
	}
	full := float64(dim + withinCost)
	for range tiles {
		r := random.IntN(rows/vec.TileRows) * vec.TileRows
		first := random.IntN(rows/vec.TileCols) * vec.TileCols
		for i := range short {
			v := r + i
			if i >= vec.TileRows {
				v = first + i - vec.TileRows
			}
			s.scaledRow(row, v)
			norms[i] = shorten(short[i], row, q)
		}
		var near [8]int
		for i := range vec.TileRows {
			for j := vec.TileRows; j < len(short); j++ {
				countNear(near[:len(sizes)], short[i], short[j], norms[i], norms[j], sizes, limit)
			}
		}
		for c := range sizes {
			switch {
			case near[c] == 0:
			case near[c] <= few(dim):
				cost[c] += leaveCost + float64(near[c])*(aloneCost+float64(dim)*alonePerColumn)
			default:
				cost[c] += leaveCost + full
			}
		}
	}
	best, least := 0, 0.75*full
	for c, size := range sizes {
		if total := float64(size+1+withinCost) + cost[c]/float64(tiles); size <= len(q) && total < least {
			best, least = size, total
		}
	}
	return best
}

// countNear adds 1 to each of the sizes whose short forms do not settle a pair.
// norms are the squares of the lengths of the rows.
func countNear(near []int, a, b []float64, normA, normB float64, sizes []int, limit float64) {
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
			return // as are all larger sizes
		}
		if d+rest*rest <= limit {
			near[c]++
		}
	}
}

// pairsIn returns how many bits of a tile are set.
func pairsIn(near *[vec.TileRows]uint32) int {
	n := 0
	for _, word := range near {
		n += bits.OnesCount32(word)
	}
	return n
}
