package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// path3 is a path of three vertices and an isolated one, on a line at 0, 1, 2 and 10: at
// radius 1 the reconstruction equals the graph.
func path3(t testing.TB) (*csr.Graph, *vec.Matrix) {
	g, err := csr.FromEdges(4, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return g, &vec.Matrix{Rows: 4, Dim: 1, Data: []float32{0, 1, 2, 10}}
}

func samePoint(a, b ReconstructionPoint) bool {
	return near(a.Epsilon, b.Epsilon) && a.Radius == b.Radius && a.Edges == b.Edges &&
		near(a.Pearson, b.Pearson) && near(a.Spearman, b.Spearman) && near(a.Kendall, b.Kendall) &&
		near(a.Precision, b.Precision) && near(a.Recall, b.Recall)
}

func TestReconstructAt_ByHand(t *testing.T) {
	g, m := path3(t)
	nan := math.NaN()
	for _, want := range []ReconstructionPoint{
		{Radius: 0, Epsilon: 0.5, Pearson: nan, Spearman: nan, Kendall: nan, Precision: nan},
		{Radius: 1, Epsilon: 1 / (1 + math.E), Edges: 2, Pearson: 1, Spearman: 1, Kendall: 1, Precision: 1, Recall: 1},
		// Degrees 1, 2, 1, 0 against 2, 2, 2, 0: see TestCorrelations_ByHand.
		{Radius: 2, Epsilon: 1 / (1 + math.E*math.E), Edges: 3, Pearson: 2 / math.Sqrt(6), Spearman: 3 / math.Sqrt(13.5), Kendall: 3 / math.Sqrt(15), Precision: 2. / 3, Recall: 1},
		{Radius: 10, Epsilon: 1 / (1 + math.Exp(10)), Edges: 6, Pearson: nan, Spearman: nan, Kendall: nan, Precision: 1. / 3, Recall: 1},
	} {
		got, err := ReconstructAt(context.Background(), g, m, want.Radius, ReconstructOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !samePoint(got, want) {
			t.Errorf("radius %v: %+v, expected %+v", want.Radius, got, want)
		}
	}
}

func TestReconstructSweep_Best(t *testing.T) {
	g, m := path3(t)
	for _, by := range []Criterion{ByPearson, BySpearman, ByKendall, ByF1, ByBoth, ByH3} {
		best, points, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{Criterion: by})
		if err != nil {
			t.Fatal(err)
		}
		// All radii from 1 to below 2 give the same graph; the smallest wins.
		if p := points[best]; p.Radius != 1 || !near(p.Pearson, 1) || p.F1 != 1 {
			t.Errorf("criterion %d: %+v", by, p)
		}
	}
}

// world is a random graph whose vertices are placed near their neighbours.
func world(t testing.TB, n int) (*csr.Graph, *vec.Matrix) {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	m := vec.NewMatrix(n, 3)
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	var edges []csr.Edge
	for u := range n {
		for v := range u {
			if d := vec.L2Squared(m.Row(u), m.Row(v)); random.Float64() < math.Exp(-4*float64(d)) {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g, m
}

// bruteAt builds the reconstruction and compares the two graphs.
func bruteAt(t *testing.T, g *csr.Graph, m *vec.Matrix, radius float64) ReconstructionPoint {
	var edges []csr.Edge
	kept := 0
	for u := range m.Rows {
		for v := range u {
			if float64(vec.L2Squared(m.Row(u), m.Row(v))) <= radius*radius {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
				if g.HasEdge(uint32(u), uint32(v)) {
					kept++
				}
			}
		}
	}
	again, err := csr.FromEdges(m.Rows, edges)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float64, m.Rows), make([]float64, m.Rows)
	for v := range m.Rows {
		x[v], y[v] = float64(g.Degree(uint32(v))), float64(again.Degree(uint32(v)))
	}
	return ReconstructionPoint{
		Epsilon: 1 / (1 + math.Exp(radius)), Radius: radius, Edges: again.Edges(),
		Pearson: Pearson(x, y), Spearman: spearman(rank(x), rank(y)), Kendall: kendall(rank(x), rank(y)),
		Precision: float64(kept) / float64(again.Edges()), Recall: float64(kept) / float64(g.Edges()),
	}
}

// The law of every point is fitted to the degrees at that point, and ByKS takes the point
// whose law is nearest.
func TestReconstructSweep_PowerLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes large inputs")
	}
	g, m := attached(t, 1000)
	opts := ReconstructOptions{Points: 20, Criterion: ByKS}
	best, points, err := ReconstructSweep(context.Background(), g, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	lawless, slight := 0, 0
	for i, p := range points {
		degrees := make([]int, m.Rows)
		for u := range m.Rows {
			for v := range u {
				if float64(vec.L2Squared(m.Row(u), m.Row(v))) <= p.Radius*p.Radius {
					degrees[u]++
					degrees[v]++
				}
			}
		}
		want, err := FitPowerLaw(context.Background(), degrees, PowerLawOptions{})
		switch {
		case err != nil:
			lawless++
			if p.Law != (PowerLaw{}) || !math.IsNaN(p.KS()) {
				t.Errorf("radius %v has the law %+v, and its degrees have none", p.Radius, p.Law)
			}
		case p.Law.Alpha != want.Alpha || p.Law.Xmin != want.Xmin || p.KS() != want.KS:
			t.Errorf("radius %v: law %+v, expected %+v", p.Radius, p.Law, want)
		case want.Tail < LeastTail || want.Different < LeastDegrees || want.Largest < LeastSpan*want.Xmin:
			slight++
			if i == best {
				t.Errorf("the best law is %+v", want)
			}
		case want.KS < points[best].KS() || want.KS == points[best].KS() && i < best:
			t.Errorf("KS %v at point %d is better than %v at %d", want.KS, i, points[best].KS(), best)
		}
	}
	if slight == 0 || lawless+slight == len(points) {
		t.Errorf("of %d points %d have no law and %d a slight one", len(points), lawless, slight)
	}
	opts.Criterion = ByPearson
	if _, points, err = ReconstructSweep(context.Background(), g, m, opts); err != nil || points[0].Law != (PowerLaw{}) {
		t.Errorf("a law that nobody asked for: %+v, %v", points[0].Law, err)
	}
}

func TestReconstructSweep_BruteForce(t *testing.T) {
	g, m := world(t, 150)
	for _, grid := range []Grid{Quantiles, Paper} {
		opts := ReconstructOptions{Grid: grid, Points: 20}
		best, points, err := ReconstructSweep(context.Background(), g, m, opts)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			if i > 0 && p.Radius <= points[i-1].Radius {
				t.Fatalf("radius %v after %v", p.Radius, points[i-1].Radius)
			}
			if want := bruteAt(t, g, m, p.Radius); !samePoint(p, want) {
				t.Fatalf("grid %d: %+v, brute force %+v", grid, p, want)
			}
			if p.Pearson > points[best].Pearson || (p.Pearson == points[best].Pearson && i < best) {
				t.Fatalf("grid %d: point %d is better than the best", grid, i)
			}
		}
		// The result depends neither on the number of workers nor on the number of passes.
		for _, workers := range []int{1, 5} {
			opts.Workers, opts.MaxBytes = workers, 4*150*7
			_, same, err := ReconstructSweep(context.Background(), g, m, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(points, same, samePoint) {
				t.Errorf("grid %d: %d workers and small passes give other points", grid, workers)
			}
		}
	}
}

// TestReconstructSweep_Grids checks the documented properties of the two grids.
func TestReconstructSweep_Grids(t *testing.T) {
	g, m := world(t, 400)
	_, points, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{Grid: Paper})
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 50 {
		t.Fatalf("%d points on the paper's grid", len(points))
	}
	for i, p := range points {
		if p.Epsilon != float64(50-i)/100 {
			t.Fatalf("point %d has ε %v", i, p.Epsilon)
		}
	}
	best, points, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, last := points[0], points[len(points)-1]
	if first.Edges > g.Edges()/20 || last.Edges < choose2(400)*45/100 || last.Edges > choose2(400)*55/100 {
		t.Errorf("from %d to %d edges, the original has %d", first.Edges, last.Edges, g.Edges())
	}
	if points[best].Pearson < 0.8 {
		t.Errorf("best Pearson %v", points[best].Pearson)
	}
}

func TestReconstructSweep_Degenerate(t *testing.T) {
	for _, n := range []int{0, 1, 2, 30} {
		empty, err := csr.FromEdges(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*vec.Matrix{vec.NewMatrix(n, 2), vec.NewMatrix(n, 0)} {
			best, points, err := ReconstructSweep(context.Background(), empty, m, ReconstructOptions{})
			if err != nil || best < 0 || best >= len(points) {
				t.Fatalf("%d equal vectors: best %d of %d, %v", n, best, len(points), err)
			}
			if p := points[best]; p.Edges != choose2(int64(n)) || !math.IsNaN(p.Pearson) || !math.IsNaN(p.Recall) {
				t.Errorf("%d equal vectors: %+v", n, p)
			}
		}
	}
	// A cycle: all degrees are equal, so F1 decides.
	g, err := csr.FromEdges(4, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 0}})
	if err != nil {
		t.Fatal(err)
	}
	square := &vec.Matrix{Rows: 4, Dim: 2, Data: []float32{0, 0, 0, 1, 1, 1, 1, 0}}
	best, points, err := ReconstructSweep(context.Background(), g, square, ReconstructOptions{Grid: Paper})
	if err != nil {
		t.Fatal(err)
	}
	if p := points[best]; p.F1 != 1 || p.Edges != 4 {
		t.Errorf("cycle: %+v", p)
	}
}

func TestReconstruct_Errors(t *testing.T) {
	ctx := context.Background()
	g, m := path3(t)
	if _, err := ReconstructAt(ctx, g, vec.NewMatrix(3, 1), 1, ReconstructOptions{}); !errors.Is(err, ErrShape) {
		t.Errorf("three vectors for four vertices: %v", err)
	}
	if _, err := ReconstructAt(ctx, g, m, math.NaN(), ReconstructOptions{}); !errors.Is(err, index.ErrRadius) {
		t.Errorf("radius NaN: %v", err)
	}
	bad := ReconstructOptions{Grid: 9, Criterion: 9, Points: -1, MaxBytes: -1}
	if _, _, err := ReconstructSweep(ctx, g, m, bad); !errors.Is(err, ErrOption) {
		t.Errorf("bad options: %v", err)
	}
	if faults, ok := bad.Validate().(interface{ Unwrap() []error }); !ok || len(faults.Unwrap()) != 4 {
		t.Errorf("not all four faults: %v", bad.Validate())
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := ReconstructSweep(ctx, g, m, ReconstructOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReconstructSweep_Progress(t *testing.T) {
	g, m := world(t, 200)
	var last, end int64
	_, _, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{Points: 16, MaxBytes: 4 * 200 * 5, Progress: func(stage string, done, total int64) {
		if stage != "joining" || done < last || done > total || (end != 0 && total != end) {
			t.Errorf("%s: %d of %d after %d of %d", stage, done, total, last, end)
		}
		last, end = done, total
	}})
	if err != nil {
		t.Fatal(err)
	}
	if last != end || end != choose2(200)*6 {
		t.Errorf("ended at %d of %d", last, end)
	}
}

// TestCriterion_Both expects a mean that lies between both correlations, nearer to
// Pearson's than to Spearman's, and a defined order if one of them is not positive.
func TestCriterion_Both(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ pearson, spearman, want float64 }{
		{0.8, 0.8, 0.8}, {0.5, 1, 0.6}, {1, 0.5, 0.75}, {0.9, 0, 0}, {0.9, -0.2, -0.2}, {-0.3, -0.1, -0.3}, {nan, 0.5, nan}, {0.5, nan, nan},
	} {
		got := ByBoth.Value(ReconstructionPoint{Pearson: c.pearson, Spearman: c.spearman})
		if !(math.Abs(got-c.want) < 1e-12 || math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("of %v and %v it is %v, not %v", c.pearson, c.spearman, got, c.want)
		}
	}
}

// TestReconstructSweep_BestLaw expects the law to be fitted for the best point only,
// whether or not the counts fit into one pass.
func TestReconstructSweep_BestLaw(t *testing.T) {
	g, m := attached(t, 200)
	for _, by := range []Criterion{ByPearson, ByF1, ByBoth} {
		for _, bytes := range []int64{1 << 20, 200 * 4 * 3} {
			opts := ReconstructOptions{Points: 20, Criterion: by, BestLaw: true, MaxBytes: bytes}
			best, points, err := ReconstructSweep(context.Background(), g, m, opts)
			if err != nil {
				t.Fatal(err)
			}
			opts.PowerLaw = true
			wantBest, want, err := ReconstructSweep(context.Background(), g, m, opts)
			if err != nil {
				t.Fatal(err)
			}
			if best != wantBest || fmt.Sprint(points[best].Law) != fmt.Sprint(want[best].Law) || points[best].Law.Xmin == 0 {
				t.Errorf("by %v in %d bytes, the law is %+v, not %+v", by, bytes, points[best].Law, want[best].Law)
			}
			for i, p := range points {
				if i != best && p.Law.Xmin != 0 {
					t.Errorf("point %d has a law too", i)
				}
			}
		}
	}
}
