package evaluate

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
)

// usersAndItems is a bipartite graph from a seeded block model: users and items of two
// tastes, with mixed numbers, and one vertex on neither side. An edge has the probability
// same within a taste, and a tenth of it otherwise.
func usersAndItems(t *testing.T, n int, same float64) (*csr.Graph, link.Sides) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	sides, taste := make(link.Sides, n), make([]int, n)
	for v := range sides {
		sides[v], taste[v] = uint8(random.IntN(2)), random.IntN(2)
	}
	sides[n/2] = link.NoSide
	var edges []csr.Edge
	for u := range uint32(n) {
		for v := range u {
			p := same
			if taste[u] != taste[v] {
				p /= 10
			}
			if sides.Across(u, v) && random.Float64() < p {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g, sides
}

// All pairs join the two sides and none is an edge; if few pairs are left, all of them are
// drawn.
func TestSplitLinks_Sides(t *testing.T) {
	t.Parallel()
	for _, same := range []float64{0.2, 1} {
		g, sides := usersAndItems(t, 60, same)
		for _, unseen := range []bool{false, true} {
			opts := SplitOptions{Share: 0.5, Sides: sides, Seed: 5, Unseen: unseen}
			s, err := SplitLinks(t.Context(), g, opts)
			if err != nil {
				t.Fatal(err)
			}
			byDegree, err := s.With(t.Context(), g, DegreeNegatives, opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, split := range []*LinkSplit{s, byDegree} {
				seen := map[csr.Edge]bool{}
				for _, e := range ascending(slices.Concat(split.NonEdges, split.TrainNonEdges)) {
					if seen[e] || g.HasEdge(e.U, e.V) || sides[e.U]+sides[e.V] != 1 {
						t.Errorf("%v, seen %v: sides %d and %d", e, seen[e], sides[e.U], sides[e.V])
					}
					seen[e] = true
				}
				if len(split.NonEdges) == 0 || len(split.TrainNonEdges) == 0 {
					t.Errorf("%d and %d pairs", len(split.NonEdges), len(split.TrainNonEdges))
				}
			}
			first, second := sides.Count()
			there, drawn := first*second-int(g.Edges()), len(s.NonEdges)+len(s.TrainNonEdges)
			if want := min(there, len(s.Edges)+len(s.TrainEdges)); drawn != want {
				t.Errorf("%d pairs are drawn of %d, expected %d", drawn, there, want)
			}
			if _, err := s.With(t.Context(), g, TwoHopNegatives, opts); !errors.Is(err, ErrNegatives) {
				t.Errorf("two_hop: %v", err)
			}
		}
	}
}

// Sides that do not fit the graph are errors.
func TestSplitLinks_SidesErrors(t *testing.T) {
	t.Parallel()
	g, sides := usersAndItems(t, 20, 0.5)
	other := slices.Clone(sides)
	u := uint32(slices.IndexFunc(sides, func(side uint8) bool { return side == 0 }))
	for g.Degree(u) == 0 {
		u++
	}
	other[u] = link.NoSide
	for _, wrong := range []link.Sides{sides[1:], {}, other} {
		if _, err := SplitLinks(t.Context(), g, SplitOptions{Sides: wrong}); !errors.Is(err, ErrOption) {
			t.Errorf("%d sides: %v", len(wrong), err)
		}
	}
	full, err := csr.FromEdges(4, []csr.Edge{{U: 0, V: 2}, {U: 0, V: 3}, {U: 1, V: 2}, {U: 1, V: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SplitLinks(t.Context(), full, SplitOptions{Sides: link.Sides{0, 0, 1, 1}}); !errors.Is(err, ErrLinks) {
		t.Errorf("all pairs are edges: %v", err)
	}
}

// Recommendations are the best pairs between the sides, and better than random vertices of
// the other side.
func TestLinkSplit_RankSides(t *testing.T) {
	t.Parallel()
	g, sides := usersAndItems(t, 120, 0.6)
	s, err := SplitLinks(t.Context(), g, SplitOptions{Sides: sides})
	if err != nil {
		t.Fatal(err)
	}
	opts := RankOptions{Scorers: []string{"l3", "katz", "preferential_attachment"}, K: 5, Keep: true}
	list, sample, err := s.Rank(t.Context(), nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		score, err := link.New(r.Scorer, s.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range sample.Vertices {
			checkRank(t, r.Scorer, v, r.Of[i], bruteRank(s, v, 5, score, func(u, v uint32) bool {
				return sides[u]+sides[v] == 1 && score(u, v) > 0
			}))
		}
	}
	vectors, _, err := s.Rank(t.Context(), adjacency(s.Graph), RankOptions{Scorers: []string{"dot"}, Features: []string{"hadamard"}, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range vectors {
		for i, v := range sample.Vertices {
			for _, l := range r.Lists[i] {
				if sides[v]+sides[l.V] != 1 {
					t.Fatalf("%s recommends %d to %d", r.Scorer, l.V, v)
				}
			}
		}
	}
	none, err := s.RankChance(opts)
	if err != nil {
		t.Fatal(err)
	}
	if v := JudgeRankings(list, none, 1, 0); !(v.Chance.Low > 0) {
		t.Errorf("%+v", v)
	}
}

// Random candidates are drawn uniformly from all vertices without an edge, with and without
// sides.
func TestPairSpace_DrawFor(t *testing.T) {
	t.Parallel()
	g, sides := usersAndItems(t, 30, 0.4)
	v := uint32(0)
	for _, of := range []link.Sides{nil, sides} {
		p, err := newPairSpace(edgeRows{g, false}, of)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint32
		for w := range uint32(g.Vertices()) {
			if w != v && of.Across(v, w) && !g.HasEdge(v, w) {
				want = append(want, w)
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		if got := p.drawFor(v, 1000, random); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%v, expected %v", got, want)
		}
		count := map[uint32]int{}
		const rounds = 4000
		for range rounds {
			for _, w := range p.drawFor(v, 2, random) {
				count[w]++
			}
		}
		for _, w := range want {
			mean := 2 * rounds / float64(len(want))
			if d := float64(count[w]) - mean; d*d > 36*mean {
				t.Errorf("%d was drawn %d times of %.0f expected", w, count[w], mean)
			}
		}
	}
}
