package vec

import (
	"math"
	"testing"
)

// TestProduct64 compares products of small shapes with their definition.
func TestProduct64(t *testing.T) {
	rng := newRand(3)
	fill := func(n int) []float64 {
		a := make([]float64, n)
		for i := range a {
			if rng.IntN(4) > 0 {
				a[i] = rng.NormFloat64()
			}
		}
		return a
	}
	sizes := []int{0, 1, 2, 5, 12, 16, 29}
	for _, m := range sizes {
		for _, k := range sizes {
			for _, n := range sizes {
				a, b := fill(m*k), fill(k*n)
				got := Product64(a, b, m, k, n)
				if len(got) != m*n {
					t.Fatalf("%d values of %d × %d", len(got), m, n)
				}
				for i := range m {
					for j := range n {
						want := 0.0
						for l := range k {
							want += a[i*k+l] * b[l*n+j]
						}
						if math.Abs(got[i*n+j]-want) > 1e-12 {
							t.Errorf("%d × %d × %d: (%d, %d) is %v, expected %v", m, k, n, i, j, got[i*n+j], want)
						}
					}
				}
			}
		}
	}
}
