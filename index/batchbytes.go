package index

import (
	"context"
	"math"

	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// manyQueries is the number of queries from which finding equal vectors and rounding all to
// bytes takes a small part of the time that it saves.
const manyQueries = 256

// byteRows holds the vectors of an Exact in one byte for each column, and decides which of them may
// be among the nearest of a query. x′ is what is rounded: (x−c)·s with a common centre c under L2, the
// direction under Cosine, and x·s under Dot; the power of two s makes the longest about 1. Every vector has its own
// step, so that short vectors keep as many digits as long ones:
//
//	q_l ≈ x′_l/t(x), whole numbers from −127 to 127,  ‖x′ − t(x)·q(x)‖ = E(x) ≤ e·t(x) =: E′(x),
//
// with e the largest E(x)/t(x) of the vectors, about √(d/12) for all of them. E(y) of a query y is its own. With the
// product c = q(x)·q(y), which is exact, and P(x) = ‖t(x)·q(x)‖²,
//
//	G = P(x) + P(y) − 2·t(x)t(y)·c
//	√G − E′(x) − E(y) ≤ ‖x′−y′‖ ≤ √G + E′(x) + E(y)                      (L2, Cosine)
//	|x′·y′ − t(x)t(y)·c| ≤ t(x)‖q(x)‖·E(y) + ‖y′‖·E′(x)                  (Dot)
//
// So x is farther from y than a distance A if G > (A + E(y) + E′(x))², and x·y is below h if t(x)t(y)·c
// is below h less the error. Divided by t(x)t(y), both are, with B = A + E(y),
//
//	c < (t(x)‖q(x)‖² − e²t(x))·1/2t(y) + 1/t(x)·(P(y) − B²)/2t(y) − e·B/t(y)
//	c < −‖q(x)‖·E(y)/t(y) + 1/t(x)·h/t(y) − e·‖y′‖/t(y)
//
// a sum of two products of a number of x with one of y, and a number of y, as [vec.TileBytesNear]
// compares it. Its roundings in float32, and that of c above 2²⁴, change it by less than 16u times
// P(x)/2t(x)t(y) + (P(y)+B²)/2t(x)t(y) + e·B/t(y), or the like of Dot, by which the terms are lowered.
//
// A zero vector has a cosine of 0 with all others, as a direction perpendicular to them all would
// have: it has P = 1 and q = 0. Under Dot h is lowered by 2γ(d+16)‖x′‖‖y′‖, which bounds the errors of two
// products in float32.
type byteRows struct {
	x      *Exact
	order  []uint32  // the vectors as they are packed
	places []uint32  // of each vector in order
	centre []float64 // c; 0 but under L2
	scale  float64   // s; 1 under Cosine
	error  float64   // e
	words  []uint32  // groups of 12 vectors: the a of vec.TileBytes
	steps  []float64 // t
	sizes  []float64 // P; NaN where the direction is unreliable, so that it is always near
	terms  []vec.RowTerms
}

const (
	// leastStep is a lower bound of steps, so that the terms are far from the limits of float32.
	leastStep = 0x1p-40
	// zeroStep is that of the direction of a zero vector, so that e·zeroStep is negligible.
	zeroStep = 0x1p-12
)

// bytesPay reports whether batches of many queries are answered sooner by bytes.
func bytesPay(x *Exact, opts SearchOptions) bool {
	return x.m.Dim <= screen.ByteDim && (opts.sieve == bytesForced || vec.FastBytes() && x.m.Rows >= screen.SieveRows)
}

// newByteRows returns the bytes of the vectors of x. They take 1 byte for each element and
// 32 for each vector.
func newByteRows(ctx context.Context, x *Exact, workers int) *byteRows {
	rows, dim := x.m.Rows, x.m.Dim
	b := &byteRows{x: x, centre: make([]float64, dim), scale: 1, order: byPlace(x), places: make([]uint32, rows)}
	for i, v := range b.order {
		b.places[v] = uint32(i)
	}
	if x.metric == L2 {
		b.centre = screen.CentreOf(x.m)
	}
	if x.metric != Cosine {
		_, exponent := math.Frexp(screen.Longest(ctx, x.m, b.centre, workers))
		b.scale = math.Ldexp(1, -exponent)
	}
	groups := (rows + vec.TileRows - 1) / vec.TileRows
	b.words = make([]uint32, groups*vec.TileRows*screen.ByteSteps(dim))
	b.steps, b.sizes = make([]float64, rows), make([]float64, rows)
	b.terms = make([]vec.RowTerms, groups)
	errors := make([]float64, groups)
	vec.Parallel(groups, 64, workers, func(_, lo, hi int) {
		for g := lo; g < hi; g++ {
			errors[g] = b.packGroup(g)
		}
	})
	b.error = screen.Largest(errors)
	vec.Parallel(groups, 64, workers, func(_, lo, hi int) {
		for g := lo; g < hi; g++ {
			b.setTerms(g)
		}
	})
	return b
}

// packGroup packs 12 vectors, and returns the largest E/t.
func (b *byteRows) packGroup(g int) float64 {
	most, size := 0.0, vec.TileRows*screen.ByteSteps(b.x.m.Dim)
	words := b.words[g*size : (g+1)*size]
	for v := g * vec.TileRows; v < min((g+1)*vec.TileRows, b.x.m.Rows); v++ {
		by, row := b.scale, b.order[v]
		if b.x.metric == Cosine {
			if by = b.x.inverse[row]; !(by > 0) {
				b.steps[v], b.sizes[v] = zeroStep, 1+by // NaN stays
				continue
			}
		}
		r := b.round(words[v%vec.TileRows:], vec.TileRows, b.x.m.Row(int(row)), by)
		b.steps[v], b.sizes[v] = r.step, r.size
		most = max(most, r.error)
	}
	screen.Unsigned(words)
	return most
}

// setTerms sets the terms of 12 vectors.
func (b *byteRows) setTerms(g int) {
	terms := &b.terms[g]
	for i := range vec.TileRows {
		v := g*vec.TileRows + i
		if v >= b.x.m.Rows {
			terms[0][i] = math.MaxFloat32 / 4 // is never near
			continue
		}
		t, size := b.steps[v], b.sizes[v]
		first := size*(1-16*screen.Unit)/t - b.error*b.error*t
		if b.x.metric == Dot {
			first = -math.Sqrt(size)*(1+16*screen.Unit)/t - b.error
		}
		terms[0][i], terms[1][i] = screen.RoundDown(first), float32(1/t)
	}
}

// rounded is what round knows of a vector.
type rounded struct {
	step, size float64 // t and P
	error      float64 // E/t
	sum        int32   // of the bytes
}

// round writes the bytes of x′, with so many factors of x, to every so many words.
func (b *byteRows) round(words []uint32, every int, row []float32, by float64) rounded {
	// An element in steps is off by at most 2⁻⁴⁴; 64 times that is below the slack.
	const (
		slack   = 1e-10
		nearest = 3 << 51 // a float64 of this size has no fraction
	)
	bits := uint64(0)
	centre := b.centre[:len(row)]
	for l, x := range row { // the bits of positive numbers ascend as these do
		bits = max(bits, math.Float64bits(float64(x)-centre[l])&^(1<<63))
	}
	r := rounded{step: max(leastStep, math.Float64frombits(bits)*by/127)}
	by /= r.step
	norm := int32(0)
	for l := 0; l < len(row); l += 4 {
		word := uint32(0)
		for i, x := range row[l:min(l+4, len(row))] {
			y := (float64(x) - centre[l+i]) * by
			whole := y + nearest - nearest
			off := y - whole
			r.error += off * off
			q := int32(whole)
			norm += q * q
			r.sum += q
			word |= uint32(uint8(q)) << (8 * i)
		}
		words[l/4*every] = word
	}
	r.size = float64(norm) * r.step * r.step
	r.error = math.Sqrt(r.error) + slack
	return r
}

// byteQueries holds the queries of a batch in the form of byteRows.
type byteQueries struct {
	rows    *byteRows
	panels  []uint32              // 32 queries each: the b of vec.TileBytes
	bases   [][vec.TileCols]int32 // of vec.TileBytes
	queries []byteQuery
	steps   []float64 // t of each, with padding
}

// byteQuery is one query. odd is one that is compared with all vectors.
type byteQuery struct {
	step, inverse, size, error float64 // t, 1/t, P and E
	scale                      float64 // of products under Dot, of distances otherwise
	odd                        bool
}

func (b *byteRows) ofQueries(queries *vec.Matrix, workers int) querySieve {
	const most = 0x1p60 // of P, so that the terms are far from the limits of float32
	count, steps := (queries.Rows+vec.TileCols-1)/vec.TileCols, screen.ByteSteps(queries.Dim)
	q := &byteQueries{
		rows: b, panels: make([]uint32, count*vec.TileCols*steps), bases: make([][vec.TileCols]int32, count),
		queries: make([]byteQuery, queries.Rows), steps: make([]float64, count*vec.TileCols),
	}
	vec.Parallel(queries.Rows, vec.TileCols, workers, func(p, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, by, scale := queries.Row(i), b.scale, b.scale
			switch b.x.metric {
			case Cosine:
				by = inverseNorm(row)
			case Dot:
				_, exponent := math.Frexp(norm64(row))
				by = math.Ldexp(1, -exponent)
				scale *= by
			}
			q.queries[i].odd = true
			if !(by > 0) {
				continue
			}
			r := b.round(q.panel(p)[i-lo:], vec.TileCols, row, by)
			q.bases[p][i-lo], q.steps[i] = -128*r.sum, r.step
			q.queries[i] = byteQuery{step: r.step, inverse: 1 / r.step, size: r.size, error: r.error * r.step, scale: scale, odd: !(r.size < most)}
		}
	})
	return q
}

// panel returns packed queries.
func (b *byteQueries) panel(p int) []uint32 {
	size := vec.TileCols * screen.ByteSteps(b.rows.x.m.Dim)
	return b.panels[p*size : (p+1)*size]
}

func (b *byteQueries) limit(columns *vec.ColumnTerms, j, i int, far float64) {
	const (
		most   = 0x1p100 // of far
		widest = 0x1p80  // of its square, so that the terms are far from the limits of float32
		up     = 1 + 16*screen.Unit
	)
	infinite := float32(math.Inf(1))
	if i >= len(b.queries) {
		columns[0][j], columns[1][j], columns[2][j] = 1, 0, infinite
		return
	}
	q := &b.queries[i]
	first, second, third, square := q.inverse/2, 0.0, 0.0, 0.0
	if b.rows.x.metric == Dot {
		least, length := far/2*q.scale, math.Sqrt(q.size)+q.error
		first = (q.error + (2*screen.Gamma(b.rows.x.m.Dim+16)+16*screen.Unit)*length) * q.inverse
		second = (-least - 16*screen.Unit*math.Abs(least)) * q.inverse
		third, square = b.rows.error*length*q.inverse, least*least
	} else {
		within := math.Sqrt(max(0, far))*q.scale + q.error
		square = within * within
		second = (q.size*(1-16*screen.Unit) - square*up) * q.inverse / 2
		third = b.rows.error * within * q.inverse
	}
	if q.odd || !(math.Abs(far) < most && square < widest) {
		columns[0][j], columns[1][j], columns[2][j] = 1, 0, -infinite
		return
	}
	columns[0][j], columns[1][j], columns[2][j] = float32(first), float32(second), float32(-third*up-1)
}

func (b *byteQueries) near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, first, p int, columns *vec.ColumnTerms) int {
	rows, steps := b.rows, screen.ByteSteps(b.rows.x.m.Dim)
	if !vec.TileBytesNear(mask, products, steps, rows.words[first*steps:], b.panel(p), &b.bases[p], &rows.terms[first/vec.TileRows], columns) {
		return 0
	}
	return screen.PairsIn(mask)
}

func (b *byteQueries) estimate(estimates *[vec.TileCols]float64, p, place int, products *[vec.TileCols]float32) {
	size, by := b.rows.sizes[place], 2*b.rows.steps[place]
	if b.rows.x.metric == Dot {
		size = 0
	}
	if size != size {
		size = math.Inf(1)
	}
	for j, step := range b.steps[p*vec.TileCols:][:vec.TileCols] {
		estimates[j] = size - float64(products[j])*by*step
	}
}

func (b *byteQueries) far(i int, estimate float64) float64 {
	const longest = 1.0 / 127 // step of a vector under Dot
	q := &b.queries[i]
	if b.rows.x.metric == Dot {
		off := 2 * (q.error + b.rows.error*longest*math.Sqrt(q.size))
		return (estimate + 2*off) / q.scale
	}
	root := (math.Sqrt(max(0, estimate+q.size)) + 2*(q.error+b.rows.error*q.step)) / q.scale
	return root * root
}
