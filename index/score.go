package index

import (
	"fmt"
	"math"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// scorer scores vectors against one query so that smaller is nearer under
// every metric: the squared distance under L2, the negated similarity
// otherwise.
type scorer struct {
	x      *Exact // list and one score its vectors; nil if vectors arrive in runs
	metric Metric
	vector []float32 // the query, or under Cosine its direction
	length float64   // under Cosine the length of the query
	query  []float32 // under Cosine the query itself
	factor float64   // under Cosine, the factor for a product with vector: 1, or 1/length

	// spare and own extend the vectors by one element under Dot, for the links
	// of an HNSW: spare is that element of each vector, own that of the query.
	spare []float32
	own   float32
}

// checkQuery refuses a query that does not fit vectors of dimension dim.
// Errors: ErrDimension, ErrNotFinite.
func checkQuery(query []float32, dim int) error {
	if len(query) != dim {
		return fmt.Errorf("query of dimension %d for vectors of dimension %d: %w", len(query), dim, ErrDimension)
	}
	for i, q := range query {
		if !base.Finite(q) {
			return fmt.Errorf("element %d is %v: %w", i, q, ErrNotFinite)
		}
	}
	return nil
}

// reset makes s score vectors of x against a query, which it keeps. Errors are
// those of checkQuery.
func (s *scorer) reset(x *Exact, query []float32) error {
	if err := checkQuery(query, x.m.Dim); err != nil {
		return err
	}
	s.set(x, query)
	return nil
}

// set is reset for a query that has been checked.
func (s *scorer) set(x *Exact, query []float32) {
	s.x = x
	s.aim(x.metric, query)
}

// aim makes s score vectors against a query under a metric.
func (s *scorer) aim(metric Metric, query []float32) {
	s.metric, s.vector = metric, query
	if metric == Cosine {
		s.query, s.length, s.factor = query, norm64(query), 1
		s.vector = directionOf(query, s.length)
	}
}

// row is set for the vector of vertex v, without a copy of it. Its cosines may
// differ from those of set by rounding.
func (s *scorer) row(x *Exact, v uint32) {
	row := x.m.Row(int(v))
	switch x.metric {
	case Cosine:
		inverse := x.inverse[v]
		if math.IsNaN(inverse) {
			s.set(x, row)
			return
		}
		s.query, s.length, s.factor = row, inverse, inverse // the length is only compared with 0
	case Dot:
		s.own = s.spare[v]
	}
	s.x, s.metric, s.vector = x, x.metric, row
}

// list sets keys[i] to the key of vertex ids[i].
func (s *scorer) list(keys []float32, ids []uint32) {
	m := s.x.m
	if s.metric == L2 {
		vec.ListL2Squared(keys, s.vector, m.Data, m.Dim, ids)
		return
	}
	vec.ListDots(keys, s.vector, m.Data, m.Dim, ids)
	for i, v := range ids {
		keys[i] = s.finish(keys[i], v)
	}
}

// one returns the key of a vertex.
func (s *scorer) one(v uint32) float32 {
	row := s.x.m.Row(int(v))
	if s.metric == L2 {
		return vec.L2Squared(s.vector, row)
	}
	return s.finish(vec.Dot(s.vector, row), v)
}

// finish converts the product of a vector to the key of its vertex.
func (s *scorer) finish(product float32, v uint32) float32 {
	row := s.x.m.Row(int(v))
	if s.metric == Cosine {
		return -s.cosine(product, row, s.x.inverse[v])
	}
	product = s.dot(product, row)
	if s.own != 0 {
		product = toFloat32(float64(product) + float64(s.own)*float64(s.spare[v]))
	}
	return -product
}

// dot recomputes a product that overflowed, perhaps with both signs, which
// would give NaN: its sum may still be a number.
func (s *scorer) dot(product float32, row []float32) float32 {
	if !base.Finite(product) {
		return toFloat32(dot64(s.vector, row))
	}
	return product
}

// cosine converts the product of a vector with the direction of the query to a
// cosine.
func (s *scorer) cosine(product float32, row []float32, inverse float64) float32 {
	switch {
	case s.length == 0:
		return 0
	case math.IsNaN(inverse):
		return clampCosine(dot64(s.query, row) * (1 / norm64(row)) / norm64(s.query))
	case !base.Finite(product):
		product = toFloat32(dot64(s.vector, row))
	}
	return clampCosine(float64(product) * inverse * s.factor)
}

// raw sets keys to the results of the kernels for a run of vectors: keys under
// L2, and products otherwise, which keyOf converts to keys.
func (s *scorer) raw(keys, rows []float32) {
	if s.metric == L2 {
		vec.ScanL2Squared(keys, s.vector, rows)
	} else {
		vec.ScanDots(keys, s.vector, rows)
	}
}

// keyOf returns the key of a vector from raw, the result of the kernel;
// inverse is its inverse norm under Cosine.
func (s *scorer) keyOf(raw float32, row []float32, inverse float64) float32 {
	switch s.metric {
	case Dot:
		return -s.dot(raw, row)
	case Cosine:
		return -s.cosine(raw, row, inverse)
	}
	return raw
}

// near appends to list the positions in a run of vectors whose keys may be at
// most limit: all of those, and few more. raw has the results for the run, and
// inverse its inverse norms under Cosine.
func (s *scorer) near(list []int32, raw []float32, inverse []float64, limit float32) []int32 {
	switch {
	case s.metric == L2:
		for i, key := range raw {
			if !(key > limit) {
				list = append(list, int32(i))
			}
		}
	case s.metric == Dot:
		for i, product := range raw {
			if !(product < -limit) || !base.Finite(product) {
				list = append(list, int32(i))
			}
		}
	case s.length == 0 || len(inverse) != len(raw):
		for i := range raw { // all cosines are 0
			list = append(list, int32(i))
		}
	default:
		// Cosines are rounded to float32 once, which changes them by less than
		// this. NaN, of a vector whose products are unreliable, passes.
		least := float64(-limit) - 0x1p-23
		for i, product := range raw {
			if !(float64(product)*inverse[i] < least) {
				list = append(list, int32(i))
			}
		}
	}
	return list
}

// directionOf returns a / length, or a itself if the length is 0.
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
