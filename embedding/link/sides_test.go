package link

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/csr"
)

// twoSided draws a graph of users and items, some of them popular, in a random vertex order.
func twoSided(t *rapid.T) (*csr.Graph, Sides) {
	n := rapid.IntRange(2, 40).Draw(t, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	sides := make(Sides, n)
	of := [2][]uint32{}
	for v := range sides {
		sides[v] = uint8(random.IntN(2))
		of[sides[v]] = append(of[sides[v]], uint32(v))
	}
	var edges []csr.Edge
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		if min(len(of[0]), len(of[1])) > 0 {
			x := random.Float64()
			edges = append(edges, csr.Edge{U: of[0][random.IntN(len(of[0]))], V: of[1][int(x*x*float64(len(of[1])))]})
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return withTimes(g, random), sides
}

// joined reports whether a path of three edges joins two vertices.
func joined(g *csr.Graph, u, v uint32) bool {
	return slices.ContainsFunc(g.Neighbors(v), func(y uint32) bool { return y != u && CommonNeighbors(g, u, y) > 0 })
}

// TestPredictor_Sides compares every scorer across sides with brute force over all pairs.
func TestPredictor_Sides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, sides := twoSided(t)
		n := g.Vertices()
		_, m, near := coarseVectors(t, n)
		isNear := func(u, v uint32) bool { return slices.Contains(near[u], v) || slices.Contains(near[v], u) }
		most := rapid.IntRange(1, n*n).Draw(t, "most")
		for _, known := range Scorers() {
			s := scoringOf(t, known.Name, g, m)
			candidate := func(u, v uint32) bool {
				return sides[u] != sides[v] && (known.NeedsEmbedding || s.Score(u, v) > 0) &&
					(known.Name == "preferential_attachment" || joined(g, u, v) || known.NeedsEmbedding && isNear(u, v))
			}
			want := bruteForce(g, s, candidate, func(v uint32) bool { return v%7 != 3 })
			for _, workers := range []int{1, 3} {
				p := NewPredictor(g, s, PredictOptions{Sides: sides, Workers: workers, Admit: func(v uint32) bool { return v%7 != 3 }})
				got, _, err := p.All(t.Context(), nearOf(near), most)
				if err != nil || !slices.Equal(got, want[:min(most, len(want))]) {
					t.Fatalf("%s: %v, %v, expected %v", known.Name, got, err, want)
				}
			}
			p := NewPredictor(g, s, PredictOptions{Sides: sides})
			all := bruteForce(g, s, candidate, func(uint32) bool { return true })
			for u := range uint32(n) {
				both := slices.Clone(near[u])
				for v := range uint32(n) {
					if isNear(u, v) {
						both = append(both, v)
					}
				}
				got, _, err := p.For(t.Context(), u, both, most)
				var own []PredictedLink
				for _, l := range all {
					if l.U == u || l.V == u {
						own = append(own, PredictedLink{u, l.U + l.V - u, l.Score})
					}
				}
				slices.SortStableFunc(own, (&top{higher: s.HigherIsLikelier}).compare)
				if err != nil || !slices.Equal(got, own[:min(most, len(own))]) {
					t.Fatalf("%s of %d: %v, %v, expected %v", known.Name, u, got, err, own)
				}
				p.few, p.budget = 3, -1
				few, _, err := p.one(t.Context(), u, nil, most, p.searchFew)
				if err != nil || slices.ContainsFunc(few, func(l PredictedLink) bool { return !candidate(l.U, l.V) || l.Score != s.Score(l.U, l.V) }) {
					t.Fatalf("%s, a few of %d: %v, %v", known.Name, u, few, err)
				}
			}
		}
	})
}

// TestTwoSides expects a colouring of a graph without odd cycles, and an edge of an odd cycle
// otherwise.
func TestTwoSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, sides := twoSided(t)
		got, _, _, ok := TwoSides(g)
		if !ok {
			t.Fatal("a graph of two sides is said to have an odd cycle")
		}
		first, second := got.Count()
		isolated := 0
		for u := range uint32(g.Vertices()) {
			if g.Degree(u) == 0 {
				isolated++
				if got[u] != NoSide {
					t.Fatalf("isolated vertex %d is on side %d", u, got[u])
				}
			}
			for _, v := range g.Neighbors(u) {
				if !got.Across(u, v) || !sides.Across(u, v) {
					t.Fatalf("edge %d %d is on one side", u, v)
				}
			}
		}
		if first+second+isolated != g.Vertices() {
			t.Fatalf("%d and %d vertices of %d", first, second, g.Vertices())
		}
		// A path of two edges, and an edge that closes it.
		var edges []csr.Edge
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				edges = append(edges, csr.Edge{U: u, V: v})
				if u < v && len(g.Neighbors(v)) > 1 {
					w := g.Neighbors(v)[0]
					if w == u {
						w = g.Neighbors(v)[1]
					}
					odd, err := csr.FromEdges(g.Vertices(), append(slices.Clone(edges), csr.Edge{U: u, V: w}, csr.Edge{U: v, V: w}, csr.Edge{U: u, V: v}))
					if err != nil {
						t.Fatal(err)
					}
					if _, a, b, ok := TwoSides(odd); ok || !odd.HasEdge(a, b) {
						t.Fatalf("a triangle %d %d %d is not found: %v %d %d", u, v, w, ok, a, b)
					}
				}
			}
		}
	})
}
