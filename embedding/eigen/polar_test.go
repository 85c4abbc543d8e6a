package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// The product of an orthogonal matrix and a positive definite one has the former as its orthogonal
// factor, also if singular values differ by a factor of 20,000. Directions that a singular matrix does
// not determine are completed, and nothing else changes.
func TestPolar(t *testing.T) {
	const n = 40
	random := rand.New(rand.NewPCG(1, 2))
	orthogonal := func() []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				a[i*n+j] = random.NormFloat64()
			}
		}
		_, q, _ := Symmetric(a, n)
		return q
	}
	q, z := orthogonal(), orthogonal()
	for _, c := range []struct {
		least float64
		rank  int
	}{{.5, n}, {.03, n}, {.002, n}, {5e-5, n}, {.5, n - 1}, {.03, n / 2}, {.5, 1}, {1, 0}} {
		scaled := slices.Clone(z)
		for i := range n {
			size := 3 * math.Pow(c.least, float64(i)/(n-1))
			if i >= c.rank {
				size = 0
			}
			for j := range n {
				scaled[i*n+j] *= size
			}
		}
		r, err := Polar(t.Context(), vec.Product64(transposed(q, n, n), scaled, n, n, n), n, n)
		if err != nil {
			t.Fatal(err)
		}
		if far := furthest(transposedTimes(r, r, n, n, n), identity(n)); far > 1e-5 {
			t.Errorf("%v: orthogonal to %g", c, far)
		}
		// r maps row i of z to row i of q.
		images := timesTransposed(z, r, n, n, n)
		if far := furthest(images[:c.rank*n], q[:c.rank*n]); far > 1e-4 {
			t.Errorf("%v: a determined direction is off by %g", c, far)
		}
	}
	r, err := Polar(t.Context(), make([]float64, n*n), n, n)
	if err != nil || furthest(r, identity(n)) > 1e-6 {
		t.Errorf("zeros: %v, %v", r, err)
	}
}

// A wide matrix has as many orthonormal rows as it has, those that it determines and others.
func TestPolar_Wide(t *testing.T) {
	const rows, cols = 30, 12
	random := rand.New(rand.NewPCG(1, 2))
	m := make([]float64, rows*cols)
	for i := range m {
		if i%cols > 2 {
			m[i] = random.NormFloat64()
		}
	}
	r, err := Polar(t.Context(), transposed(m, rows, cols), cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	r = transposed(r, cols, rows)
	if far := furthest(transposedTimes(r, r, cols, rows, cols), identity(cols)); far > 1e-5 {
		t.Errorf("orthogonal to %g", far)
	}
	h := transposedTimes(r, m, cols, rows, cols) // m is r·h, h symmetric
	if far := max(furthest(h, transposed(h, cols, cols)), furthest(vec.Product64(r, h, rows, cols, cols), m)); far > 1e-4 {
		t.Errorf("a decomposition to %g", far)
	}
}

func furthest(a, b []float64) float64 {
	far := 0.0
	for i := range a {
		far = max(far, math.Abs(a[i]-b[i]))
	}
	return far
}
