package evaluate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/realgraph"
)

func graphOf(t testing.TB, n int, edges ...csr.Edge) *csr.Graph {
	t.Helper()
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// star has vertex 0 in its middle; wheel joins the others in a ring.
func star(t testing.TB, leaves int, wheel bool) *csr.Graph {
	var edges []csr.Edge
	for i := range leaves {
		edges = append(edges, csr.Edge{U: 0, V: uint32(i + 1)})
		if wheel {
			edges = append(edges, csr.Edge{U: uint32(i + 1), V: uint32((i+1)%leaves + 1)})
		}
	}
	return graphOf(t, leaves+1, edges...)
}

func complete(t testing.TB, n int) *csr.Graph {
	var edges []csr.Edge
	for v := range n {
		for u := range v {
			edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
		}
	}
	return graphOf(t, n, edges...)
}

// scattered is a random graph with some hubs.
func scattered(t testing.TB, n int, density float64, seed uint64) *csr.Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	var edges []csr.Edge
	for v := range n {
		for u := range v {
			p := density
			if u < 3 {
				p = 0.5
			}
			if r.Float64() < p {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	return graphOf(t, n, edges...)
}

// TestStatistics_Published holds real graphs against networkx 3.6.1
// (average_clustering, transitivity, triangles; its edges for the assortativity,
// in exact fractions), and the triangles and clustering of all four against the
// pages of SNAP that publish the graphs.
func TestStatistics_Published(t *testing.T) {
	for _, c := range []struct {
		graph                                string
		average, transitivity, assortativity float64 // 0 where networkx was not asked
		triangles                            int64
	}{
		{"ca-GrQc", 0.5297368673030521, 0.6298424741263426, 0.6593246242993966, 48260},
		{"ego-facebook", 0.6055467186200876, 0.5191742775433075, 0.06357722918564918, 1612010},
		{"ego-twitter", 0.5653, 0, 0, 13082506},
		{"soc-Epinions1", 0.1378, 0, 0, 1624481},
	} {
		t.Run(c.graph, func(t *testing.T) {
			if testing.Short() && c.graph == "ego-twitter" {
				t.Skip("its file takes long to read")
			}
			g := realgraph.Load(t, c.graph)
			got, err := ClusteringCoefficients(t.Context(), g, ClusteringOptions{})
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-12
			if c.transitivity == 0 {
				tolerance = 5e-5 // four digits are published
			}
			if math.Abs(got.Average-c.average) > tolerance || got.Triangles != c.triangles {
				t.Errorf("%+v, published %v and %d triangles", got, c.average, c.triangles)
			}
			if c.transitivity == 0 {
				return
			}
			if math.Abs(got.Transitivity-c.transitivity) > tolerance {
				t.Errorf("transitivity %v, networkx %v", got.Transitivity, c.transitivity)
			}
			r, err := Assortativity(t.Context(), g)
			if err != nil || math.Abs(r-c.assortativity) > 1e-15 {
				t.Errorf("assortativity %v, networkx %v, %v", r, c.assortativity, err)
			}
		})
	}
}

func TestClusteringCoefficients_ClosedForms(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *csr.Graph
		want Clustering
	}{
		{"nothing", graphOf(t, 0), Clustering{}},
		{"no edges", graphOf(t, 3), Clustering{}},
		{"an edge", graphOf(t, 2, csr.Edge{U: 0, V: 1}), Clustering{}},
		{"a star", star(t, 5, false), Clustering{Paths: 10}},
		{"a clique", complete(t, 7), Clustering{Average: 1, Transitivity: 1, Triangles: 35, Paths: 105}},
		// The middle: 6 of 15 pairs; the others: 2 of 3.
		{"a wheel", star(t, 6, true), Clustering{Average: (6./15 + 6*2./3) / 7, Transitivity: 18. / 33, Triangles: 6, Paths: 15 + 6*3}},
		{"a triangle and a lone vertex", graphOf(t, 4, csr.Edge{U: 1, V: 2}, csr.Edge{U: 2, V: 3}, csr.Edge{U: 3, V: 1}), Clustering{Average: 0.75, Transitivity: 1, Triangles: 1, Paths: 3}},
	} {
		got, err := ClusteringCoefficients(t.Context(), c.g, ClusteringOptions{})
		if err != nil || math.Abs(got.Average-c.want.Average) > 1e-15 || got.Transitivity != c.want.Transitivity || got.Triangles != c.want.Triangles || got.Paths != c.want.Paths {
			t.Errorf("%s: %+v, want %+v, %v", c.name, got, c.want, err)
		}
	}
}

func TestClusteringCoefficients_BruteForce(t *testing.T) {
	for seed := range uint64(20) {
		n := 5 + int(seed)*10
		g := scattered(t, n, 4/float64(n), seed)
		var want Clustering
		for v := range uint32(n) {
			row, closed, all := g.Neighbors(v), int64(0), int64(0)
			for i, a := range row {
				for _, b := range row[:i] {
					all++
					if g.HasEdge(a, b) {
						closed++
					}
				}
			}
			want.Paths += all
			want.Triangles += closed
			if all > 0 {
				want.Average += float64(closed) / float64(all) / float64(n)
			}
		}
		if want.Paths > 0 {
			want.Transitivity = float64(want.Triangles) / float64(want.Paths)
		}
		want.Triangles /= 3
		var first Clustering
		for workers := range 4 {
			last := int64(0)
			got, err := ClusteringCoefficients(t.Context(), g, ClusteringOptions{Workers: workers, Progress: func(stage string, done, total int64) {
				if stage != "counting" || total != g.Edges() || done < last {
					t.Errorf("%s %d of %d after %d", stage, done, total, last)
				}
				last = done
			}})
			if err != nil || last != g.Edges() {
				t.Fatalf("ended at %d of %d: %v", last, g.Edges(), err)
			}
			if workers == 0 {
				first = got
			}
			if got != first {
				t.Errorf("%d workers: %+v, default %+v", workers, got, first)
			}
		}
		if math.Abs(first.Average-want.Average) > 1e-12 || first.Triangles != want.Triangles || first.Paths != want.Paths || first.Transitivity != want.Transitivity {
			t.Errorf("seed %d: %+v, brute force %+v", seed, first, want)
		}
	}
}

func TestAssortativity_Pearson(t *testing.T) {
	for seed := range uint64(20) {
		g := scattered(t, 10+int(seed)*5, 0.1, seed)
		var x, y []float64
		for v := range uint32(g.Vertices()) {
			for _, u := range g.Neighbors(v) {
				x, y = append(x, float64(g.Degree(v))), append(y, float64(g.Degree(u)))
			}
		}
		got, err := Assortativity(t.Context(), g)
		if want := Pearson(x, y); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("seed %d: %v, Pearson %v, %v", seed, got, want, err)
		}
	}
	if r, err := Assortativity(t.Context(), star(t, 9, false)); err != nil || r != -1 {
		t.Errorf("a star: %v, %v", r, err)
	}
	for _, g := range []*csr.Graph{graphOf(t, 0), graphOf(t, 4), complete(t, 5)} {
		if r, err := Assortativity(t.Context(), g); err != nil || !math.IsNaN(r) {
			t.Errorf("equal degrees: %v, %v", r, err)
		}
	}
}

func TestPackingDimension_ClosedForms(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *csr.Graph
		want Packing
	}{
		{"no edges", graphOf(t, 3), Packing{}},
		{"nothing", graphOf(t, 0), Packing{}},
		{"a clique", complete(t, 6), Packing{0, 5, 1, 1, 1, 1, 1, 1}},
		// Four leaves: 1.98^2 < 4 ≤ 1.98^3; 1.5^3 < 4 ≤ 1.5^4; 3 < 4 ≤ 9; three
		// dimensions, where a cap of 60° is a quarter of the sphere.
		{"a star of 4", star(t, 4, false), Packing{0, 4, 4, 4, 3, 4, 2, 3}},
		// The ring of a wheel of 8: 4 apart, and 4 edges cover it.
		{"a wheel of 8", star(t, 8, true), Packing{0, 8, 4, 4, 3, 4, 2, 3}},
		{"a star of 1000", star(t, 1000, false), Packing{0, 1000, 1000, 1000, 11, 18, 7, 35}},
	} {
		got, err := PackingDimension(t.Context(), c.g)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, want %+v, %v", c.name, got, c.want, err)
		}
	}
}

// TestPackingDimension_Bounds compares both bounds of the set with the largest
// one, found by trying all.
func TestPackingDimension_Bounds(t *testing.T) {
	tight := 0
	for seed := range uint64(60) {
		n := 4 + int(seed)%11
		g := scattered(t, n, 0.3, seed)
		largest := 0
		for set := range 1 << n {
			size, free := 0, true
			for v := range n {
				if set>>v&1 == 0 {
					continue
				}
				size++
				for u := range v {
					free = free && (set>>u&1 == 0 || !g.HasEdge(uint32(u), uint32(v)))
				}
			}
			if free {
				largest = max(largest, size)
			}
		}
		low, err := independentSet(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		high, err := cliqueCover(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if low > largest || high < largest {
			t.Errorf("seed %d: %d to %d, the largest set has %d", seed, low, high, largest)
		}
		if low == largest && high == largest {
			tight++
		}
	}
	if tight < 30 {
		t.Errorf("only %d of 60 bounds are tight", tight)
	}
}

// TestCapShare_ClosedForms: 60° to both sides of a circle are a third of it, and
// on the sphere the share is (1−cos 60°)/2. In four dimensions it is
// (2θ−sin 2θ)/2π.
func TestCapShare_ClosedForms(t *testing.T) {
	angle := math.Pi / 3
	for k, want := range map[int]float64{2: 1. / 3, 3: 1. / 4, 4: (2*angle - math.Sin(2*angle)) / (2 * math.Pi)} {
		if got := capShare(k); math.Abs(got-want) > 1e-15 {
			t.Errorf("k %d: %v, want %v", k, got, want)
		}
	}
	// By Simpson's rule in more dimensions.
	for _, k := range []int{5, 20, 101, 300} {
		integral := func(to float64) float64 {
			const steps = 20_000
			sum := 0.0
			for i := range steps + 1 {
				weight := 2 + 2*float64(i%2)
				if i == 0 || i == steps {
					weight = 1
				}
				sum += weight * math.Pow(math.Sin(to*float64(i)/steps), float64(k-2))
			}
			return sum * to / (3 * steps)
		}
		if got, want := capShare(k), integral(angle)/integral(math.Pi); math.Abs(got-want) > 1e-9*want {
			t.Errorf("k %d: %v, Simpson %v", k, got, want)
		}
	}
}

func TestStatistics_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := star(t, 3000, true)
	if _, err := ClusteringCoefficients(ctx, g, ClusteringOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("clustering: %v", err)
	}
	o, err := orient(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.triangles(ctx, ClusteringOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("triangles: %v", err)
	}
	if _, err := Assortativity(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("assortativity: %v", err)
	}
	if _, err := PackingDimension(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("packing: %v", err)
	}
	if _, err := cliqueCover(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("cover: %v", err)
	}
}
