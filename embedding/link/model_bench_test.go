package link

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// BenchmarkModel scores pairs by the model of all terms and three embeddings of 128 coordinates: random
// pairs, and pairs in groups of one source, as in a file that is sorted. Random vectors have the same cost.
func BenchmarkModel(b *testing.B) {
	for _, name := range []string{"ca-GrQc", "dblp", "ego-facebook", "ego-twitter"} {
		g := realgraph.Load(b, name)
		n := uint32(g.Vertices())
		random := rand.New(rand.NewPCG(1, 1))
		var vectors []*vec.Matrix
		for range 3 {
			m := vec.NewMatrix(int(n), 128)
			for i := range m.Data {
				m.Data[i] = random.Float32()
			}
			vectors = append(vectors, m)
		}
		m := &Model{embeddings: 3}
		for _, c := range columnsOf(false, 3) {
			if c.stack {
				m.terms = append(m.terms, term{column: c, raw: 0.1, log: 0.1, unit: 1})
			}
		}
		bound, err := m.Bind(g, vectors...)
		if err != nil {
			b.Fatal(err)
		}
		var pairs []csr.Edge
		for range 1 << 16 {
			pairs = append(pairs, csr.Edge{U: random.Uint32N(n), V: random.Uint32N(n)})
		}
		grouped := slices.Clone(pairs)
		for i := range grouped {
			grouped[i].U = pairs[i/100].U
		}
		out := make([]float64, 64)
		for _, c := range []struct {
			name  string
			pairs []csr.Edge
		}{{"random", pairs}, {"grouped", grouped}} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				done := 0
				for b.Loop() {
					at := done % len(c.pairs)
					bound.Batch(c.pairs[at:at+len(out)], out)
					done += len(out)
				}
				b.ReportMetric(float64(done)/b.Elapsed().Seconds()/1e6, "M_pairs/s")
			})
		}
	}
}
