package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// These oracles follow the definitions, in quadratic time.
func bruteAUC(positive, negative []float64) float64 {
	won := 0.0
	for _, p := range positive {
		for _, n := range negative {
			if p > n {
				won++
			} else if p == n {
				won += 0.5
			}
		}
	}
	return won / float64(len(positive)*len(negative))
}

func bruteAveragePrecision(positive, negative []float64) float64 {
	sum := 0.0
	for _, score := range positive {
		atLeast := func(list []float64) (n float64) {
			for _, s := range list {
				if s >= score {
					n++
				}
			}
			return n
		}
		sum += atLeast(positive) / (atLeast(positive) + atLeast(negative))
	}
	return sum / float64(len(positive))
}

func bruteHits(k int, positive, negative []float64) float64 {
	sorted := slices.Sorted(slices.Values(negative))
	if k > len(sorted) {
		return math.NaN()
	}
	above := 0.0
	for _, p := range positive {
		if p > sorted[len(sorted)-k] {
			above++
		}
	}
	return above / float64(len(positive))
}

func bruteF1(threshold float64, positive, negative []float64) (precision, recall, f1 float64) {
	found, wrong := 0.0, 0.0
	for _, p := range positive {
		if p >= threshold {
			found++
		}
	}
	for _, n := range negative {
		if n >= threshold {
			wrong++
		}
	}
	return found / (found + wrong), found / float64(len(positive)), 2 * found / (found + wrong + float64(len(positive)))
}

// Random scores: from few distinct values, with many ties, to hardly any ties.
func TestDiscrimination_BruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for trial := range 300 {
		values := 1 + random.IntN(1+trial)
		draw := func() []float64 {
			list := make([]float64, 1+random.IntN(40))
			for i := range list {
				list[i] = float64(random.IntN(values)) / 3
			}
			return list
		}
		positive, negative := draw(), draw()
		check := func(what string, got, want float64) {
			t.Helper()
			if !near(got, want) {
				t.Fatalf("%s of %v and %v is %v, expected %v", what, positive, negative, got, want)
			}
		}
		check("AUC", AUC(positive, negative), bruteAUC(positive, negative))
		check("average precision", AveragePrecision(positive, negative), bruteAveragePrecision(positive, negative))
		k := 1 + random.IntN(45)
		check("hits", rankScores(positive, negative).hits(int64(k)), bruteHits(k, positive, negative))
		r := rankScores(positive, negative)
		threshold := r.bestThreshold()
		_, _, best := r.decide(threshold)
		for _, at := range slices.Concat(positive, negative) {
			precision, recall, f1 := r.decide(at)
			p, q, f := bruteF1(at, positive, negative)
			check("precision", precision, p)
			check("recall", recall, q)
			check("F1", f1, f)
			if f1 > best || f1 == best && at > threshold {
				t.Fatalf("threshold %v has the F1 %v, the best was to be %v with %v", at, f1, threshold, best)
			}
		}
	}
}

func TestDiscrimination_Edges(t *testing.T) {
	nan := math.NaN()
	one := []float64{1}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"AUC without positives", AUC(nil, one), nan},
		{"AUC without negatives", AUC(one, nil), nan},
		{"average precision without positives", AveragePrecision(nil, one), nan},
		{"hits at 0", rankScores(one, one).hits(0), nan},
		{"hits at more than there are", rankScores(one, one).hits(2), nan},
		{"AUC of all equal", AUC([]float64{2, 2}, []float64{2}), 0.5},
		{"AUC with NaN, which is below all", AUC([]float64{nan, 3}, []float64{nan, 1}), (0.5 + 0 + 1 + 1) / 4},
		{"AUC of infinities", AUC([]float64{math.Inf(1)}, []float64{math.Inf(-1)}), 1},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s is %v, expected %v", c.what, c.got, c.want)
		}
	}
}
