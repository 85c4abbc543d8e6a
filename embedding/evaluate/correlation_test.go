package evaluate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12 || (math.IsNaN(a) && math.IsNaN(b))
}

// TestCorrelations_ByHand compares with values that were computed by hand.
func TestCorrelations_ByHand(t *testing.T) {
	for _, c := range []struct {
		name                       string
		x, y                       []float64
		pearson, spearman, kendall float64
	}{
		{"identical", []float64{1, 2, 3}, []float64{1, 2, 3}, 1, 1, 1},
		{"reversed", []float64{1, 2, 3}, []float64{3, 2, 1}, -1, -1, -1},
		// Deviations (0,1,0,−1) and (½,½,½,−1½): 2/√(2·3). Ranks (2½,4,2½,1) and
		// (3,3,3,1): 3/√(4½·3). C=3, D=0, Tx=1, Ty=3: 3/√(5·3).
		{"ties", []float64{1, 2, 1, 0}, []float64{2, 2, 2, 0}, 2 / math.Sqrt(6), 3 / math.Sqrt(13.5), 3 / math.Sqrt(15)},
		// One swap among five: D=1 of 10 pairs; Σd²=2, so 1 − 6·2/(5·24).
		{"swap", []float64{10, 20, 30, 40, 50}, []float64{1, 3, 2, 4, 5}, 0.9, 0.9, 0.8},
		// y is the square of x: a monotone curve, not a line. Deviations
		// (−1,0,1) and (−11,−2,13)/3: (24/3)/√(2·294/9).
		{"monotone", []float64{1, 2, 3}, []float64{1, 4, 9}, 8 / math.Sqrt(2*(121+4+169)/9.0), 1, 1},
		{"uncorrelated", []float64{1, 2, 1, 2}, []float64{1, 1, 2, 2}, 0, 0, 0},
		{"constant", []float64{0.1, 0.1, 0.1}, []float64{1, 2, 3}, math.NaN(), math.NaN(), math.NaN()},
		{"one", []float64{1}, []float64{1}, math.NaN(), math.NaN(), math.NaN()},
		{"none", nil, nil, math.NaN(), math.NaN(), math.NaN()},
	} {
		if p, s, k := Pearson(c.x, c.y), spearman(rank(c.x), rank(c.y)), kendall(rank(c.x), rank(c.y)); !near(p, c.pearson) || !near(s, c.spearman) || !near(k, c.kendall) {
			t.Errorf("%s: %v, %v, %v; expected %v, %v, %v", c.name, p, s, k, c.pearson, c.spearman, c.kendall)
		}
	}
}

// bruteKendall looks at every pair.
func bruteKendall(x, y []float64) float64 {
	var score, untiedX, untiedY float64
	sign := func(a float64) float64 {
		switch {
		case a > 0:
			return 1
		case a < 0:
			return -1
		}
		return 0
	}
	for i := range x {
		for j := range i {
			a, b := sign(x[i]-x[j]), sign(y[i]-y[j])
			score += a * b
			untiedX += a * a
			untiedY += b * b
		}
	}
	return score / math.Sqrt(untiedX*untiedY)
}

// bruteSpearman ranks by counting.
func bruteSpearman(x, y []float64) float64 {
	ranks := func(x []float64) []float64 {
		r := make([]float64, len(x))
		for i, a := range x {
			for _, b := range x {
				if b < a {
					r[i]++
				} else if b == a {
					r[i] += 0.5
				}
			}
		}
		return r
	}
	return brutePearson(ranks(x), ranks(y))
}

// brutePearson sums over all pairs, which needs no means.
func brutePearson(x, y []float64) float64 {
	var sxy, sxx, syy float64
	for i := range x {
		for j := range i {
			dx, dy := x[i]-x[j], y[i]-y[j]
			sxy += dx * dy
			sxx += dx * dx
			syy += dy * dy
		}
	}
	return sxy / math.Sqrt(sxx*syy)
}

func TestCorrelations_BruteForce(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		n, values := random.IntN(2+int(seed)*6/10), 1+random.IntN(40) // small lists first
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(random.IntN(values)), float64(random.IntN(values))
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"pearson", Pearson(x, y), brutePearson(x, y)},
			{"spearman", spearman(rank(x), rank(y)), bruteSpearman(x, y)},
			{"kendall", kendall(rank(x), rank(y)), bruteKendall(x, y)},
		} {
			if !near(c.got, c.want) {
				t.Fatalf("seed %d, %s of %v and %v: %v, brute force %v", seed, c.name, x, y, c.got, c.want)
			}
		}
	}
}

// TestRankDegrees compares the ranking by counting with the one by sorting.
func TestRankDegrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	degrees, values := make([]uint32, 300), make([]float64, 300)
	for v := range degrees {
		degrees[v] = uint32(random.IntN(1 + random.IntN(299)))
		values[v] = float64(degrees[v])
	}
	a, b := rankDegrees(degrees), rank(values)
	for v := range degrees {
		if a.of[v] != b.of[v] || a.count[a.of[v]] != b.count[b.of[v]] {
			t.Fatalf("vertex %d: rank %d by counting, %d by sorting", v, a.of[v], b.of[v])
		}
	}
}

// rank ranks a list of numbers in O(n log n).
func rank(x []float64) ranking {
	order := make([]uint32, len(x))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(x[a], x[b]) })
	r := ranking{of: make([]uint32, len(x))}
	for i, v := range order {
		if i == 0 || x[v] != x[order[i-1]] {
			r.count = append(r.count, 0)
		}
		r.of[v] = uint32(len(r.count) - 1)
		r.count[len(r.count)-1]++
	}
	return r
}
