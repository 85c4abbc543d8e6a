package link

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// BenchmarkScore scores random pairs of a graph with hubs: 20,000 vertices of mean degree 40,
// whose edges prefer vertices with small numbers.
func BenchmarkScore(b *testing.B) {
	const n, dim = 20_000, 200
	random := rand.New(rand.NewPCG(1, 1))
	edges := make([]csr.Edge, n*20)
	for i := range edges {
		x := random.Float64()
		edges[i] = csr.Edge{U: uint32(x * x * x * n), V: uint32(random.IntN(n))}
	}
	g := withTimes(testgraph.Of(b, n, edges...), random)
	m := vec.NewMatrix(n, dim)
	for i := range m.Data {
		m.Data[i] = random.Float32()
	}
	pairs := make([]csr.Edge, 4096)
	for i := range pairs {
		pairs[i] = csr.Edge{U: uint32(random.IntN(n)), V: uint32(random.IntN(n))}
	}
	for _, s := range Scorers() {
		b.Run(fmt.Sprintf("scorer=%s", s.Name), func(b *testing.B) {
			score, err := New(s.Name, g, m)
			if err != nil {
				b.Fatal(err)
			}
			for _, p := range pairs[:100] {
				if score(p.U, p.V) != score(p.V, p.U) {
					b.Fatalf("not symmetric at %v", p)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p := pairs[i%len(pairs)]
				score(p.U, p.V)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
