package evaluate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// naiveAgainst computes the figures by counting all pairs of scores.
func naiveAgainst(edges, others []float64, own bool, hits []int) (s AgainstScore) {
	higher := func(a, b float64) bool { return a > b || math.IsNaN(b) && !math.IsNaN(a) }
	for _, k := range hits {
		s.Hits = append(s.Hits, HitsAt{K: k})
	}
	for i, x := range edges {
		list := others
		if own {
			n := len(others) / len(edges)
			list = others[i*n : (i+1)*n]
		}
		best, worst := 1.0, 1.0
		for _, y := range list {
			if higher(y, x) {
				best++
			}
			if !higher(x, y) {
				worst++
			}
		}
		rank := (best + worst) / 2
		s.MRR += 1 / rank / float64(len(edges))
		for j, k := range hits {
			hit := rank <= float64(k)
			if !own { // at most k-1 are as high or higher
				hit = worst <= float64(k)
			}
			switch {
			case k > len(list):
				s.Hits[j].Fraction = math.NaN()
			case hit:
				s.Hits[j].Fraction += 1 / float64(len(edges))
			}
		}
		seen, found := 0.0, 0.0
		for _, y := range edges {
			if !higher(x, y) {
				found++
			}
		}
		for _, y := range others {
			switch {
			case higher(x, y):
				s.AUC += 1 / float64(len(edges)) / float64(len(others))
			case !higher(y, x):
				s.AUC += 0.5 / float64(len(edges)) / float64(len(others))
			}
			if !higher(x, y) {
				seen++
			}
		}
		s.AveragePrecision += found / (found + seen) / float64(len(edges))
	}
	return s
}

func same(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-12 }

func TestMeasureAgainst_Naive(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	draw := func(n, values int) []float64 {
		list := make([]float64, n)
		for i := range list {
			if list[i] = float64(random.IntN(values)); random.IntN(20) == 0 {
				list[i] = math.NaN()
			}
		}
		return list
	}
	hits := []int{1, 2, 3, 10, 50}
	for range 300 {
		own, values := random.IntN(2) == 0, 1+random.IntN(40)
		edges := draw(1+random.IntN(30), values)
		others := draw((1+random.IntN(20))*len(edges), values)
		got, err := MeasureAgainst(edges, others, own, hits)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveAgainst(edges, others, own, hits)
		ok := same(got.MRR, want.MRR) && same(got.AUC, want.AUC) && same(got.AveragePrecision, want.AveragePrecision)
		for j := range hits {
			ok = ok && got.Hits[j].K == hits[j] && same(got.Hits[j].Fraction, want.Hits[j].Fraction)
		}
		if !ok {
			t.Fatalf("edges %v, others %v, own %v:\n%+v, expected\n%+v", edges, others, own, got, want)
		}
	}
}

// A scorer that gives all pairs the same score has the figures of chance.
func TestMeasureAgainst_Constant(t *testing.T) {
	t.Parallel()
	s, err := MeasureAgainst(make([]float64, 4), make([]float64, 36), true, []int{5, 6})
	if err != nil || s.MRR != 1/5.5 || s.AUC != 0.5 || s.AveragePrecision != 0.1 || s.Hits[0].Fraction != 0 || s.Hits[1].Fraction != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, lists := range [][2]int{{0, 3}, {3, 0}, {2, 3}} {
		if _, err := MeasureAgainst(make([]float64, lists[0]), make([]float64, lists[1]), true, nil); !errors.Is(err, ErrShape) {
			t.Errorf("%v: %v", lists, err)
		}
	}
}
