package generate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogarithm_Accuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range []float64{1, 0.5, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), math.Nextafter(1, 0), 0x1p-53, 1e-300} {
		expectLog(t, x)
	}
	for range 100_000 {
		expectLog(t, 1-r.Float64())
	}
	for _, p := range []float64{0.5, 0.3, 1e-3, 1e-17, 1e-300} {
		if got, want := newJumps(p).failure, math.Log1p(-p); math.Abs(got-want) > 2e-15*math.Abs(want) {
			t.Errorf("ln(1-%v) is %v, want %v", p, got, want)
		}
	}
}

func expectLog(t *testing.T, x float64) {
	t.Helper()
	if got, want := logarithm(x), math.Log(x); math.Abs(got-want) > 1e-15*max(0.5, math.Abs(want)) {
		t.Errorf("ln %v is %v, want %v", x, got, want)
	}
}

// TestJumps_Geometric compares numbers of failures with their probabilities
// p(1-p)^k.
func TestJumps_Geometric(t *testing.T) {
	const trials, cells = 100_000, 8
	for _, p := range []float64{0.1, 0.5, 0.51, 0.9} {
		r, jump := newRandom(3), newJumps(p)
		counts := [cells + 1]float64{}
		for range trials {
			counts[min(jump.next(r), cells)]++
		}
		chi := 0.0
		for k, count := range counts {
			want := trials * p * math.Pow(1-p, float64(k))
			if k == cells {
				want = trials * math.Pow(1-p, cells)
			}
			chi += (count - want) * (count - want) / max(want, 1)
		}
		if chi > 34 { // of 8 degrees of freedom: one in 25,000 seeds
			t.Errorf("p %v: counts %v, chi-square %.1f", p, counts, chi)
		}
	}
}
