package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

// Apply agrees with the explicit matrix. It must not read old contents of the scratch
// space, nor y if gamma is 0: both are filled with NaN.
func TestOperator_Apply(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	g := randomGraph(t, 120, 500, r) // with isolated vertices
	t.Run("plain", func(t *testing.T) { checkApply(t, g, r, 1e-4) })
	t.Run("weighted", func(t *testing.T) { checkApply(t, testgraph.RandomWeights(g, 5, 1), r, 1e-5) })
}

func checkApply(t *testing.T, g *csr.Graph, r *rand.Rand, tolerance float64) {
	n := g.Vertices()
	for name, m := range methods() {
		matrix := explicit(g, m)
		op, err := newOperator(context.Background(), inMemory(g), m, 2)
		if err != nil {
			t.Fatal(err)
		}
		x, y, old := make([]float32, n*eigen.Width), make([]float32, n*eigen.Width), make([]float32, n*eigen.Width)
		for i := range x {
			x[i], old[i] = r.Float32()-0.5, r.Float32()-0.5
		}
		for _, c := range []struct{ alpha, beta, gamma float32 }{{1, 0, 0}, {2, -0.5, 0}, {0.5, 0.25, -1}} {
			spoil(op.scaled)
			spoil(op.once)
			if op.weighted != nil {
				spoil(op.weighted.scaled)
				spoil(op.weighted.once)
			}
			copy(y, old)
			if c.gamma == 0 {
				spoil(y)
			}
			if err := op.Apply(context.Background(), y, x, c.alpha, c.beta, c.gamma); err != nil {
				t.Fatal(err)
			}
			for v := range n {
				for j := range eigen.Width {
					want := float64(c.beta) * float64(x[v*eigen.Width+j])
					if c.gamma != 0 {
						want += float64(c.gamma) * float64(old[v*eigen.Width+j])
					}
					for u := range n {
						want += float64(c.alpha) * matrix.At(v, u) * float64(x[u*eigen.Width+j]) / op.factor
					}
					if got := float64(y[v*eigen.Width+j]); !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
						t.Fatalf("%s, %v: element (%d, %d) is %g, not %g", name, c, v, j, got, want)
					}
				}
			}
		}
	}
}

// spoil fills a list that must not be read with NaN.
func spoil[F float32 | float64](x []F) {
	for i := range x {
		x[i] = F(math.NaN())
	}
}

// A penalty whose powers exceed the range of float32 is an error.
func TestDPSpectral_BetaTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	// A leaf on a clique: all vertices near the leaf have a much higher degree.
	pendant := []csr.Edge{{U: 0, V: 60}}
	for v := range 60 {
		for u := range v {
			pendant = append(pendant, csr.Edge{U: uint32(u), V: uint32(v)})
		}
	}
	for _, norm := range []Normalization{Strength, Degree} {
		_, _, err := DPSpectral(context.Background(), testgraph.Of(t, 61, pendant...), Options{Beta: new(8.0), Normalization: norm})
		if !errors.Is(err, base.ErrOptions) {
			t.Errorf("%s: error is %v", norm, err)
		}
	}
	g := testgraph.Star(t, 2999)
	for _, beta := range []float64{0, 1, 8} {
		for _, norm := range []Normalization{Strength, Degree} {
			u, _, err := DPSpectral(context.Background(), g, Options{Dim: 3, Beta: new(beta), Normalization: norm})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range u.Data {
				if math.IsNaN(float64(x)) {
					t.Fatalf("β = %g, %s: not a number", beta, norm)
				}
			}
		}
	}
}
