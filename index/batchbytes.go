package index

import (
	"math"

	"heavytail/storage/vec"
)

// manyQueries is the number of queries from which finding equal vectors and rounding all to
// bytes takes a small part of the time that it saves.
const manyQueries = 256

// byteRows holds the vectors of an Exact in one byte for each column, and decides which of
// them may be among the nearest of a query, by the bound of byteForm: with a step t, the
// rounding errors E(r) ≤ E of the vectors and E(q) of a query, both under L2 about a
// common centre, and under Cosine of their directions,
//
//	t·‖q(r)−q(q)‖ ≤ √D + E + E(q).
//
// Directions at a cosine c have D = 2 − 2c. A direction of length 0 has a cosine of 0 with
// all others, and a shorter distance to them than those, so it is not decided too early.
type byteRows struct {
	x      *Exact
	centre []float64 // of L2
	step   float64
	error  float64   // E
	words  []uint32  // groups of 12 vectors: the a of vec.TileBytes
	norms  []float32 // ‖q(r)‖²; NaN where the direction is unreliable, +Inf for padding
}

// bytesPay reports whether batches of many queries are answered sooner by bytes.
func bytesPay(x *Exact, opts SearchOptions) bool {
	if x.metric == Dot || x.m.Dim > byteDim {
		return false
	}
	return opts.sieve == bytesForced || vec.FastBytes() && x.m.Rows >= sieveRows
}

// newByteRows returns the bytes of the vectors of x. They take 1 byte for each element and
// 4 for each vector.
func newByteRows(x *Exact, workers int) *byteRows {
	rows, dim := x.m.Rows, x.m.Dim
	b := &byteRows{x: x, centre: make([]float64, dim)}
	if x.metric == L2 {
		b.centre = centreOf(x.m)
	}
	groups := (rows + vec.TileRows - 1) / vec.TileRows
	b.words = make([]uint32, groups*vec.TileRows*byteSteps(dim))
	b.norms = make([]float32, groups*vec.TileRows)
	parts := make([]float64, groups)
	vec.Parallel(groups, 64, workers, func(_, lo, hi int) {
		for g := lo; g < hi; g++ {
			for v := g * vec.TileRows; v < min(rows, (g+1)*vec.TileRows); v++ {
				parts[g] = max(parts[g], b.leastStep(x.m.Row(v), b.factor(v)))
			}
		}
	})
	if b.step = largest(parts); b.step == 0 {
		b.step = 1 // all vectors are at the centre
	}
	vec.Parallel(groups, 64, workers, func(_, lo, hi int) {
		for g := lo; g < hi; g++ {
			parts[g] = b.packGroup(g)
		}
	})
	b.error = math.Sqrt(largest(parts))
	return b
}

// factor is what the elements of a vector are multiplied with: under Cosine its inverse
// length, 0 where that is unreliable.
func (b *byteRows) factor(v int) float64 {
	if b.x.metric == L2 {
		return 1
	}
	if inverse := b.x.inverse[v]; !math.IsNaN(inverse) {
		return inverse
	}
	return 0
}

// leastStep returns the least step in which a vector has no element above 127 and no length
// above byteLength.
func (b *byteRows) leastStep(row []float32, by float64) float64 {
	most, norm := 0.0, 0.0
	for l, x := range row {
		d := math.Abs((float64(x) - b.centre[l]) * by)
		most = max(most, d)
		norm += d * d
	}
	return max(most/127, math.Sqrt(norm)/byteLength)
}

// packGroup packs 12 vectors, and returns the largest square of E.
func (b *byteRows) packGroup(g int) float64 {
	most, size := 0.0, vec.TileRows*byteSteps(b.x.m.Dim)
	words := b.words[g*size : (g+1)*size]
	for i := range vec.TileRows {
		v := g*vec.TileRows + i
		if v >= b.x.m.Rows {
			b.norms[v] = float32(math.Inf(1))
			continue
		}
		norm, _, off := b.round(words[i:], vec.TileRows, b.x.m.Row(v), b.factor(v))
		b.norms[v] = float32(norm)
		if b.x.metric == Cosine && math.IsNaN(b.x.inverse[v]) {
			b.norms[v] = float32(math.NaN())
		}
		most = max(most, off)
	}
	unsigned(words)
	return most
}

// round writes the bytes of a vector times a factor to every so many words, and returns the
// sum of their squares, their sum, and the square of E.
func (b *byteRows) round(words []uint32, every int, row []float32, by float64) (norm, sum int32, off float64) {
	by /= b.step
	for l, x := range row {
		y := (float64(x) - b.centre[l]) * by
		whole := max(-127, min(127, math.RoundToEven(y)))
		off += (y - whole) * (y - whole)
		q := int32(whole)
		norm += q * q
		sum += q
		words[l/4*every] |= uint32(uint8(q)) << (8 * (l % 4))
	}
	return norm, sum, off * b.step * b.step
}

// byteQueries holds the queries of a batch in the form of byteRows.
type byteQueries struct {
	rows   *byteRows
	panels []uint32              // 32 queries each: the b of vec.TileBytes
	bases  [][vec.TileCols]int32 // of vec.TileBytes
	norms  []float64             // ‖q(q)‖²; NaN for a query that is compared with all vectors
	errors []float64             // E(q)
}

func (rows *byteRows) ofQueries(queries *vec.Matrix, workers int) querySieve {
	count, steps := (queries.Rows+vec.TileCols-1)/vec.TileCols, byteSteps(queries.Dim)
	b := &byteQueries{
		rows: rows, panels: make([]uint32, count*vec.TileCols*steps), bases: make([][vec.TileCols]int32, count),
		norms: make([]float64, queries.Rows), errors: make([]float64, queries.Rows),
	}
	vec.Parallel(queries.Rows, vec.TileCols, workers, func(p, lo, hi int) {
		for i := lo; i < hi; i++ {
			by := 1.0
			if rows.x.metric == Cosine {
				by = inverseNorm(queries.Row(i))
			}
			b.norms[i] = math.NaN()
			if !(by > 0) {
				continue
			}
			norm, sum, off := rows.round(b.panel(p)[i-lo:], vec.TileCols, queries.Row(i), by)
			b.bases[p][i-lo], b.errors[i] = -128*sum, math.Sqrt(off)
			if norm < 1<<22 {
				b.norms[i] = float64(norm)
			}
		}
	})
	return b
}

// panel returns packed queries.
func (b *byteQueries) panel(p int) []uint32 {
	size := vec.TileCols * byteSteps(b.rows.x.m.Dim)
	return b.panels[p*size : (p+1)*size]
}

// column returns the column term of query i, by which vectors are skipped that are not
// within the squared distance.
func (b *byteQueries) column(i int, squared float64) float32 {
	// Errors of float64 are far below the slack. Norms and products are whole numbers below
	// 2²², so that sums below 2²⁴ are off by at most 4.
	const slack, rounding, most = 1e-9, 4, 1 << 23
	within := (math.Sqrt(max(0, squared)) + b.rows.error + b.errors[i]) / b.rows.step
	within *= within * (1 + slack)
	if !(within < most) || math.IsNaN(b.norms[i]) {
		return float32(math.Inf(-1))
	}
	return roundDown(b.norms[i] - within - rounding)
}

// near sets the bits of the pairs of 12 vectors, from one on, with panel p that may be
// among the nearest, given the column terms of the queries, and returns their number.
// products is its workspace.
func (b *byteQueries) near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, first, p int, columns *[vec.TileCols]float32) int {
	rows, steps := b.rows, byteSteps(b.rows.x.m.Dim)
	vec.TileBytes(products, steps, rows.words[first*steps:], b.panel(p), &b.bases[p])
	if !vec.TileWithin(mask, products, (*[vec.TileRows]float32)(rows.norms[first:]), columns, 0) {
		return 0
	}
	return pairsIn(mask)
}
