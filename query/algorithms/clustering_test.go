package algorithms

import (
	"context"
	"fmt"
	"math"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// TestClusteringCoefficients_Published holds real graphs against networkx 3.6.1
// (average_clustering, transitivity, triangles), and all four against the pages of SNAP
// that publish the graphs.
func TestClusteringCoefficients_Published(t *testing.T) {
	for _, c := range []struct {
		graph                 string
		average, transitivity float64 // 0 where networkx was not asked
		triangles             int64
	}{
		{"ca-GrQc", 0.5297368673030521, 0.6298424741263426, 48260},
		{"ego-facebook", 0.6055467186200876, 0.5191742775433075, 1612010},
		{"ego-twitter", 0.5653, 0, 13082506},
		{"soc-Epinions1", 0.1378, 0, 1624481},
	} {
		t.Run(c.graph, func(t *testing.T) {
			if testing.Short() && c.transitivity == 0 {
				t.Skip("its file takes long to read")
			}
			g := realgraph.Load(t, c.graph)
			got, err := ClusteringCoefficients(t.Context(), g, Work{})
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
			if c.transitivity != 0 && math.Abs(got.Transitivity-c.transitivity) > tolerance {
				t.Errorf("transitivity %v, networkx %v", got.Transitivity, c.transitivity)
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
		{"nothing", testgraph.Of(t, 0), Clustering{}},
		{"no edges", testgraph.Of(t, 3), Clustering{}},
		{"an edge", testgraph.Of(t, 2, csr.Edge{U: 0, V: 1}), Clustering{}},
		{"a star", testgraph.Star(t, 5), Clustering{Paths: 10}},
		{"a clique", testgraph.Complete(t, 7), Clustering{Average: 1, Transitivity: 1, Triangles: 35, Paths: 105}},
		// The middle: 6 of 15 pairs; the others: 2 of 3.
		{"a wheel", testgraph.Wheel(t, 6), Clustering{Average: (6./15 + 6*2./3) / 7, Transitivity: 18. / 33, Triangles: 6, Paths: 15 + 6*3}},
		{"a triangle and a lone vertex", testgraph.Of(t, 4, csr.Edge{U: 1, V: 2}, csr.Edge{U: 2, V: 3}, csr.Edge{U: 3, V: 1}), Clustering{Average: 0.75, Transitivity: 1, Triangles: 1, Paths: 3}},
	} {
		got, err := ClusteringCoefficients(t.Context(), c.g, Work{})
		if err != nil || math.Abs(got.Average-c.want.Average) > 1e-15 || got.Transitivity != c.want.Transitivity || got.Triangles != c.want.Triangles || got.Paths != c.want.Paths {
			t.Errorf("%s: %+v, want %+v, %v", c.name, got, c.want, err)
		}
	}
}

func TestClusteringCoefficients_BruteForce(t *testing.T) {
	for seed := range uint64(20) {
		n := 5 + int(seed)*10
		g := testgraph.Hubs(t, n, 4/float64(n), seed)
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
			got, err := ClusteringCoefficients(t.Context(), g, Work{Workers: workers, Progress: func(stage string, done, total int64) {
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

func BenchmarkClusteringCoefficients(b *testing.B) {
	for _, c := range []struct {
		graph     string
		triangles int64
	}{{"ego-facebook", 1612010}, {"soc-Epinions1", 1624481}, {"ego-twitter", 13082506}} {
		g := realgraph.Load(b, c.graph)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("graph=%s/workers=%d", c.graph, workers), func(b *testing.B) {
				for b.Loop() {
					got, err := ClusteringCoefficients(context.Background(), g, Work{Workers: workers})
					if err != nil || got.Triangles != c.triangles {
						b.Fatal(got, err)
					}
				}
				b.ReportMetric(float64(b.N)*float64(g.Edges())/b.Elapsed().Seconds()/1e6, "Medges/s")
			})
		}
	}
}
