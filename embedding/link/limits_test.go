package link

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// TestPredictor_Threshold compares threshold and top with the sorted list of all pairs: the
// result has the links that reach the threshold and are among the likeliest of both ends.
func TestPredictor_Threshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hubGraph(t)
		n := g.Vertices()
		random, m, near := coarseVectors(t, n)
		most, top := rapid.IntRange(1, n*n).Draw(t, "most"), rapid.IntRange(0, 4).Draw(t, "top")
		for _, known := range Scorers() {
			s := scoringOf(t, known.Name, g, m)
			everything, _, err := NewPredictor(g, s, PredictOptions{}).All(t.Context(), nearOf(near), n*n)
			if err != nil {
				t.Fatal(err)
			}
			var threshold *float64
			if len(everything) > 0 && random.IntN(3) > 0 {
				threshold = &everything[random.IntN(len(everything))].Score
			}
			want := likeliest(everything, s.HigherIsLikelier, threshold, top)
			for _, workers := range []int{1, 3} {
				p := NewPredictor(g, s, PredictOptions{Threshold: threshold, Top: top, Workers: workers})
				got, _, err := p.All(t.Context(), nearOf(near), most)
				if err != nil || !slices.Equal(got, want[:min(most, len(want))]) {
					t.Fatalf("%s, threshold %v, top %d: %v, %v, expected %v", known.Name, threshold, top, got, err, want)
				}
			}
		}
	})
}

// likeliest filters a sorted list of all links. The links of a vertex are ordered by score,
// ties by the other end.
func likeliest(all []PredictedLink, higher bool, threshold *float64, top int) []PredictedLink {
	among := func(u, v uint32) bool {
		place := 0
		for _, own := range all {
			if own.U == u || own.V == u {
				other := own.U + own.V - u
				score := all[slices.IndexFunc(all, func(l PredictedLink) bool { return l.U == min(u, v) && l.V == max(u, v) })].Score
				if own.Score != score && own.Score > score == higher || own.Score == score && other < v {
					place++
				}
			}
		}
		return place < top
	}
	var kept []PredictedLink
	for _, l := range all {
		if threshold != nil && l.Score != *threshold && l.Score > *threshold != higher {
			continue
		}
		if top == 0 || among(l.U, l.V) && among(l.V, l.U) {
			kept = append(kept, l)
		}
	}
	return kept
}

// TestPredictor_Many compares the limit on paths with its definition, by counting paths one by
// one, and Limited without a limit with For.
func TestPredictor_Many(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hubGraph(t)
		n := g.Vertices()
		for _, name := range []string{"adamic_adar", "l3", "cosine"} {
			p := NewPredictor(g, scoringOf(t, name, g, vec.NewMatrix(n, 1)), PredictOptions{Admit: func(v uint32) bool { return v%4 != 1 }})
			p.budget = rapid.Int64Range(0, 20_000).Draw(t, "budget")
			steps := make([]int64, n)
			for u := range uint32(n) {
				steps[u] = pathSteps(g, name, u)
			}
			for u := range uint32(n) {
				sum := int64(0) // of the paths from u and all vertices before it
				for v := range uint32(n) {
					if v%4 != 1 && steps[v] <= steps[u] {
						sum += steps[v]
					}
				}
				if want := sum > p.budget; u%4 != 1 && p.Many(u) != want {
					t.Fatalf("%s: vertex %d with %d steps: %v, %d in all of %d", name, u, steps[u], !want, sum, p.budget)
				}
				got, _, err := p.Limited(t.Context(), u, nil, 5)
				all, _, _ := p.For(t.Context(), u, nil, 5)
				if err != nil || !p.Many(u) && !slices.Equal(got, all) {
					t.Fatalf("%s of %d: %v, %v, expected %v", name, u, got, err, all)
				}
				if slices.ContainsFunc(got, func(l PredictedLink) bool { return g.HasEdge(l.U, l.V) || l.Score != p.s.Score(l.U, l.V) }) {
					t.Fatalf("%s of %d: %v", name, u, got)
				}
			}
		}
	})
}

// pathSteps counts the steps of the paths from a vertex.
func pathSteps(g *csr.Graph, name string, u uint32) int64 {
	pairs, triples := int64(0), int64(0)
	for _, x := range g.Neighbors(u) {
		for _, y := range g.Neighbors(x) {
			pairs++
			triples += int64(len(g.Neighbors(y)))
		}
	}
	switch name {
	case "l3":
		return min(triples, 2*g.Edges())
	case "cosine":
		return pairs + scoreSteps*min(pairs, int64(g.Vertices()))
	}
	return pairs
}

// TestDescending lists all vertices by descending degree.
func TestDescending(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hubGraph(t)
		list := descending(g)
		if !slices.IsSortedFunc(list, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(g.Degree(b), g.Degree(a)), cmp.Compare(a, b))
		}) || len(list) != g.Vertices() {
			t.Fatal(list)
		}
	})
}
