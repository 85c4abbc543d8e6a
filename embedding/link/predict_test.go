package link

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// bruteForce scores all candidates among the pairs without an edge, sorts them, and truncates
// the list. With a nil candidate, every pair whose score is not 0 is a candidate.
func bruteForce(g *csr.Graph, s Scoring, candidate func(u, v uint32) bool, admit func(uint32) bool) []PredictedLink {
	var all []PredictedLink
	for u := range uint32(g.Vertices()) {
		for v := u + 1; v < uint32(g.Vertices()); v++ {
			score := s.Score(u, v)
			if g.HasEdge(u, v) || !candidate(u, v) || !admit(u) || !admit(v) {
				continue
			}
			all = append(all, PredictedLink{u, v, score})
		}
	}
	slices.SortStableFunc(all, func(a, b PredictedLink) int {
		switch {
		case a.Score == b.Score:
			return 0
		case (a.Score > b.Score) == s.HigherIsLikelier:
			return -1
		}
		return 1
	})
	return all
}

// hubGraph draws a graph with hubs and many vertices of one degree.
func hubGraph(t *rapid.T) *csr.Graph {
	n := rapid.IntRange(1, 60).Draw(t, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	var edges []csr.Edge
	for range rapid.IntRange(0, 4*n).Draw(t, "edges") {
		x := random.Float64()
		edges = append(edges, csr.Edge{U: uint32(x * x * x * float64(n)), V: uint32(random.IntN(n))})
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return withTimes(g, random)
}

// coarseVectors returns n vectors with many ties, and lists of near vertices, which may contain
// duplicates, neighbours and the vertex itself.
func coarseVectors(t *rapid.T, n int) (random *rand.Rand, m *vec.Matrix, near [][]uint32) {
	random = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "vectors"), 0))
	m = vec.NewMatrix(n, 2)
	for i := range m.Data {
		m.Data[i] = float32(random.IntN(5)) - 2
	}
	near = make([][]uint32, n)
	for u := range near {
		for range random.IntN(4) {
			near[u] = append(near[u], uint32(random.IntN(n)))
		}
	}
	return random, m, near
}

// nearOf returns the function by which All gets the nearest vertices.
func nearOf(lists [][]uint32) Near {
	return func(us []uint32) ([][]uint32, error) {
		found := make([][]uint32, len(us))
		for i, u := range us {
			found[i] = lists[u]
		}
		return found, nil
	}
}

// TestPredictor_BruteForce compares every scorer with brute force over all pairs, for the whole
// graph and for each vertex, to the bit.
func TestPredictor_BruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hubGraph(t)
		n := g.Vertices()
		_, m, near := coarseVectors(t, n)
		isNear := func(u, v uint32) bool { return slices.Contains(near[u], v) || slices.Contains(near[v], u) }
		admit := func(v uint32) bool { return v%5 != 3 }
		most := rapid.IntRange(1, n*n).Draw(t, "most")
		for _, known := range Scorers() {
			s := scoringOf(t, known.Name, g, m)
			candidate := func(u, v uint32) bool {
				return CommonNeighbors(g, u, v) > 0 || known.NeedsEmbedding && isNear(u, v)
			}
			if known.Name == "preferential_attachment" || known.Name == "l3" {
				candidate = func(u, v uint32) bool { return s.Score(u, v) > 0 }
			}
			want := bruteForce(g, s, candidate, admit)
			for _, workers := range []int{1, 3} {
				p := NewPredictor(g, s, PredictOptions{Admit: admit, Workers: workers})
				got, _, err := p.All(t.Context(), nearOf(near), most)
				if err != nil || !slices.Equal(got, want[:min(most, len(want))]) {
					t.Fatalf("%s, %d workers: %v, %v, expected %v", known.Name, workers, got, err, want)
				}
				for u := range uint32(n) {
					got, _, err := p.For(t.Context(), u, near[u], most)
					var own []PredictedLink
					candidates := bruteForce(g, s, func(a, b uint32) bool {
						if known.NeedsEmbedding && CommonNeighbors(g, a, b) == 0 {
							return a == u && slices.Contains(near[u], b) || b == u && slices.Contains(near[u], a)
						}
						return (a == u || b == u) && candidate(a, b)
					}, func(v uint32) bool { return v == u || admit(v) })
					for _, l := range candidates {
						if l.V == u {
							l.U, l.V = l.V, l.U
						}
						own = append(own, l)
					}
					slices.SortStableFunc(own, (&top{higher: s.HigherIsLikelier}).compare)
					if err != nil || !slices.Equal(got, own[:min(most, len(own))]) {
						t.Fatalf("%s of %d: %v, %v, expected %v", known.Name, u, got, err, own)
					}
				}
			}
		}
	})
}

// TestPredictor_NaN leaves pairs without a score out.
func TestPredictor_NaN(t *testing.T) {
	s := Scoring{HigherIsLikelier: true, Score: func(u, v uint32) float64 {
		if u+v == 3 {
			return math.NaN()
		}
		return 1
	}}
	p := NewPredictor(kite(t), s, PredictOptions{})
	for _, most := range []int{1, 100} {
		got, _, err := p.All(t.Context(), nil, most)
		if err != nil || slices.ContainsFunc(got, func(l PredictedLink) bool { return l.U+l.V == 3 }) || len(got) == 0 {
			t.Errorf("%v, %v", got, err)
		}
	}
	if got, _, err := p.For(t.Context(), 0, []uint32{3}, 0); len(got) != 0 || err != nil {
		t.Errorf("links with k = 0: %v, %v", got, err)
	}
}

// scoringOf returns the scoring of a known scorer.
func scoringOf(t interface{ Fatal(...any) }, name string, g *csr.Graph, m *vec.Matrix) Scoring {
	score, err := New(name, g, m)
	if err != nil {
		t.Fatal(err)
	}
	return NewScoring(name, score)
}

// TestPredictor_Cancelled expects the error of the context, and of the function near.
func TestPredictor_Cancelled(t *testing.T) {
	g := withTimes(kite(t), rand.New(rand.NewPCG(4, 4)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	failed := errors.New("near failed")
	for _, known := range Scorers() {
		s := scoringOf(t, known.Name, g, vec.NewMatrix(6, 2))
		p := NewPredictor(g, s, PredictOptions{})
		if _, _, err := p.All(ctx, nil, 3); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", known.Name, err)
		}
		if _, _, err := p.For(ctx, 0, nil, 3); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of a vertex: %v", known.Name, err)
		}
		_, _, err := p.All(t.Context(), func([]uint32) ([][]uint32, error) { return nil, failed }, 3)
		if known.NeedsEmbedding != errors.Is(err, failed) {
			t.Errorf("%s: %v", known.Name, err)
		}
		// The next call finds clean arrays.
		if got, _, err := p.For(t.Context(), 3, nil, 10); err != nil || known.Name == "common_neighbors" && !slices.Equal(got, []PredictedLink{{3, 2, 2}}) {
			t.Errorf("%s after a cancelled call: %v, %v", known.Name, got, err)
		}
	}
}

// TestPredictor_Progress counts all vertices.
func TestPredictor_Progress(t *testing.T) {
	last := map[string]int64{}
	s := scoringOf(t, "cosine", nil, vec.NewMatrix(6, 2))
	p := NewPredictor(kite(t), s, PredictOptions{Progress: func(stage string, done, total int64) {
		if done <= last[stage] || total != 6 {
			t.Errorf("%s: %d of %d after %d", stage, done, total, last[stage])
		}
		last[stage] = done
	}})
	if _, _, err := p.All(t.Context(), func(us []uint32) ([][]uint32, error) { return make([][]uint32, len(us)), nil }, 3); err != nil {
		t.Fatal(err)
	}
	if last["nearest"] != 6 || last["predicting"] != 6 {
		t.Errorf("%v", last)
	}
}

// BenchmarkPredict finds the likeliest links of a real graph, and compares the first ones with
// Score.
func BenchmarkPredict(b *testing.B) {
	g := realgraph.Load(b, "ego-twitter")
	for _, name := range []string{"common_neighbors", "jaccard", "adamic_adar", "resource_allocation", "katz", "preferential_attachment"} {
		s := scoringOf(b, name, g, nil)
		p := NewPredictor(g, s, PredictOptions{})
		b.Run(fmt.Sprintf("scorer=%s/links=1000", name), func(b *testing.B) {
			var scored int64
			for b.Loop() {
				links, n, err := p.All(b.Context(), nil, 1000)
				if err != nil || len(links) != 1000 {
					b.Fatalf("%d links, %v", len(links), err)
				}
				for _, l := range links {
					if s.Score(l.U, l.V) != l.Score || g.HasEdge(l.U, l.V) {
						b.Fatalf("%v scores %v", l, s.Score(l.U, l.V))
					}
				}
				scored = n
			}
			b.ReportMetric(float64(scored)*float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
		b.Run(fmt.Sprintf("scorer=%s/links=20/of=vertex", name), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, _, err := p.For(b.Context(), uint32(i*7919%g.Vertices()), nil, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
