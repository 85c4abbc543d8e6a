package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// hubbed is a graph in which a few vertices have nearly all edges, with vectors that place
// these vertices at one point and spread the rest, whatever their degrees.
func hubbed(t testing.TB, n, hubs int) (*csr.Graph, *vec.Matrix) {
	random := rand.New(rand.NewPCG(uint64(n), 2))
	var edges []csr.Edge
	for v := range n {
		for h := range min(v, hubs) {
			if v < hubs || random.Float64() < 0.5 {
				edges = append(edges, csr.Edge{U: uint32(h), V: uint32(v)})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(n, 2)
	for v := range n {
		for j := range m.Dim {
			m.Row(v)[j] = float32(100 * random.NormFloat64())
			if v < hubs {
				m.Row(v)[j] = float32(random.NormFloat64() / 100)
			}
		}
	}
	return g, m
}

// TestReconstructSweep_Plausible sweeps a graph whose largest correlation is that of a few
// edges between hubs. It expects the best of the other radii: over all pairs, over a
// sample, in one pass and in many.
func TestReconstructSweep_Plausible(t *testing.T) {
	t.Parallel()
	g, m := hubbed(t, 400, 8)
	for _, by := range []Criterion{ByPearson, BySpearman, ByBoth} {
		for _, bytes := range []int64{0, 400 * 4 * 3} {
			best, points, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{Points: 64, Criterion: by, MaxBytes: bytes, BestLaw: true})
			if err != nil {
				t.Fatal(err)
			}
			checkPlausible(t, fmt.Sprintf("criterion %d in %d bytes", by, bytes), g, points, best, by)
		}
	}
	best, points, err := ReconstructSample(context.Background(), g, m, 60, ReconstructOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkPlausible(t, "sample", g, points, best, ByPearson)
	few := math.Inf(-1)
	for _, p := range points {
		if float64(p.Edges) < LeastEdges*float64(g.Edges()) {
			few = max(few, p.Pearson)
		}
	}
	if !(few > points[best].Pearson) {
		t.Errorf("a few edges have a correlation of %v, and the best of %v: nothing was passed over", few, points[best].Pearson)
	}
}

// checkPlausible expects the best point to be the best of those within the bounds.
func checkPlausible(t *testing.T, name string, g *csr.Graph, points []ReconstructionPoint, best int, by Criterion) {
	t.Helper()
	b := points[best]
	half := max(int64(g.Vertices())*int64(g.Vertices()-1)/4, 10*g.Edges())
	if 10*b.Edges < g.Edges() || b.Edges > half {
		t.Errorf("%s: the best has %d edges", name, b.Edges)
	}
	for _, p := range points {
		if 10*p.Edges >= g.Edges() && p.Edges <= half && by.Value(p) > by.Value(b) {
			t.Errorf("%s: %+v is better than %+v", name, p, b)
		}
	}
}

// If no radius gives a plausible reconstruction, the sweep still returns a best point, for
// which Plausible returns false.
func TestReconstructSweep_NonePlausible(t *testing.T) {
	t.Parallel()
	var path []csr.Edge
	for v := range uint32(59) {
		path = append(path, csr.Edge{U: v, V: v + 1})
	}
	g, err := csr.FromEdges(60, path)
	if err != nil {
		t.Fatal(err)
	}
	best, points, err := ReconstructSweep(context.Background(), g, vec.NewMatrix(60, 2), ReconstructOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p := points[best]; p.Edges != choose2(60) || Plausible(g, p.Edges) {
		t.Errorf("equal vectors: %+v", p)
	}
	empty, err := csr.FromEdges(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for edges, want := range map[int64]bool{5: false, 6: true, 59: true, 885: true, 886: false} {
		if Plausible(g, edges) != want || !Plausible(empty, edges) {
			t.Errorf("%d edges of 59 are plausible: %v", edges, !want)
		}
	}
}
