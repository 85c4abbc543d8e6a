package evaluate

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Pearson returns Pearson's correlation coefficient of x and y, from -1 to 1. It is NaN
// where it is not defined: if either list is constant or has fewer than two values. Values
// must be finite and below 10⁷⁰ in magnitude, so that products of their squares are finite.
// It takes O(n) and panics if the lengths differ.
func Pearson(x, y []float64) float64 {
	sameLength(len(x), len(y))
	return weightedPearson(x, y, nil)
}

// weightedPearson is Pearson of a list in which value i occurs weights[i] times, or once if there
// are no weights.
func weightedPearson(x, y, weights []float64) float64 {
	if constant(x) || constant(y) {
		return math.NaN()
	}
	return clamp(stat.Correlation(x, y, weights))
}

// spearman returns Spearman's rank correlation: Pearson's of the ranks, where
// equal values share the average of their ranks. It is NaN where Pearson is.
func spearman(x, y ranking) float64 {
	return Pearson(x.averages(), y.averages())
}

// kendall returns Kendall's rank correlation τ-b,
//
//	(C − D) / √((N − Tx)(N − Ty))
//
// of C concordant and D discordant pairs among N = n(n−1)/2, Tx of them tied in
// x and Ty in y (Kendall, "The Treatment of Ties in Ranking Problems", 1945).
// It is NaN where Pearson is. It takes O(n log n): discordant pairs are the
// inversions of y in the order of x (Knight, "A Computer Method for Calculating
// Kendall's Tau with Ungrouped Data", 1966).
func kendall(x, y ranking) float64 {
	all, tiedX, tiedY := choose2(int64(len(x.of))), x.ties(), y.ties()
	if all == tiedX || all == tiedY {
		return math.NaN()
	}
	// Sorted by x, and by y if x is tied, so that pairs tied in x are not
	// inversions.
	order := x.sorted(y.sorted(nil))
	var tiedBoth, discordant, run int64
	seen := newFenwick(len(y.count))
	for i, v := range order {
		if i > 0 && x.of[v] == x.of[order[i-1]] && y.of[v] == y.of[order[i-1]] {
			run++ // ties with each earlier element of the run
			tiedBoth += run
		} else {
			run = 0
		}
		discordant += int64(i) - seen.upTo(y.of[v])
		seen.add(y.of[v])
	}
	// N = C + D + Tx + Ty − Txy.
	concordant := all - discordant - tiedX - tiedY + tiedBoth
	return clamp(float64(concordant-discordant) / math.Sqrt(float64(all-tiedX)*float64(all-tiedY)))
}

func sameLength(a, b int) {
	if a != b {
		panic("evaluate: lists of different lengths")
	}
}

// constant reports whether all values of x are equal. A sum of squares cannot
// show that: the mean of equal values may have a rounding error.
func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// clamp limits r to [-1, 1], which rounding may exceed.
func clamp(r float64) float64 { return max(-1, min(1, r)) }
