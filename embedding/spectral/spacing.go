package spectral

import (
	"math"

	"heavytail/storage/vec"
)

// spacing determines how the parts of a graph are moved apart. The part in place c is moved
// in coordinate i by Step times digit i of c. The digits are those in the smallest base in
// which every place has at most as many digits as there are coordinates. Two parts
// therefore differ by at least Step in some coordinate. With R the largest norm of a
// vector, Step = 6R + 5, and vectors of different parts are more than 4R + 5 apart: twice
// the widest distance within a part, and beyond the radius of ε = 0.01. The part in place
// 0, the largest, stays at the origin.
type spacing struct {
	Step float64 // 0 if nothing is moved
	Base int
}

// newSpacing returns the spacing, for places below count ≥ 2, of vectors that are not
// moved yet.
func newSpacing(m *vec.Matrix, count int) spacing {
	norm := 0.0
	for v := range m.Rows {
		sum := 0.0
		for _, x := range m.Row(v) {
			sum += float64(x) * float64(x)
		}
		norm = max(norm, sum)
	}
	return spacingFor(norm, m.Dim, count)
}

// spacingFor returns the spacing for vectors whose largest squared norm is norm.
func spacingFor(norm float64, dim, count int) spacing {
	s := spacing{Step: 6*math.Sqrt(norm) + 5, Base: 2}
	// Start a little below the root, whatever its rounding error, and count up to the base.
	s.Base = max(s.Base, int(math.Pow(float64(count), 1/float64(dim)))-1)
	for math.Pow(float64(s.Base), float64(dim)) < float64(count) {
		s.Base++
	}
	return s
}

// shift moves a vector to a place, or back from it with sign −1.
func (s spacing) shift(row []float32, place uint32, sign float64) {
	if s.Step == 0 {
		return
	}
	for j, rest := 0, int(place); rest > 0; j, rest = j+1, rest/s.Base {
		row[j] += float32(sign * s.Step * float64(rest%s.Base))
	}
}
