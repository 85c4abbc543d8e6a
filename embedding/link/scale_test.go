package link

import (
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// TestCalibrate_Scale multiplies scores by a number: the probabilities are the same.
func TestCalibrate_Scale(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		scores, linked := make([]float64, 300), make([]bool, 300)
		for i := range scores {
			linked[i] = r.IntN(2) == 0
			scores[i] = r.NormFloat64()
			if linked[i] {
				scores[i] += r.Float64()
			}
		}
		slope, shift := calibrate(scores, linked)
		for _, by := range []float64{0x1p-80, 1e-9, 0.1, 3, 1e6, 0x1p60} {
			scaled := make([]float64, len(scores))
			for i, x := range scores {
				scaled[i] = x * by
			}
			got, at := calibrate(scaled, linked)
			if !(math.Abs(got*by-slope) <= 1e-4*slope) || math.Abs(at-shift) > 1e-4 {
				t.Fatalf("times %v: slope %v and shift %v, want %v and %v", by, got*by, at, slope, shift)
			}
		}
	}
}

// TestScorers_Scale multiplies the weights of edges, which no scorer reads.
func TestScorers_Scale(t *testing.T) {
	t.Parallel()
	g := testgraph.RandomWeights(testgraph.Hubs(t, 60, 0.08, 3), 3, 1)
	g.Times = make([]int64, len(g.Targets))
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			g.Times[int(g.Offsets[u])+i] = int64(u + v)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	m := vec.NewMatrix(g.Vertices(), 8)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	for _, s := range Scorers() {
		want, err := New(s.Name, g, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{-80, -1, 60} {
			scaled := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Times: g.Times, Weights: make([]float32, len(g.Weights))}
			for i, w := range g.Weights {
				scaled.Weights[i] = float32(math.Ldexp(float64(w), k))
			}
			got, err := New(s.Name, scaled, m)
			if err != nil {
				t.Fatal(err)
			}
			for u := range uint32(g.Vertices()) {
				for v := range u {
					if got(u, v) != want(u, v) {
						t.Fatalf("%s of %d and %d, weights times 2^%d: %v, want %v", s.Name, u, v, k, got(u, v), want(u, v))
					}
				}
			}
		}
	}
}
