package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/realgraph"
)

func BenchmarkKendall(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		for _, values := range []int{50, n} {
			b.Run(fmt.Sprintf("n=%d/values=%d", n, values), func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 1))
				x, y := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = float64(random.IntN(values))
					y[i] = x[i] + float64(random.IntN(values))
				}
				if got, want := kendall(rank(x[:1000]), rank(y[:1000])), bruteKendall(x[:1000], y[:1000]); !near(got, want) {
					b.Fatalf("%v, brute force %v", got, want)
				}
				b.ReportAllocs()
				for b.Loop() {
					kendall(rank(x), rank(y))
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
			})
		}
	}
}

func BenchmarkReconstructSweep(b *testing.B) {
	g, m := world(b, 3000)
	b.Run("n=3000/dim=3/points=128", func(b *testing.B) {
		for b.Loop() {
			best, points, err := ReconstructSweep(context.Background(), g, m, ReconstructOptions{})
			if err != nil || points[best].Pearson < 0.8 {
				b.Fatal(points[best], err)
			}
		}
		b.ReportMetric(float64(g.Edges()), "edges")
	})
}

// BenchmarkFitPowerLaw fits the degrees of real graphs, and synthetic data sets of the
// bootstrap.
func BenchmarkFitPowerLaw(b *testing.B) {
	for _, c := range []struct {
		graph string
		xmin  int
	}{{"ego-facebook", 47}, {"soc-Epinions1", 1}, {"ego-twitter", 188}} {
		degrees := degreesOf(realgraph.Load(b, c.graph))
		for _, replicates := range []int{0, 20} {
			b.Run(fmt.Sprintf("graph=%s/bootstrap=%d", c.graph, replicates), func(b *testing.B) {
				for b.Loop() {
					law, err := FitPowerLaw(context.Background(), degrees, PowerLawOptions{Bootstrap: replicates, Workers: 1})
					if err != nil || law.Xmin != c.xmin {
						b.Fatal(law, err)
					}
				}
			})
		}
	}
}
