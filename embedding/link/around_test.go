package link

import (
	"math"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// bound returns a model of the named scorers, with different weights.
func bound(t *testing.T, g *csr.Graph, vectors *vec.Matrix, names ...string) *Bound {
	t.Helper()
	m := &Model{slope: 0.7, shift: -0.4, bias: 0.1}
	for _, s := range Scorers() {
		if slices.Contains(names, s.Name) {
			m.terms = append(m.terms, term{name: s.Name, curve: curveOf(s), vectors: s.NeedsEmbedding, weight: 0.3 + 0.1*float64(len(m.terms)), offset: 0.2})
			if s.NeedsEmbedding {
				m.dim = vectors.Dim
			}
		}
	}
	b, err := m.Bind(g, vectors)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBound_Around compares every scorer with its definition, on all pairs without an edge.
func TestBound_Around(t *testing.T) {
	t.Parallel()
	g, _, _ := hiddenLinks(t)
	for _, s := range Scorers() {
		if s.NeedsEmbedding || NeedsTimes(s.Name) {
			continue
		}
		score, err := New(s.Name, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, from := bound(t, g, nil, s.Name).around()
		for _, u := range []uint32{7, 0, 7, 399} {
			from(u)
			for v := range uint32(g.Vertices()) {
				if v == u || g.HasEdge(u, v) {
					continue
				}
				var x values
				b.measure(&x, u, v, false)
				if want := score(u, v); math.Abs(x[0]-want) > 1e-12*want {
					t.Fatalf("%s of %d and %d: %v, want %v", s.Name, u, v, x[0], want)
				}
			}
		}
	}
}

// TestPredictor_Around compares the predictions of models of path scorers with those from
// scoring every candidate: same links, same scores to the bit.
func TestPredictor_Around(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestPredictor_BruteForce has the other candidates")
	}
	t.Parallel()
	g, vectors, _ := hiddenLinks(t)
	for _, names := range [][]string{{"l3", "jaccard"}, {"katz", "adamic_adar", "cosine"}, {"l3", "katz", "local_path", "lhn", "dot"}} {
		b := bound(t, g, vectors, names...)
		quick, slow := b.Scoring(), Scoring{Score: b.Score, HigherIsLikelier: true}
		if quick.around == nil {
			t.Fatalf("%v: the model is scored pair by pair", names)
		}
		near := []uint32{3, 200, 399}
		for _, top := range []int{0, 3} {
			opts := PredictOptions{Top: top}
			p, q := NewPredictor(g, quick, opts), NewPredictor(g, slow, opts)
			for u := range uint32(g.Vertices()) {
				got, scored, err := p.For(t.Context(), u, near, 4)
				want, all, _ := q.For(t.Context(), u, near, 4)
				if err != nil || !slices.Equal(got, want) || scored != all {
					t.Fatalf("%v of vertex %d: %v of %d, want %v of %d, %v", names, u, got, scored, want, all, err)
				}
			}
			got, _, err := p.All(t.Context(), nil, 50)
			want, _, _ := q.All(t.Context(), nil, 50)
			if err != nil || !slices.Equal(got, want) || len(got) < 20 {
				t.Errorf("%v: %v, want %v, %v", names, got, want, err)
			}
		}
	}
}

// TestBound_Scoring expects a model of one scorer to predict the links of the scorer, with
// probabilities as scores; also for scorers with more candidates than models have, and with
// thresholds.
func TestBound_Scoring(t *testing.T) {
	t.Parallel()
	g, _, _ := hiddenLinks(t)
	for _, s := range Scorers() {
		if s.NeedsEmbedding || NeedsTimes(s.Name) {
			continue
		}
		b := bound(t, g, nil, s.Name)
		score, err := New(s.Name, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		valued := func(links []PredictedLink) []PredictedLink {
			for i, l := range links {
				links[i].Score = b.Score(l.U, l.V)
			}
			return links
		}
		p, q := NewPredictor(g, b.Scoring(), PredictOptions{}), NewPredictor(g, NewScoring(s.Name, score), PredictOptions{})
		all, _, err := p.All(t.Context(), nil, 30)
		want, _, _ := q.All(t.Context(), nil, 30)
		if err != nil || !slices.Equal(all, valued(want)) || len(all) != 30 {
			t.Errorf("%s: %v, want %v, %v", s.Name, all, want, err)
		}
		for u := range uint32(50) {
			got, _, err := p.For(t.Context(), u, nil, 5)
			want, _, _ := q.For(t.Context(), u, nil, 5)
			few, _, _ := p.Limited(t.Context(), u, nil, 5)
			if err != nil || !slices.Equal(got, valued(want)) || !slices.Equal(few, got) {
				t.Fatalf("%s of %d: %v, want %v, %v", s.Name, u, got, want, err)
			}
		}
		least := all[10].Score
		above, _, err := NewPredictor(g, b.Scoring(), PredictOptions{Threshold: &least}).All(t.Context(), nil, 1000)
		if err != nil || len(above) < 11 || above[len(above)-1].Score < least {
			t.Errorf("%s: %d links from %v on, %v", s.Name, len(above), least, err)
		}
		best, _, err := NewPredictor(g, b.Scoring(), PredictOptions{Top: 1}).All(t.Context(), nil, 5)
		if err != nil || len(best) == 0 || best[0] != all[0] {
			t.Errorf("%s: %v are among the likeliest links of both ends, %v", s.Name, best, err)
		}
	}
}
