package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/unitball"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

// directions are rows in random directions whose lengths are powers of the degrees.
func directions(g *csr.Graph, dim int, power float64) *vec.Matrix {
	random := rand.New(rand.NewPCG(3, 4))
	m := vec.NewMatrix(g.Vertices(), dim)
	for v := range m.Rows {
		sum := 0.0
		for i := range m.Row(v) {
			x := random.NormFloat64()
			m.Row(v)[i] = float32(x)
			sum += x * x
		}
		scale := math.Pow(float64(max(1, g.Degree(uint32(v)))), power) / math.Sqrt(sum)
		for i := range m.Row(v) {
			m.Row(v)[i] *= float32(scale)
		}
	}
	return m
}

// Lengths alone give nearly all degrees and hardly an edge: the correlations of random
// directions are high, H3 is not, and the null of rows that are such a null has about their
// own figures. Without lengths the null has nothing.
func TestReconstructNull_LengthsAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, err := generate.PreferentialAttachment{N: 1200, M: 5, Seed: 1}.Generate(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := directions(g, 64, -0.1)
	at := func(m *vec.Matrix, by Criterion) (own, null ReconstructionPoint) {
		opts := ReconstructOptions{Criterion: by, Points: 64}
		best, points, err := ReconstructSweep(ctx, g, m, opts)
		if err != nil {
			t.Fatal(err)
		}
		if null, err = ReconstructNull(ctx, g, m, opts); err != nil {
			t.Fatal(err)
		}
		return points[best], null
	}
	for _, by := range []Criterion{ByBoth, ByH3} {
		own, null := at(m, by)
		t.Logf("criterion %d: pearson %.3f spearman %.3f f1 %.3f h3 %.3f; null %.3f %.3f %.3f %.3f",
			by, own.Pearson, own.Spearman, own.F1, own.H3, null.Pearson, null.Spearman, null.F1, null.H3)
		if by == ByBoth && (own.Pearson < 0.85 || own.Spearman < 0.85) || own.H3 > 0.4 {
			t.Errorf("random directions by criterion %d: %+v", by, own)
		}
		for _, pair := range [][2]float64{{own.Pearson, null.Pearson}, {own.Spearman, null.Spearman}, {own.Kendall, null.Kendall}, {own.F1, null.F1}, {own.H3, null.H3}} {
			if math.Abs(pair[0]-pair[1]) > 0.06 {
				t.Errorf("random directions by criterion %d: %+v, and their null %+v", by, own, null)
			}
		}
	}
	if _, null := at(directions(g, 64, 0), ByBoth); math.Abs(null.Pearson) > 0.25 || math.Abs(null.Spearman) > 0.25 {
		t.Errorf("rows of equal lengths have the null %+v", null)
	}
}

// An exact embedding has an H3 of 1, whatever else is on the grid, and its null has not.
func TestReconstructSweep_ExactIsOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	grown, err := generate.PreferentialAttachment{N: 80, M: 2, Seed: 3}.Generate(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*csr.Graph{"grown": grown, "star": testgraph.Star(t, 12)} {
		m, stats, err := unitball.Embed(ctx, g, unitball.Options{Dim: 32})
		if err != nil || stats.Wrong.Pairs() != 0 {
			t.Fatalf("%s: %+v, %v", name, stats, err)
		}
		for _, by := range []Criterion{ByH3, ByBoth, ByF1} {
			best, points, err := ReconstructSweep(ctx, g, m, ReconstructOptions{Criterion: by})
			if err != nil || !near(points[best].H3, 1) || points[best].F1 != 1 {
				t.Errorf("%s by criterion %d: %+v, %v", name, by, points[best], err)
			}
		}
		if null, err := ReconstructNull(ctx, g, m, ReconstructOptions{Criterion: ByH3}); err != nil || !(null.H3 < 0.7) {
			t.Errorf("%s: the null is %+v, %v", name, null, err)
		}
	}
}

// oracle computes F1 and H3 of a point from all pairs of vertices by their definitions.
func oracle(g *csr.Graph, m *vec.Matrix, radius float64) (f1, h3 float64) {
	both, one := 0, 0
	x, y := make([]float64, m.Rows), make([]float64, m.Rows)
	for u := range m.Rows {
		for v := range m.Rows {
			edge, near := g.HasEdge(uint32(u), uint32(v)), u != v && float64(vec.L2Squared(m.Row(u), m.Row(v))) <= radius*radius
			if edge {
				x[u]++
			}
			if near {
				y[u]++
			}
			if edge && near {
				both++
			} else if edge || near {
				one++
			}
		}
	}
	f1 = 2 * float64(both) / float64(2*both+one)
	if sum(x) == 0 || sum(y) == 0 {
		f1 = math.NaN() // no recall, or no precision
	}
	p, s := Pearson(x, y), spearman(rank(x), rank(y))
	switch {
	case math.IsNaN(p + s + f1):
		return f1, math.NaN()
	case p <= 0 || s <= 0 || f1 <= 0:
		return f1, 0
	}
	return f1, 3 * p * s * f1 / (p*s + p*f1 + s*f1)
}

func sum(x []float64) (all float64) {
	for _, v := range x {
		all += v
	}
	return all
}

// The figures of every point are those of all pairs, the best has the largest H3 that is
// plausible, and where H3 is undefined everywhere F1 decides.
func TestReconstructSweep_H3Oracle(t *testing.T) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(7, 7))
	cycle := []csr.Edge{{U: 0, V: 6}}
	for v := range uint32(6) {
		cycle = append(cycle, csr.Edge{U: v, V: v + 1})
	}
	graphs := map[string]*csr.Graph{
		"star": testgraph.Star(t, 9), "star and isolated": testgraph.Of(t, 14, csr.Edge{U: 0, V: 1}, csr.Edge{U: 0, V: 2}, csr.Edge{U: 0, V: 3}),
		"empty": testgraph.Of(t, 8), "none": testgraph.Of(t, 0), "cycle": testgraph.Of(t, 7, cycle...), "pair": testgraph.Of(t, 2, csr.Edge{U: 0, V: 1}),
		"chance": chance(t, 40, 0.1, 1), "dense": chance(t, 25, 0.7, 2), "attached": attachedBy(t, 60, 2, 3),
	}
	for name, g := range graphs {
		for _, dim := range []int{1, 3} {
			m := vec.NewMatrix(g.Vertices(), dim)
			for i := range m.Data {
				m.Data[i] = float32(math.Round(4*random.NormFloat64()) / 4) // with ties
			}
			opts := ReconstructOptions{Criterion: ByH3, Points: 24}
			best, points, err := ReconstructSweep(ctx, g, m, opts)
			if err != nil {
				t.Fatal(err)
			}
			defined := false
			for i, p := range points {
				f1, h3 := oracle(g, m, p.Radius)
				if !near(p.F1, f1) || !near(p.H3, h3) {
					t.Errorf("%s, point %d: f1 %v, h3 %v, not %v, %v", name, i, p.F1, p.H3, f1, h3)
				}
				plausible := Plausible(g, p.Edges)
				defined = defined || plausible && !math.IsNaN(h3)
				if plausible && (p.H3 > points[best].H3 || p.H3 == points[best].H3 && i < best) {
					t.Errorf("%s: point %d is better than the best", name, i)
				}
			}
			for i, p := range points {
				if !defined && Plausible(g, p.Edges) && p.F1 > points[best].F1 {
					t.Errorf("%s: point %d has the better F1", name, i)
				}
			}
			// Estimates from half of the vertices have the same means of their own figures.
			_, points, err = ReconstructSample(ctx, g, m, g.Vertices()/3, opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range points {
				if q := p.withMeans(); !near(p.F1, q.F1) || !near(p.H3, q.H3) {
					t.Errorf("%s: %+v of a sample", name, p)
				}
			}
		}
	}
}

func TestHarmonic(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 1, 1}, 1}, {[]float64{0.5, 0.5, 0.25}, 0.375}, {[]float64{0.9, 0, 0.9}, 0}, {[]float64{0.9, -0.5, 0.9}, 0},
		{[]float64{nan, 0.5}, nan}, {[]float64{nan, 0}, nan}, {[]float64{0, 0}, 0},
	} {
		if got := harmonic(c.values...); !near(got, c.want) {
			t.Errorf("of %v it is %v, not %v", c.values, got, c.want)
		}
	}
}

// Rows keep their lengths, have directions without a preference, and depend on the seed
// alone.
func TestRandomDirections(t *testing.T) {
	ctx := context.Background()
	m := vec.NewMatrix(3000, 3)
	random := rand.New(rand.NewPCG(1, 1))
	for v := 1; v < m.Rows; v++ { // row 0 stays zero
		m.Row(v)[v%3] = float32(math.Exp(random.NormFloat64()))
	}
	got, err := RandomDirections(ctx, m, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, 3)
	for v := range m.Rows {
		want := length(m.Row(v))
		if math.Abs(length(got.Row(v))-want) > 1e-5*want {
			t.Fatalf("row %d has the length %v, not %v", v, length(got.Row(v)), want)
		}
		for i, x := range got.Row(v) {
			mean[i] += float64(x) / max(want, 1e-9) / 3000
		}
	}
	if length(mean) > 0.06 { // four standard deviations
		t.Errorf("the mean direction is %v", mean)
	}
	for _, workers := range []int{2, 7} {
		if same, _ := RandomDirections(ctx, m, 5, workers); !slices.Equal(same.Data, got.Data) {
			t.Errorf("%d workers change it", workers)
		}
	}
	if other, _ := RandomDirections(ctx, m, 6, 1); slices.Equal(other.Data, got.Data) {
		t.Error("the seed changes nothing")
	}
	for _, shape := range [][2]int{{0, 4}, {5, 0}, {0, 0}} {
		if empty, err := RandomDirections(ctx, vec.NewMatrix(shape[0], shape[1]), 0, 0); err != nil || empty.Rows != shape[0] || empty.Dim != shape[1] {
			t.Errorf("%v: %v", shape, err)
		}
	}
	huge := &vec.Matrix{Rows: 2, Dim: 2, Data: []float32{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32}}
	if far, _ := RandomDirections(ctx, huge, 1, 0); slices.ContainsFunc(far.Data, func(x float32) bool { return math.IsInf(float64(x), 0) || x != x }) {
		t.Errorf("%v", far.Data)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ReconstructNull(ctx, testgraph.Of(t, 3000), m, ReconstructOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := ReconstructNull(context.Background(), testgraph.Of(t, 2), m, ReconstructOptions{}); !errors.Is(err, ErrShape) {
		t.Errorf("two vertices: %v", err)
	}
	if _, err := ReconstructNull(context.Background(), testgraph.Of(t, 2), m, ReconstructOptions{Criterion: ByH3 + 1}); !errors.Is(err, ErrOption) {
		t.Errorf("no such criterion: %v", err)
	}
}

// The null is the sweep of the random directions, at any number of workers.
func TestReconstructNull_Sweep(t *testing.T) {
	ctx := context.Background()
	g, m := world(t, 150)
	opts := ReconstructOptions{Points: 20, Criterion: ByH3, Seed: 4, BestLaw: true}
	random, err := RandomDirections(ctx, m, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, points, err := ReconstructSweep(ctx, g, random, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		opts.Workers = workers
		null, err := ReconstructNull(ctx, g, m, opts)
		if err != nil || fmt.Sprint(null) != fmt.Sprint(points[best]) {
			t.Errorf("%+v, %v, not %+v", null, err, points[best])
		}
	}
}
