package algorithms

import (
	"context"
	"fmt"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
)

// BenchmarkMeasures has a measure of each kind on the largest graphs of the collection.
func BenchmarkMeasures(b *testing.B) {
	ctx := context.Background()
	for _, name := range []string{"ego-twitter", "soc-Epinions1", "dblp-2010"} {
		g := realgraph.Load(b, name)
		for _, m := range []struct {
			name string
			run  func(*csr.Graph, Work) (any, error)
		}{
			{"pagerank", func(g *csr.Graph, w Work) (any, error) { return PageRank(ctx, g, PageRankOptions{Work: w}) }},
			{"eigenvector", func(g *csr.Graph, w Work) (any, error) { return Eigenvector(ctx, g, EigenvectorOptions{Work: w}) }},
			{"katz", func(g *csr.Graph, w Work) (any, error) { return Katz(ctx, g, KatzOptions{Work: w}) }},
			{"cores", func(g *csr.Graph, _ Work) (any, error) { return Cores(g), nil }},
			{"components", func(g *csr.Graph, _ Work) (any, error) { return g.Components(), nil }},
			{"triangles", func(g *csr.Graph, w Work) (any, error) { return Triangles(ctx, g, w) }},
			{"leiden", func(g *csr.Graph, w Work) (any, error) {
				c, err := Leiden(ctx, g, LeidenOptions{Work: w})
				b.ReportMetric(c.Modularity, "modularity")
				return c, err
			}},
			{"labels", func(g *csr.Graph, w Work) (any, error) { return LabelPropagation(ctx, g, LabelOptions{Work: w}) }},
			{"harmonic64", func(g *csr.Graph, w Work) (any, error) {
				return Harmonic(ctx, g, DistanceOptions{Work: w, Sources: 64})
			}},
			{"betweenness10", func(g *csr.Graph, w Work) (any, error) {
				return Betweenness(ctx, g, DistanceOptions{Work: w, Sources: 10})
			}},
			{"eccentricity", func(g *csr.Graph, w Work) (any, error) { return Eccentricity(ctx, g, EccentricityOptions{Work: w}) }},
		} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("graph=%s/measure=%s/workers=%d", name, m.name, workers), func(b *testing.B) {
					if testing.Short() && m.name == "eccentricity" && g.Vertices() > 20_000 {
						b.Skip("it takes minutes on large graphs")
					}
					for b.Loop() {
						if _, err := m.run(g, Work{Workers: workers}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
