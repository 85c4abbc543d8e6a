package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

func TestSpectral_WeightedAgreesWithExplicitMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	for name, m := range methods() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, 22))
			for i, size := range []struct {
				n, m, k int
				spread  float64
			}{
				{3, 3, 2, 3}, {17, 40, 5, 4}, {60, 90, 60, 2}, {150, 700, 30, 8}, // dense
				{400, 1500, 20, 3}, {500, 9000, 12, 6}, // Lanczos
			} {
				g := largestComponent(randomGraph(t, size.n, size.m, r))
				if g.Vertices() < 2 {
					continue
				}
				g = testgraph.RandomWeights(g, size.spread, uint64(i))
				o := m.options()
				o.Dim, o.Seed = size.k, uint64(i)
				u, stats := embed(t, g, m, o)
				if !stats.Converged || stats.Weighted != !allEqual(g.Weights) {
					t.Fatalf("n %d k %d: weights used %v, %s", size.n, size.k, stats.Weighted, stats.Reason)
				}
				checkPairs(t, g, m, u, stats.Eigenvalues)
			}
		})
	}
}

func allEqual(x []float32) bool { return slices.Min(x) == slices.Max(x) }

// Joint mode divides weights by the mean of the whole graph, as the explicit matrix of the
// whole graph does.
func TestSpectral_WeightedJoint(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	for name, m := range methods() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, 24))
			for _, size := range []struct{ n, m, k int }{{40, 40, 12}, {500, 480, 30}} {
				g := testgraph.RandomWeights(randomGraph(t, size.n, size.m, r), 3, 5)
				o := m.options()
				o.Dim, o.Components = size.k, Joint
				u, stats := embed(t, g, m, o)
				if stats.Components < 5 || !stats.Converged || !stats.Weighted {
					t.Fatalf("%d components, %s", stats.Components, stats.Reason)
				}
				checkPairs(t, g, m, u, stats.Eigenvalues)
			}
		})
	}
}

// Equal weights, whatever their value, and ignored weights give the same bytes as no
// weights; timestamps never matter.
func TestSpectral_EqualAndIgnoredWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	g := randomGraph(t, 200, 450, rand.New(rand.NewPCG(25, 26)))
	for name, m := range methods() {
		for _, mode := range []ComponentMode{Apart, Joint} {
			o := m.options()
			o.Dim, o.Components, o.Scale, o.RowScale = 16, mode, new(0.25), new(0.5)
			plain, plainStats := embed(t, g, m, o)
			check := func(what string, g *csr.Graph, o Options) {
				u, stats := embed(t, g, m, o)
				if !slices.Equal(u.Data, plain.Data) || !slices.Equal(stats.Eigenvalues, plainStats.Eigenvalues) || stats.Weighted {
					t.Errorf("%s, %s, %s: not the bytes of the graph without weights", name, mode, what)
				}
			}
			equal := []float32{3e30, 1, 0.1}
			for _, w := range equal {
				check("equal", testgraph.Weighted(g, func(u, v uint32) float32 { return w }), o)
			}
			timed := *g
			timed.Times = make([]int64, len(g.Targets))
			check("timed", &timed, o)
			o.IgnoreWeights = true
			check("ignored", testgraph.RandomWeights(g, 4, 1), o)
		}
	}
}

// The unit of weights does not matter, and a change of the weights by rounding errors
// changes the result little. Distances are compared, since eigenvectors may be rotated.
func TestSpectral_UnitOfWeights(t *testing.T) {
	g := testgraph.RandomWeights(largestComponent(randomGraph(t, 150, 750, rand.New(rand.NewPCG(27, 28)))), 3, 2)
	nearly := testgraph.Weighted(g, func(u, v uint32) float32 { return 1 + 1e-6*float32((u+v)%2) })
	plain := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	for name, m := range methods() {
		o := m.options()
		o.Dim, o.Tolerance, o.RowScale = 10, 1e-6, new(0.25)
		compare := func(what string, a, b *csr.Graph) {
			x, _ := embed(t, a, m, o)
			y, _ := embed(t, b, m, o)
			if m.twoHops() && !m.strength && m.beta == 0 {
				return // its largest eigenvalues nearly coincide
			}
			for v := 1; v < x.Rows; v++ {
				d, e := distance(x.Row(0), x.Row(v)), distance(y.Row(0), y.Row(v))
				if math.Abs(d-e) > 1e-3*(1+d) {
					t.Fatalf("%s, %s: vertex %d has the distances %g and %g from the first", name, what, v, d, e)
				}
			}
		}
		scaled := testgraph.Weighted(g, func(u, v uint32) float32 { return 0 })
		for i, w := range g.Weights {
			scaled.Weights[i] = w * 0x1p40
		}
		compare("unit", g, scaled)
		compare("nearly equal", plain, nearly)
	}
}

func distance(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += (float64(x) - float64(b[i])) * (float64(x) - float64(b[i]))
	}
	return math.Sqrt(sum)
}

// A heavier edge is shorter: the edge that joins two triangles becomes shorter as its weight
// grows.
func TestLaplacianEigenmaps_WeightsPull(t *testing.T) {
	g := testgraph.Of(t, 6, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2}, csr.Edge{U: 2, V: 0},
		csr.Edge{U: 3, V: 4}, csr.Edge{U: 4, V: 5}, csr.Edge{U: 5, V: 3}, csr.Edge{U: 2, V: 3})
	last := math.Inf(1)
	for _, joint := range []float32{0.01, 0.5, 1, 4, 100} {
		w := testgraph.Weighted(g, func(u, v uint32) float32 {
			if u == 2 && v == 3 {
				return joint
			}
			return 1
		})
		u, _ := embed(t, w, method{}, Options{Dim: 2, Scale: new(0.0), RowScale: new(0.5)})
		d := distance(u.Row(2), u.Row(3)) / distance(u.Row(0), u.Row(5))
		if d >= last {
			t.Errorf("weight %v: the joining edge has length %v, before %v", joint, d, last)
		}
		last = d
	}
}

// Weights that span nearly the whole range of float32 give finite numbers or an error.
func TestSpectral_ExtremeWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	g := largestComponent(randomGraph(t, 200, 600, rand.New(rand.NewPCG(29, 30))))
	refused := 0
	for _, spread := range []float64{10, 30, 60, 120} {
		w := testgraph.RandomWeights(g, spread, 3)
		for name, m := range methods() {
			f := DPSpectral
			if m == (method{}) {
				f = LaplacianEigenmaps
			}
			o := m.options()
			o.Dim = 8
			u, _, err := f(context.Background(), w, o)
			if errors.Is(err, base.ErrOptions) && m.beta+m.common > 0 && spread > 10 {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("%s, 2^±%v: %v", name, spread, err)
			}
			for _, x := range u.Data {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					t.Fatalf("%s, 2^±%v: not a number", name, spread)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no penalty was refused: the weights are not extreme enough")
	}
}

func TestSpectral_WeightedSameBytesForAnyWorkers(t *testing.T) {
	g := testgraph.RandomWeights(realGraph(t, "ca-GrQc"), 3, 4)
	for _, name := range []string{"le", "degree β=½", "strength β=2"} {
		if testing.Short() && name != "degree β=½" {
			continue // the test without weights covers the other methods
		}
		m := methods()[name]
		o := m.options()
		o.Dim, o.Workers = 16, 1
		first, _ := embed(t, g, m, o)
		o.Workers = 3
		if u, _ := embed(t, g, m, o); !slices.Equal(u.Data, first.Data) {
			t.Errorf("%s: 3 workers give different bytes", name)
		}
	}
}
