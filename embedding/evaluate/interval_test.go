package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/repeat"
)

// The variance is that of DeLong by its definition, over all pairs of scores.
func TestAUCInterval_DeLong(t *testing.T) {
	for seed := range uint64(repeat.Times(20)) {
		random := rand.New(rand.NewPCG(seed, 3))
		lists := [2][]float64{}
		for i := range lists {
			for range 2 + random.IntN(30) {
				lists[i] = append(lists[i], float64(random.IntN(12)+3*(1-i))) // with ties
			}
		}
		of := func(x float64, others []float64, sign float64) float64 {
			won := 0.0
			for _, y := range others {
				switch d := sign * (x - y); {
				case d > 0:
					won++
				case d == 0:
					won += 0.5
				}
			}
			return won / float64(len(others))
		}
		variance := 0.0
		for i, list := range lists {
			parts, sum := make([]float64, len(list)), 0.0
			for j, x := range list {
				parts[j] = of(x, lists[1-i], 1-2*float64(i))
				sum += parts[j]
			}
			for _, p := range parts {
				d := p - sum/float64(len(list))
				variance += d * d / float64(len(list)-1) / float64(len(list))
			}
		}
		r := rankScores(lists[0], lists[1])
		if got := r.aucVariance(r.auc()); math.Abs(got-variance) > 1e-12 {
			t.Errorf("seed %d: the variance is %v, by definition %v", seed, got, variance)
		}
	}
}

// Of a second sample, drawn in the same way, the AUC is in the interval of the first in about 95 of
// 100 cases.
func TestAUCInterval_SecondSample(t *testing.T) {
	for _, c := range []struct{ shift, scale float64 }{{0, 1}, {1, 1}, {1, 3}, {3, 0.5}} {
		random := rand.New(rand.NewPCG(17, uint64(c.shift)))
		sample := func() (links, others []float64) {
			for range 100 {
				links, others = append(links, c.shift+c.scale*random.NormFloat64()), append(others, random.NormFloat64())
			}
			return links, others
		}
		const samples = 1000
		in := 0
		for range samples {
			x := AUCInterval(sample())
			if auc := AUC(sample()); x.Low <= auc && auc <= x.High {
				in++
			}
		}
		// A standard error is 0.007; near 1, hundred pairs are few.
		if share := float64(in) / samples; share < 0.91 || share > 0.99 {
			t.Errorf("%+v: %v of the second samples are in the interval", c, share)
		}
	}
}

func TestAUCInterval_Limits(t *testing.T) {
	equal := make([]float64, 50)
	ones := make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	for _, c := range []struct {
		positive, negative []float64
		auc                float64
	}{
		{ones, equal, 1}, {equal, ones, 0}, {equal, equal, 0.5}, {[]float64{1}, []float64{0}, 1}, {[]float64{math.NaN(), 1}, []float64{0}, 0.5},
	} {
		x := AUCInterval(c.positive, c.negative)
		if x.Mean != c.auc || !(0 <= x.Low && x.Low <= x.Mean && x.Mean <= x.High && x.High <= 1 && x.Low < x.High) {
			t.Errorf("%v of %v and %v", x, len(c.positive), len(c.negative))
		}
	}
	if x := AUCInterval(nil, ones); !math.IsNaN(x.Mean) || !math.IsNaN(x.Low) || !math.IsNaN(x.High) {
		t.Errorf("%v of nothing", x)
	}
}
