package generate

import (
	"math"
	"math/bits"
	"testing"
)

// TestErdosRenyi_Exact compares all graphs of four vertices with their
// probabilities.
func TestErdosRenyi_Exact(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: generates each graph of four vertices thousands of times")
	}
	const n, all = 4, 6
	const p = 0.3
	independent := map[uint64]float64{}
	for key := range uint64(1 << all) {
		m := float64(bits.OnesCount64(key))
		independent[key] = math.Pow(p, m) * math.Pow(1-p, all-m)
	}
	expectGraphs(t, n, independent, func(seed uint64) Model { return ErdosRenyi{N: n, P: p, Seed: seed} })
	for m := int64(1); m <= all; m++ {
		uniform, total := map[uint64]float64{}, 0.0
		for key := range uint64(1 << all) {
			if bits.OnesCount64(key) == int(m) {
				uniform[key] = 1
				total++
			}
		}
		if m == all {
			if key := pairKey(n, generated(t, ErdosRenyi{N: n, M: m})); key != 1<<all-1 {
				t.Errorf("all edges give %b", key)
			}
			continue
		}
		for key := range uniform {
			uniform[key] = 1 / total
		}
		expectGraphs(t, n, uniform, func(seed uint64) Model { return ErdosRenyi{N: n, M: m, Seed: seed} })
	}
}

func TestErdosRenyi_Extremes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 50} {
		all := int64(n * (n - 1) / 2)
		if g := generated(t, ErdosRenyi{N: n, P: 1}); g.Edges() != all || g.Validate() != nil {
			t.Errorf("n %d, p 1: %d edges", n, g.Edges())
		}
		if g := generated(t, ErdosRenyi{N: n, M: all}); g.Edges() != all || g.Validate() != nil {
			t.Errorf("n %d, all: %d edges", n, g.Edges())
		}
		if g := generated(t, ErdosRenyi{N: n}); g.Edges() != 0 || g.Vertices() != n {
			t.Errorf("n %d, p 0: %d edges", n, g.Edges())
		}
		if g := generated(t, ErdosRenyi{N: n, P: 1e-300}); g.Edges() != 0 {
			t.Errorf("n %d, p 1e-300: %d edges", n, g.Edges())
		}
	}
}

// TestErdosRenyi_Counts expects the number of edges and the degrees of a large
// graph within five standard deviations, for jumps on both sides of ½.
func TestErdosRenyi_Counts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: generates a million edges")
	}
	for _, c := range []struct {
		n int
		p float64
	}{{20_000, 0.001}, {1000, 0.45}, {1000, 0.55}, {1000, 0.999}} {
		g := generated(t, ErdosRenyi{N: c.n, P: c.p, Seed: 5})
		all := pairs(c.n)
		if z := (float64(g.Edges()) - all*c.p) / math.Sqrt(all*c.p*(1-c.p)); math.Abs(z) > 5 {
			t.Errorf("n %d, p %v: %d edges, %.1f deviations from the expected", c.n, c.p, g.Edges(), z)
		}
		// Degrees are binomial: their variance estimates (n-1)p(1-p), to a
		// relative √(2/n) and a little for the edges they share.
		want := float64(c.n-1) * c.p
		sum := 0.0
		for v := range uint32(c.n) {
			d := float64(g.Degree(v)) - want
			sum += d * d
		}
		if ratio := sum / float64(c.n) / (want * (1 - c.p)); math.Abs(ratio-1) > 6*math.Sqrt(2/float64(c.n)) {
			t.Errorf("n %d, p %v: the variance of degrees is %.3f of the expected", c.n, c.p, ratio)
		}
	}
	for _, m := range []int64{1, 3000, 400_000, 499_499} {
		if g := generated(t, ErdosRenyi{N: 1000, M: m}); g.Edges() != m || g.Validate() != nil {
			t.Errorf("m %d: %d edges", m, g.Edges())
		}
	}
}
