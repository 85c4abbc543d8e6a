package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/internal/base"
)

// TestEigenpairs_Rows expects the rows from one solve to equal, byte by byte, the embedding
// with every scale and row scale, with and without weights, for Apart and Joint. The
// eigenpairs must not change.
func TestEigenpairs_Rows(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves for each scale again")
	}
	r := rand.New(rand.NewPCG(1, 2))
	g := randomGraph(t, 180, 300, r) // with isolated vertices and small components
	heavy := testgraph.Weighted(g, func(u, v uint32) float32 { return float32(1 + (u+v)%5) })
	ctx := context.Background()
	for _, name := range []string{MethodLaplacianEigenmaps, MethodDPSpectral} {
		for _, mode := range []ComponentMode{Apart, Joint} {
			for _, graph := range []struct {
				name string
				m    bool
			}{{"plain", false}, {"weighted", true}} {
				from := g
				if graph.m {
					from = heavy
				}
				o := Options{Dim: 16, Components: mode, Normalization: Degree}
				pairs, err := Solve(ctx, from, name, o)
				if err != nil {
					t.Fatal(err)
				}
				before := slices.Clone(pairs.Vectors.Data)
				for _, scale := range []float64{0, 0.25, 1} {
					for _, rowScale := range []float64{0, 0.5, 1.25} {
						label := fmt.Sprintf("%s/%s/%s/γ=%g/δ=%g", name, mode, graph.name, scale, rowScale)
						got, err := pairs.Rows(scale, rowScale)
						if err != nil {
							t.Fatal(err)
						}
						o.Scale, o.RowScale = &scale, &rowScale
						run := DPSpectral
						if name == MethodLaplacianEigenmaps {
							run = LaplacianEigenmaps
						}
						want, stats, err := run(ctx, from, o)
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got.Data, want.Data) {
							t.Errorf("%s: the rows differ from those of Embed", label)
						}
						if !slices.Equal(stats.Eigenvalues, pairs.Stats.Eigenvalues) {
							t.Errorf("%s: the eigenvalues differ", label)
						}
					}
				}
				if !slices.Equal(before, pairs.Vectors.Data) {
					t.Errorf("%s/%s: Rows changed the eigenvectors", name, mode)
				}
			}
		}
	}
}

// TestEigenpairs_Parts expects every vertex in one part, the eigenvalues of a
// part in descending order, and the degrees of the graph.
func TestEigenpairs_Parts(t *testing.T) {
	g := randomGraph(t, 200, 250, rand.New(rand.NewPCG(3, 4)))
	pairs, err := Solve(context.Background(), g, MethodDPSpectral, Options{Dim: 30})
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]int, g.Vertices())
	for _, part := range pairs.Parts {
		if !slices.IsSortedFunc(part.Values, func(a, b float64) int {
			if a >= b {
				return -1
			}
			return 1
		}) {
			t.Errorf("eigenvalues %v are not in descending order", part.Values)
		}
		for _, v := range part.Vertices {
			seen[v]++
		}
	}
	for v, times := range seen {
		if times != 1 || pairs.Degrees[v] != float64(g.Degree(uint32(v))) {
			t.Fatalf("vertex %d is in %d parts and has the degree %v, not %d", v, times, pairs.Degrees[v], g.Degree(uint32(v)))
		}
	}
}

func TestSolveSpectral_Errors(t *testing.T) {
	g, ctx := path(t, 5), context.Background()
	if _, err := Solve(ctx, g, "deepwalk", Options{}); !errors.Is(err, base.ErrOptions) {
		t.Errorf("a method of walks: %v", err)
	}
	if _, err := Solve(ctx, g, MethodDPSpectral, Options{Dim: -1}); !errors.Is(err, base.ErrOptions) {
		t.Errorf("dim -1: %v", err)
	}
	pairs, err := Solve(ctx, g, MethodDPSpectral, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][2]float64{{-1, 0}, {5, 0}, {0, -1}, {0, 5}, {math.NaN(), 0}} {
		if _, err := pairs.Rows(bad[0], bad[1]); !errors.Is(err, base.ErrOptions) {
			t.Errorf("γ %v, δ %v: %v", bad[0], bad[1], err)
		}
	}
}
