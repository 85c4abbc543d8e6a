package algorithms

import (
	"math"
	"slices"

	"heavytail/storage/csr"
)

// confidence is the probability with which an estimate's error is within its bound, for
// all vertices at once.
const confidence = 0.99

// bound is the largest error of estimates of a mean for each vertex. sums has the sum of
// each vertex over a sample of the vertices without replacement, whose terms are from 0
// to largest. The bound holds for all vertices at once with the probability confidence:
// Hoeffding, "Probability Inequalities for Sums of Bounded Random Variables", 1963,
// inequality 2.1 of theorem 1 and section 6. Other than the simpler inequality 2.3, it
// is small if all means are near 0, as those of betweenness usually are.
func bound(sums []float64, sources int, largest float64) float64 {
	if sources >= len(sums) {
		return 0
	}
	limit := math.Log(2*float64(len(sums))/(1-confidence)) / float64(sources)
	widest := 0.0
	for _, sum := range sums {
		mean := min(1, sum/float64(sources)/largest) // above 1 by rounding
		widest = wider(mean, limit, widest)
		widest = wider(1-mean, limit, widest)
	}
	return largest * widest
}

// wider returns the largest distance above the estimate p at which the divergence is
// within the limit, or widest if that is larger.
func wider(p, limit, widest float64) float64 {
	if p+widest >= 1 || divergence(p, p+widest) > limit {
		return widest
	}
	const halvings = 50 // to the precision of a float64
	within, above := widest, 1-p
	for range halvings {
		if half := (within + above) / 2; divergence(p, p+half) <= limit {
			within = half
		} else {
			above = half
		}
	}
	return above
}

// divergence is the relative entropy of two coins, which show heads with the
// probabilities p and q.
func divergence(p, q float64) float64 {
	part := func(p, q float64) float64 {
		if p <= 0 {
			return 0
		}
		return float64(p * math.Log(p/q)) // rounded, for the same bytes on every processor
	}
	return part(p, q) + part(1-p, 1-q)
}

// largestInverse is the largest inverse of a distance between two vertices.
func largestInverse(g *csr.Graph) float64 {
	if len(g.Weights) == 0 {
		return 1
	}
	return 1 / csr.Decimal(slices.Min(g.Weights))
}
