package spectral

import (
	"fmt"
	"testing"
)

// BenchmarkSpectral solves for k = 200 on the real graphs, at the tolerance of 1e-4,
// largest component. The metric residual is the largest residual that the solver measured.
func BenchmarkSpectral(b *testing.B) {
	for _, m := range []struct {
		name string
		method
	}{
		{"laplacian_eigenmaps", method{}},
		{"dp_spectral", method{common: 1, beta: 0.5}},
		{"dp_spectral_strength", method{common: 1, strength: true, beta: 2}},
	} {
		for _, name := range []string{"ego-facebook", "ca-GrQc", "soc-Epinions1", "ego-twitter", "dblp-2010"} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("method=%s/graph=%s/workers=%d", m.name, name, workers), func(b *testing.B) {
					if large := name != "ego-facebook" && name != "ca-GrQc"; large && testing.Short() {
						b.Skip("takes 10 s to 2 minutes; without -short it runs")
					}
					g := realGraph(b, name)
					o := m.options()
					o.Workers = workers
					var stats Stats
					for b.Loop() {
						_, stats = embed(b, g, m.method, o)
					}
					if !stats.Converged {
						b.Fatal(stats.Reason)
					}
					worst := 0.0
					for _, r := range stats.Residuals {
						worst = max(worst, r)
					}
					b.ReportMetric(worst, "residual")
					b.ReportMetric(float64(stats.Products), "products")
				})
			}
		}
	}
}
