package evaluate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// bruteRank measures recommendations by their definitions: all candidates without an edge,
// sorted.
func bruteRank(s *LinkSplit, v uint32, k int, score func(u, v uint32) float64, candidate func(u, v uint32) bool) RankMeasures {
	var order []uint32
	for w := range uint32(s.Graph.Vertices()) {
		if w != v && !s.rows().HasEdge(v, w) && candidate(v, w) {
			order = append(order, w)
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(score(v, b), score(v, a)) })
	order = order[:min(k, len(order))]
	relevant := func(w uint32) bool {
		return slices.ContainsFunc(s.Edges, func(e csr.Edge) bool {
			return e == csr.Edge{U: v, V: w} || s.Directed == nil && e == csr.Edge{U: w, V: v}
		})
	}
	held := 0.0
	for w := range uint32(s.Graph.Vertices()) {
		if relevant(w) {
			held++
		}
	}
	var m RankMeasures
	var gain, ideal float64
	for i, w := range order {
		if !relevant(w) {
			continue
		}
		m.Recall += 1 / held
		m.Precision += 1 / float64(k)
		within := 0.0
		for _, x := range order[:i+1] {
			if relevant(x) {
				within++
			}
		}
		m.AveragePrecision += within / float64(i+1) / min(held, float64(k))
		gain += math.Ln2 / math.Log(float64(i+2))
		if m.Hit == 0 {
			m.Hit, m.ReciprocalRank = 1, 1/float64(i+1)
		}
	}
	for i := range int(min(held, float64(k))) {
		ideal += math.Ln2 / math.Log(float64(i+2))
	}
	m.NDCG = gain / ideal
	return m
}

// checkRank compares the measures of one vertex with those expected.
func checkRank(t *testing.T, scorer string, v uint32, got, want RankMeasures) {
	t.Helper()
	if !near(got.Recall, want.Recall) || !near(got.Precision, want.Precision) || !near(got.AveragePrecision, want.AveragePrecision) ||
		!near(got.NDCG, want.NDCG) || !near(got.ReciprocalRank, want.ReciprocalRank) || got.Hit != want.Hit {
		t.Fatalf("%s of %d: %+v, expected %+v", scorer, v, got, want)
	}
}

// The measures are those of their definitions, and do not depend on the workers.
func TestLinkSplit_Rank(t *testing.T) {
	ctx := context.Background()
	g := attachedBy(t, 150, 4, 5)
	s, err := SplitLinks(ctx, g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"common_neighbors", "adamic_adar", "katz"}
	list, sample, err := s.Rank(ctx, nil, RankOptions{Scorers: names, K: 5, Vertices: 60, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(sample.Vertices) != 60 || sample.All < 60 || !slices.IsSorted(sample.Vertices) {
		t.Errorf("%d of %d vertices", len(sample.Vertices), sample.All)
	}
	for i, r := range list {
		score, err := link.New(names[i], s.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range sample.Vertices {
			checkRank(t, r.Scorer, v, r.Of[j], bruteRank(s, v, 5, score, func(u, v uint32) bool { return len(link.Common(s.Graph, u, v)) > 0 }))
		}
		if !(r.Coverage > 0 && r.Coverage <= 1 && r.Popular > 0 && r.Popular <= 1) {
			t.Errorf("coverage %v, popular %v", r.Coverage, r.Popular)
		}
	}
	again, _, err := s.Rank(ctx, nil, RankOptions{Scorers: names, K: 5, Vertices: 60, Workers: 3})
	if err != nil || !reflect.DeepEqual(list, again) {
		t.Errorf("another number of workers, other ranks: %v", err)
	}
	if !reflect.DeepEqual(CompareRankings(list, 7, 1), CompareRankings(list, 7, 3)) {
		t.Error("another number of workers, other intervals")
	}
}

// With vectors as scorer, the nearest vertices are the candidates, and a leak of test edges
// is detected.
func TestLinkSplit_RankVectors(t *testing.T) {
	ctx := context.Background()
	g := chance(t, 120, 0.05, 9)
	s, err := SplitLinks(ctx, g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := RankOptions{Scorers: []string{"cosine", "common_neighbors"}, Features: []string{"hadamard"}}
	honest, _, err := s.Rank(ctx, adjacency(s.Graph), opts)
	if err != nil {
		t.Fatal(err)
	}
	leaking, sample, err := s.Rank(ctx, adjacency(g), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(honest) != 3 || honest[1].Scorer != "common_neighbors" || !honest[2].Learned {
		t.Fatalf("%+v", honest)
	}
	if !reflect.DeepEqual(honest[1], leaking[1]) {
		t.Error("common neighbours depend on the vectors")
	}
	scores := CompareRankings([]Ranking{honest[0], leaking[0]}, 1, 0)
	if !(scores[0].Behind.Low > 0) || scores[1].Behind != (Interval{}) || len(leaking[0].Of) != len(sample.Vertices) {
		t.Errorf("%+v", scores)
	}
}

// The intervals of the means contain the true mean about as often as their level says.
func TestCompareRankings_Coverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const vertices = 200
	rounds, least := 150, 132 // 95 % is 142.5, with a deviation of 2.7
	if testing.Short() {
		rounds, least = 30, 24 // 28.5, with 1.2
	}
	covered := 0
	for round := range rounds {
		r := Ranking{}
		for range vertices {
			m := RankMeasures{}
			if random.Float64() < 0.3 {
				m.AveragePrecision = random.Float64() // mean 0.15
			}
			r.Of = append(r.Of, m)
		}
		s := CompareRankings([]Ranking{r}, uint64(round), 0)[0]
		if s.MAP.Low <= 0.15 && 0.15 <= s.MAP.High {
			covered++
		}
		if !(s.MAP.Low <= s.MAP.Mean && s.MAP.Mean <= s.MAP.High) {
			t.Fatalf("%+v", s.MAP)
		}
	}
	if covered < least {
		t.Errorf("%d of %d intervals cover the mean", covered, rounds)
	}
	if CompareRankings(nil, 0, 0) != nil {
		t.Error("scores of nothing")
	}
}

// The verdict follows from the means and the intervals of the differences. A random graph
// is hardly ever called predictable; cliques are.
func TestJudgeRankings(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	opts := RankOptions{K: 5, Vertices: 80}
	claimed := 0
	for seed := range uint64(6) {
		opts.Seed = seed
		for i, g := range []*csr.Graph{chance(t, 150, 0.08, seed), cliques(t, 30, 5)} {
			s, err := SplitLinks(ctx, g, SplitOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			list, _, err := s.Rank(ctx, nil, opts)
			if err != nil {
				t.Fatal(err)
			}
			none, err := s.RankChance(opts)
			if err != nil || len(none.Of) != len(list[0].Of) {
				t.Fatal(err)
			}
			v, scores := JudgeRankings(list, none, seed, 1), CompareRankings(list, seed, 1)
			for i, score := range scores {
				tied := i != v.Best && score.Behind.Low <= 0
				if score.MAP.Mean > scores[v.Best].MAP.Mean || slices.Contains(v.Tied, i) != tied ||
					i != v.Best && score.MAP.Mean > scores[v.Next].MAP.Mean+1e-12 || i == v.Next && score.Behind != v.Margin {
					t.Errorf("%d: %+v, %+v", i, v, scores)
				}
			}
			switch better := v.Chance.Low > 0; {
			case i == 0 && better:
				claimed++
			case i == 1 && !better:
				t.Errorf("cliques: %+v", v)
			}
		}
	}
	if claimed > 1 {
		t.Errorf("%d of 6 graphs by chance are said to be predictable", claimed)
	}
}

// cliques is a graph of n cliques of a size.
func cliques(t *testing.T, n, size int) *csr.Graph {
	var edges []csr.Edge
	for c := range n {
		for i := range size {
			for j := range i {
				edges = append(edges, csr.Edge{U: uint32(c*size + j), V: uint32(c*size + i)})
			}
		}
	}
	g, err := csr.FromEdges(n*size, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// nthMissing counts what a list leaves out.
func TestNthMissing(t *testing.T) {
	for _, list := range [][]uint32{nil, {0}, {0, 1, 2}, {3}, {1, 2, 5, 9}} {
		i := 0
		for w := range uint32(20) {
			if slices.Contains(list, w) {
				continue
			}
			if got := nthMissing(list, i); got != w {
				t.Errorf("%d of %v: %d, expected %d", i, list, got, w)
			}
			i++
		}
	}
}

func TestLinkSplit_RankErrors(t *testing.T) {
	ctx := context.Background()
	g := chance(t, 30, 0.2, 1)
	s, err := SplitLinks(ctx, g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		m    *vec.Matrix
		opts RankOptions
		want error
	}{
		{"k", ctx, nil, RankOptions{K: -1}, ErrOption},
		{"vertices", ctx, nil, RankOptions{Vertices: -1}, ErrOption},
		{"feature", ctx, nil, RankOptions{Features: []string{"l3"}}, ErrOption},
		{"features", ctx, nil, RankOptions{Features: []string{"l1"}}, ErrShape},
		{"rows", ctx, vec.NewMatrix(3, 3), RankOptions{}, ErrShape},
		{"scorer", ctx, nil, RankOptions{Scorers: []string{"kats"}}, link.ErrScorer},
		{"cancelled", cancelled, nil, RankOptions{}, context.Canceled},
	} {
		if _, _, err := s.Rank(c.ctx, c.m, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
