package link

import (
	"context"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// BenchmarkModel scores pairs of ego-twitter by a model of the default terms and "hadamard+l1"
// with a weight for each of 200 coordinates: random pairs, and pairs two steps apart, as
// candidates are, whose lists of neighbours are long. Random vectors have the same cost.
func BenchmarkModel(b *testing.B) {
	const dim = 200
	g := realgraph.Load(b, "ego-twitter")
	n := uint32(g.Vertices())
	random := rand.New(rand.NewPCG(1, 1))
	vectors := vec.NewMatrix(int(n), dim)
	for i := range vectors.Data {
		vectors.Data[i] = random.Float32()
	}
	anyPair := func() csr.Edge { return csr.Edge{U: random.Uint32N(n), V: random.Uint32N(n)} }
	neighbour := func(u uint32) uint32 { return g.Neighbors(u)[random.IntN(g.Degree(u))] }
	twoSteps := func() csr.Edge {
		u := random.Uint32N(n)
		return csr.Edge{U: u, V: neighbour(neighbour(u))}
	}
	draw := func(count int, f func() csr.Edge) []csr.Edge {
		pairs := make([]csr.Edge, count)
		for i := range pairs {
			pairs[i] = f()
		}
		return pairs
	}
	m, _, err := Train(context.Background(), g, vectors, Pairs{Links: draw(1000, twoSteps), Others: draw(1000, anyPair)},
		TrainOptions{Terms: Terms{Features: "hadamard+l1"}})
	if err != nil {
		b.Fatal(err)
	}
	m = whole(m, dim, random)
	bound, err := m.Bind(g, vectors)
	if err != nil {
		b.Fatal(err)
	}
	score, batch := bound.Score, bound.Batch
	for _, c := range []struct {
		name string
		draw func() csr.Edge
	}{{"any", anyPair}, {"two-steps", twoSteps}} {
		pairs := draw(1<<17, c.draw)
		out := make([]float64, 1<<10)
		batch(pairs[:len(out)], out)
		for i, p := range pairs[:len(out)] {
			if score(p.U, p.V) != out[i] || score(p.V, p.U) != out[i] {
				b.Fatalf("pair %v: %v alone, %v the other way round, %v in a batch", p, score(p.U, p.V), score(p.V, p.U), out[i])
			}
		}
		b.Run("pairs="+c.name+"/single", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p := pairs[i%len(pairs)]
				score(p.U, p.V)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M_pairs/s")
		})
		b.Run("pairs="+c.name+"/batch", func(b *testing.B) {
			done := 0
			for b.Loop() {
				at := done % len(pairs)
				batch(pairs[at:at+len(out)], out)
				done += len(out)
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds()/1e6, "M_pairs/s")
		})
	}
}

// whole returns a model with every default term and both features, also those that training
// left out.
func whole(m *Model, dim int, random *rand.Rand) *Model {
	all := &Model{dim: dim, slope: m.slope, shift: m.shift}
	for _, s := range Scorers() {
		for _, name := range DefaultHeuristics(true) {
			if s.Name == name {
				all.terms = append(all.terms, term{name: name, curve: curveOf(s), vectors: s.NeedsEmbedding, weight: 0.1})
			}
		}
	}
	for _, name := range []string{"hadamard", "l1"} {
		p := plane{name: name, weights: make([]float32, dim)}
		for j := range p.weights {
			p.weights[j] = 0.01 * random.Float32()
		}
		all.planes = append(all.planes, p)
	}
	return all
}
