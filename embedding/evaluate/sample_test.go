package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

// attached returns a scale-free graph and vectors whose length decreases with the degree,
// so that many vertices are near the hubs.
func attached(t *testing.T, n int) (*csr.Graph, *vec.Matrix) {
	t.Helper()
	g, err := generate.PreferentialAttachment{N: n, M: 3, Seed: 1}.Generate(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(n, 5)
	random := rand.New(rand.NewPCG(1, 2))
	for v := range n {
		for j := range m.Row(v) {
			m.Row(v)[j] = float32(random.NormFloat64() / math.Sqrt(float64(g.Degree(uint32(v)))))
		}
	}
	return g, m
}

// TestReconstructSample_ByHand samples rows that represent 5 vertices each, and expects the
// results of the exact functions on lists that repeat each value 5 times.
func TestReconstructSample_ByHand(t *testing.T) {
	g, m := attached(t, 300)
	const rows, hubs, weight = 100, 50, 5
	best, points, err := ReconstructSample(context.Background(), g, m, rows, ReconstructOptions{Points: 20})
	if err != nil {
		t.Fatal(err)
	}
	s := newSample(g, m, rows, ReconstructOptions{}.withDefaults())
	least, seen := math.MaxInt, map[uint32]bool{}
	for i, u := range s.rows {
		seen[u] = true
		if i < hubs {
			least = min(least, g.Degree(u))
		}
	}
	for v := range uint32(300) {
		if !seen[v] && g.Degree(v) > least {
			t.Errorf("vertex %d of degree %d is not among the rows, one of degree %d is", v, g.Degree(v), least)
		}
	}
	if len(seen) != rows || len(points) < 20 {
		t.Fatalf("%d rows, %d points", len(seen), len(points))
	}
	for i, p := range points {
		if !(p.Pearson <= points[best].Pearson) {
			t.Errorf("point %d has Pearson %v, the best %v", i, p.Pearson, points[best].Pearson)
		}
		var degrees, found []float64
		ends, kept, arcs := 0, 0, 0
		for i, u := range s.rows {
			times, near := weight, 0
			if i < hubs {
				times = 1
			}
			for v := range uint32(300) {
				if v == u || math.Sqrt(float64(vec.L2Squared(m.Row(int(u)), m.Row(int(v))))) > p.Radius {
					continue
				}
				near++
				if g.HasEdge(u, v) {
					kept += times
				}
			}
			for range times {
				degrees, found = append(degrees, float64(g.Degree(u))), append(found, float64(near))
			}
			ends, arcs = ends+times*near, arcs+times*g.Degree(u)
		}
		want := ReconstructionPoint{
			Edges: int64(math.Round(float64(ends) / 2)), Pearson: Pearson(degrees, found), Spearman: spearman(rank(degrees), rank(found)),
			Precision: float64(kept) / float64(ends), Recall: float64(kept) / float64(arcs),
		}
		for _, c := range [][2]float64{
			{p.Pearson, want.Pearson}, {p.Spearman, want.Spearman}, {p.Precision, want.Precision}, {p.Recall, want.Recall}, {float64(p.Edges), float64(want.Edges)},
		} {
			if !(math.Abs(c[0]-c[1]) < 1e-9) {
				t.Fatalf("point %d is %+v, not %+v", i, p, want)
			}
		}
	}
}

// TestReconstructSample_Estimates expects nearly the figures of all rows, and the same
// figures at any number of workers.
func TestReconstructSample_Estimates(t *testing.T) {
	g, m := attached(t, 1000)
	ctx := context.Background()
	at, all, err := ReconstructSweep(ctx, g, m, ReconstructOptions{Criterion: ByBoth})
	if err != nil {
		t.Fatal(err)
	}
	exact := all[at]
	at, few, err := ReconstructSample(ctx, g, m, 400, ReconstructOptions{Criterion: ByBoth})
	if err != nil {
		t.Fatal(err)
	}
	got := few[at]
	near := func(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
	if !near(got.Pearson, exact.Pearson, 0.03) || !near(got.Spearman, exact.Spearman, 0.05) || !near(got.F1, exact.F1, 0.05) {
		t.Errorf("estimated %+v, and it is %+v", got, exact)
	}
	_, again, err := ReconstructSample(ctx, g, m, 400, ReconstructOptions{Criterion: ByBoth, Workers: 3})
	if err != nil || fmt.Sprint(again) != fmt.Sprint(few) {
		t.Errorf("three workers give something else, %v", err)
	}
}

// TestReconstructSample_All expects the result of the full sweep if half of the rows are
// asked for, and for criteria that cannot be estimated from a sample.
func TestReconstructSample_All(t *testing.T) {
	g, m := attached(t, 100)
	ctx := context.Background()
	for _, c := range []struct {
		rows int
		by   Criterion
	}{{50, ByPearson}, {10, ByKendall}, {10, ByKS}} {
		opts := ReconstructOptions{Points: 10, Criterion: c.by}
		best, points, err := ReconstructSample(ctx, g, m, c.rows, opts)
		if err != nil {
			t.Fatal(err)
		}
		wantBest, want, err := ReconstructSweep(ctx, g, m, opts)
		if err != nil || best != wantBest || fmt.Sprint(points) != fmt.Sprint(want) {
			t.Errorf("%d rows by %v: not the sweep, %v", c.rows, c.by, err)
		}
	}
}

func TestReconstructSample_Errors(t *testing.T) {
	g, m := attached(t, 100)
	ctx, cancel := context.WithCancel(context.Background())
	if _, _, err := ReconstructSample(ctx, g, vec.NewMatrix(99, 2), 10, ReconstructOptions{}); !errors.Is(err, ErrShape) {
		t.Errorf("99 vectors: %v", err)
	}
	if _, _, err := ReconstructSample(ctx, g, m, 10, ReconstructOptions{Points: -1}); !errors.Is(err, ErrOption) {
		t.Errorf("points: %v", err)
	}
	// All vectors are equal: one distance, and no correlation.
	best, points, err := ReconstructSample(ctx, g, vec.NewMatrix(100, 2), 10, ReconstructOptions{})
	if err != nil || !math.IsNaN(points[best].Pearson) {
		t.Errorf("vectors in one place: %+v, %v", points, err)
	}
	cancel()
	if _, _, err := ReconstructSample(ctx, g, m, 10, ReconstructOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRanked compares with sorting, at every place of short lists with few and many
// different numbers.
func TestRanked(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, different := range []uint32{1, 3, 1 << 20, math.MaxUint32} {
		list := make([]uint32, 40)
		for i := range list {
			list[i] = random.Uint32N(different)
		}
		sorted := slices.Sorted(slices.Values(list))
		for place, want := range sorted {
			if got := ranked(list, place); got != want {
				t.Errorf("place %d of %d different numbers: %d, not %d", place, different, got, want)
			}
		}
	}
}
