package algorithms

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestBound holds the bound against closed forms, and against the simpler inequality of
// Hoeffding, which it never exceeds.
func TestBound(t *testing.T) {
	t.Parallel()
	const n, sources = 1000, 50
	limit := math.Log(2*n/(1-confidence)) / sources
	simple := math.Sqrt(limit / 2)
	for _, mean := range []float64{0, 1e-6, 0.01, 0.2, 0.5, 0.9, 1} {
		sums := make([]float64, n)
		sums[n/2] = 3 * mean * sources
		got := bound(sums, sources, 3) / 3
		least := 1 - math.Exp(-limit) // of the vertices whose mean is 0
		if got < least-1e-12 || got > simple+1e-12 {
			t.Errorf("mean %v: %v is not from %v to %v", mean, got, least, simple)
		}
		if mean == 0 && math.Abs(got-least) > 1e-12 {
			t.Errorf("%v, want %v", got, least)
		}
	}
	if got := bound(make([]float64, sources), sources, 1); got != 0 {
		t.Error("all vertices, and an error of", got)
	}
}

// TestWider computes the probability that an estimate is off by more than the bound from
// the binomial distribution: coins have the largest variance of all terms from 0 to 1.
func TestWider(t *testing.T) {
	t.Parallel()
	const sources, miss = 40, 0.02
	limit := math.Log(2/miss) / sources
	for _, heads := range []float64{0.001, 0.05, 0.3, 0.5, 0.8} {
		coins, off := distuv.Binomial{N: sources, P: heads}, 0.0
		for k := range sources + 1 {
			p := float64(k) / sources
			if heads > p+wider(p, limit, 0) || heads < p-wider(1-p, limit, 0) {
				off += coins.Prob(float64(k))
			}
		}
		if off > miss {
			t.Errorf("heads %v: off with probability %v, above %v", heads, off, miss)
		}
	}
}
