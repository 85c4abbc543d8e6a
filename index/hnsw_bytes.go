package index

import (
	"context"
	"math"
	"math/bits"

	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// byteOrder holds the vectors of some vertices in one byte for each element, in the order in which they
// are linked. Products of tiles of them find the candidates for links of many vertices at a time.
// Each vector x has its own step t, so that short ones keep as many digits as long ones: with a centre c
// of all and whole numbers q from −127 to 127, x − c is about t·q, and
//
//	‖x−y‖² ≈ P(x) + P(y) − 2·t(x)t(y)·q(x)·q(y),  P = ‖t·q‖².
//
// The vectors are those that the links are for: directions under Cosine, of equal length under Dot, so
// that the nearest by this distance are the nearest under every metric.
type byteOrder struct {
	h      *HNSW
	order  []uint32
	spare  []float32 // see HNSW.spare
	scale  float64   // of L2 and Dot: a power of two, by which all elements are below 1
	centre []float64

	steps  int                   // of vec.TileBytesNear, four elements each
	panels []uint32              // 32 vectors each
	bases  [][vec.TileCols]int32 // of vec.TileBytesNear, of each panel
	terms  []vec.ColumnTerms     // of each panel: 1/t, P/t and 0
	step   []float32             // t
	size   []float32             // P
}

// newByteOrder packs the vectors of some vertices.
func newByteOrder(h *HNSW, order []uint32, spare []float32, workers int) *byteOrder {
	const sample, block = 1024, 8
	dim := h.Dim()
	if spare != nil {
		dim++
	}
	count := (len(order) + vec.TileCols - 1) / vec.TileCols
	o := &byteOrder{
		h: h, order: order, spare: spare, scale: h.byteScale(), centre: make([]float64, dim), steps: screen.ByteSteps(dim),
		bases: make([][vec.TileCols]int32, count), terms: make([]vec.ColumnTerms, count),
		step: make([]float32, len(order)), size: make([]float32, len(order)),
	}
	o.panels = vec.Zeros[uint32](count * vec.TileCols * o.steps)
	row, sums := make([]float64, dim), make([]float64, dim)
	few := min(len(order), sample)
	for i := range few {
		o.row(row, order[i*len(order)/few])
		for l, x := range row {
			sums[l] += x
		}
	}
	for l, s := range sums {
		o.centre[l] = s / float64(few)
	}
	vec.Parallel(count, block, workers, func(_, lo, hi int) {
		row := make([]float64, dim)
		for i := lo * vec.TileCols; i < min(hi*vec.TileCols, len(order)); i++ {
			o.pack(i, row)
		}
	})
	return o
}

// byteScale is the scale of a byteOrder.
func (h *HNSW) byteScale() float64 {
	if h.Metric() == Cosine {
		return 1
	}
	most := uint32(0)
	for _, x := range h.exact.m.Data {
		most = max(most, math.Float32bits(x)&^(1<<31)) // bits ascend as positive numbers do
	}
	_, exponent := math.Frexp(float64(math.Float32frombits(most)))
	return math.Ldexp(1, -exponent)
}

// row sets row to the vector of a vertex less the centre.
func (o *byteOrder) row(row []float64, v uint32) {
	by, vector := o.scale, o.h.exact.m.Row(int(v))
	if o.h.Metric() == Cosine {
		if by = o.h.exact.inverse[v]; math.IsNaN(by) {
			by = 1 / norm64(vector)
		}
	}
	for l, x := range vector {
		row[l] = float64(x)*by - o.centre[l]
	}
	if l := len(vector); l < len(row) {
		row[l] = float64(o.spare[v])*by - o.centre[l]
	}
}

// pack packs the vector at a place of the order; row is workspace.
func (o *byteOrder) pack(i int, row []float64) {
	const least = 0x1p-40 // so that the terms are far from the limits of float32
	o.row(row, o.order[i])
	most := least
	for _, x := range row {
		most = max(most, math.Abs(x))
	}
	p, j, t := i/vec.TileCols, i%vec.TileCols, most/127
	words, norm, sum := o.panel(p), int32(0), int32(0)
	for l, x := range row {
		q := int32(math.RoundToEven(x / t))
		norm += q * q
		sum += q
		words[l/4*vec.TileCols+j] |= uint32(uint8(q)) << (8 * (l % 4))
	}
	o.bases[p][j] = -128 * sum
	o.step[i], o.size[i] = float32(t), float32(float64(norm)*t*t)
	o.terms[p][0][j], o.terms[p][1][j] = float32(1/t), float32(float64(norm)*t)
}

// panel returns the packed vectors [32p, 32p+32).
func (o *byteOrder) panel(p int) []uint32 {
	size := vec.TileCols * o.steps
	return o.panels[p*size : (p+1)*size]
}

// byteBlock is how many vertices go through all others at a time: so many that the reading of the others
// takes little, and so few that their packed vectors and candidates stay in the second-level cache.
const byteBlock = 16 * vec.TileRows

// byteSearch finds the nearest of a block of vertices. It is the workspace of one worker.
type byteSearch struct {
	words    []uint32 // groups of 12 vectors: the a of vec.TileBytesNear
	terms    [byteBlock / vec.TileRows]vec.RowTerms
	best     [byteBlock][]candidate // of places in the order, in any order
	products [vec.TileRows * vec.TileCols]float32
}

// nearest leaves in best the k nearest of each of the vertices at the places [lo, hi), a block, among the
// others before end, by the distances of bytes. turn passes now and then.
func (s *byteSearch) nearest(ctx context.Context, turn *vec.Turn, o *byteOrder, lo, hi, end, k int) {
	const often = 64 // panels
	groups := (hi - lo + vec.TileRows - 1) / vec.TileRows
	size := vec.TileRows * o.steps
	s.words = screen.Fitted(s.words, groups*size)
	for g := range groups {
		s.begin(o, s.words[g*size:(g+1)*size], g, lo+g*vec.TileRows, hi)
	}
	var mask [vec.TileRows]uint32
	for p := 0; p*vec.TileCols < end; p++ {
		if p%often == 0 {
			if turn.Pass(); ctx.Err() != nil {
				return
			}
		}
		panel := o.panel(p)
		for g := range groups {
			if !vec.TileBytesNear(&mask, &s.products, o.steps, s.words[g*size:(g+1)*size], panel, &o.bases[p], &s.terms[g], &o.terms[p]) {
				continue
			}
			for i, near := range mask[:min(vec.TileRows, hi-lo-g*vec.TileRows)] {
				if near != 0 {
					s.offer(o, g, i, lo, p, end, k, near)
				}
			}
		}
	}
	for i, best := range s.best[:hi-lo] {
		if len(best) > k {
			kth(best, k)
			s.best[i] = best[:k]
		}
	}
}

// begin packs group g, whose first vertex is at a place, for a search of all others.
func (s *byteSearch) begin(o *byteOrder, words []uint32, g, first, hi int) {
	terms := &s.terms[g]
	for i := range vec.TileRows {
		at := first + i
		if at >= hi {
			terms[0][i], terms[1][i] = math.MaxFloat32/4, 0 // nothing is near
			continue
		}
		from := o.panel(at / vec.TileCols)[at%vec.TileCols:]
		for l := range o.steps {
			words[l*vec.TileRows+i] = from[l*vec.TileCols]
		}
		terms[0][i], terms[1][i] = -math.MaxFloat32/4, 0.5/o.step[at] // all are near
		s.best[g*vec.TileRows+i] = s.best[g*vec.TileRows+i][:0]
	}
	screen.Unsigned(words)
}

// offer adds the near vertices of panel p to the best of vertex i of group g, which keeps up to twice as many as wanted until
// the farther half is dropped.
func (s *byteSearch) offer(o *byteOrder, g, i, lo, p, end, k int, near uint32) {
	at := lo + g*vec.TileRows + i
	best := s.best[at-lo]
	own, by := o.size[at], 2*o.step[at]
	products := s.products[i*vec.TileCols:][:vec.TileCols]
	for ; near != 0; near &= near - 1 {
		j := bits.TrailingZeros32(near)
		other := p*vec.TileCols + j
		if other >= end {
			break
		}
		if other != at {
			best = append(best, candidateOf(own+o.size[other]-by*o.step[other]*products[j], uint32(other)))
		}
	}
	if len(best) >= 2*k {
		s.terms[g][0][i] = (own - kth(best, k).key()) * s.terms[g][1][i]
		best = best[:k]
	}
	s.best[at-lo] = best
}
