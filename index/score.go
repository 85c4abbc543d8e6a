package index

import (
	"fmt"
	"math"

	"heavytail/storage/vec"
)

// scorer scores rows against one vector so that smaller is nearer under every
// metric: the squared distance under L2, the negated similarity otherwise.
type scorer struct {
	x      *Exact
	vector []float32 // what rows are multiplied with, or subtracted from
	length float64   // under Cosine the length of the query, of which vector is the direction
	query  []float32 // under Cosine the query itself
	factor float64   // under Cosine, what a product with vector is to be multiplied with: 1, or 1/length

	// spare and own make rows of a Dot longer by one element, for the links of an
	// HNSW: that of each row, and that of the query.
	spare []float32
	own   float32
}

// reset makes s score against a query, which it keeps. Errors: ErrDimension,
// ErrNotFinite.
func (s *scorer) reset(x *Exact, query []float32) error {
	if len(query) != x.m.Dim {
		return fmt.Errorf("index: query of dimension %d for vectors of dimension %d: %w", len(query), x.m.Dim, ErrDimension)
	}
	for i, q := range query {
		if !finite(q) {
			return fmt.Errorf("index: query: element %d is %v: %w", i, q, ErrNotFinite)
		}
	}
	s.set(x, query)
	return nil
}

// set is reset for a query that is known to be right.
func (s *scorer) set(x *Exact, query []float32) {
	s.x, s.vector = x, query
	if x.metric == Cosine {
		s.query, s.length, s.factor = query, norm64(query), 1
		s.vector = directionOf(query, s.length)
	}
}

// row is set for row v of the matrix itself. It makes no copy of it, so that
// cosines may differ by rounding from those of set.
func (s *scorer) row(x *Exact, v uint32) {
	row := x.m.Row(int(v))
	switch x.metric {
	case Cosine:
		inverse := x.inverse[v]
		if math.IsNaN(inverse) {
			s.set(x, row)
			return
		}
		s.query, s.length, s.factor = row, inverse, inverse // a length of 0 is all that matters
	case Dot:
		s.own = s.spare[v]
	}
	s.x, s.vector = x, row
}

// list sets keys[i] to the key of vertex ids[i].
func (s *scorer) list(keys []float32, ids []uint32) {
	m := s.x.m
	if s.x.metric == L2 {
		vec.ListL2Squared(keys, s.vector, m.Data, m.Dim, ids)
		return
	}
	vec.ListDots(keys, s.vector, m.Data, m.Dim, ids)
	for i, v := range ids {
		if s.x.metric == Cosine {
			keys[i] = -s.cosine(keys[i], v)
		} else {
			keys[i] = -s.dot(keys[i], v)
		}
	}
}

// one returns the key of a vertex.
func (s *scorer) one(v uint32) float32 {
	row := s.x.m.Row(int(v))
	switch s.x.metric {
	case Dot:
		return -s.dot(vec.Dot(s.vector, row), v)
	case Cosine:
		return -s.cosine(vec.Dot(s.vector, row), v)
	}
	return vec.L2Squared(s.vector, row)
}

// dot mends a product that overflowed, maybe with both signs, which would give
// NaN: its sum may still be a number.
func (s *scorer) dot(product float32, v uint32) float32 {
	if !finite(product) {
		product = toFloat32(dot64(s.vector, s.x.m.Row(int(v))))
	}
	if s.own != 0 {
		product = toFloat32(float64(product) + float64(s.own)*float64(s.spare[v]))
	}
	return product
}

// cosine makes a cosine of the product of a row with the direction of the query.
func (s *scorer) cosine(product float32, v uint32) float32 {
	inverse := s.x.inverse[v]
	switch {
	case s.length == 0:
		return 0
	case math.IsNaN(inverse):
		row := s.x.m.Row(int(v))
		return clampCosine(dot64(s.query, row) * (1 / norm64(row)) / norm64(s.query))
	case !finite(product):
		product = toFloat32(dot64(s.vector, s.x.m.Row(int(v))))
	}
	return clampCosine(float64(product) * inverse * s.factor)
}

// directionOf returns a / length, or a itself where the length is 0.
func directionOf(a []float32, length float64) []float32 {
	if length == 0 {
		return a
	}
	unit := make([]float32, len(a))
	for i, x := range a {
		unit[i] = float32(float64(x) / length)
	}
	return unit
}
