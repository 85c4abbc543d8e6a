package evaluate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// chance is a random graph of n vertices in which every pair is an edge with the same
// probability, independent of all others: the rest of the graph contains no information
// about an edge.
func chance(t testing.TB, n int, p float64, seed uint64) *csr.Graph {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 2))
	var edges []csr.Edge
	for u := range n {
		for v := range u {
			if random.Float64() < p {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// timed gives every edge of g a weight and a timestamp, most of them twice, and
// some no timestamp.
func timed(g *csr.Graph) *csr.Graph {
	full := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			a, b := int64(min(u, v)), int64(max(u, v))
			full.Weights = append(full.Weights, float32(1+a+b))
			if time := (a*7 + b*13) % 50; time < 5 {
				full.Times = append(full.Times, csr.NoTime)
			} else {
				full.Times = append(full.Times, time)
			}
		}
	}
	return full
}

// ascending returns pairs with the smaller vertex first.
func ascending(pairs []csr.Edge) []csr.Edge {
	turned := slices.Clone(pairs)
	for i, e := range turned {
		turned[i] = csr.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}
	}
	return turned
}

// ordered returns pairs with the smaller vertex first, sorted.
func ordered(pairs []csr.Edge) []csr.Edge {
	sorted := ascending(pairs)
	slices.SortFunc(sorted, compareEdges)
	return sorted
}

// checkSplit checks the documented properties of a split.
func checkSplit(t *testing.T, g *csr.Graph, s *LinkSplit) {
	t.Helper()
	if err := s.Graph.Validate(); err != nil {
		t.Fatal(err)
	}
	held := int64(len(s.Edges))
	if s.Unseen {
		held += int64(len(s.TrainEdges))
	}
	if s.Graph.Vertices() != g.Vertices() || s.Graph.Edges() == 0 || s.Graph.Edges()+held != g.Edges() {
		t.Fatalf("%d vertices and %d edges of %d and %d, %d held out", s.Graph.Vertices(), s.Graph.Edges(), g.Vertices(), g.Edges(), len(s.Edges))
	}
	for u := range uint32(g.Vertices()) {
		for i, v := range s.Graph.Neighbors(u) {
			at, rest := slices.Index(g.Neighbors(u), v), s.Graph.Offsets[u]+int64(i)
			if at < 0 {
				t.Fatalf("edge (%d, %d) is new", u, v)
			}
			if g.Weights != nil && g.WeightsOf(u)[at] != s.Graph.Weights[rest] || g.Times != nil && g.Times[g.Offsets[u]+int64(at)] != s.Graph.Times[rest] {
				t.Fatalf("edge (%d, %d) has lost its weight or its timestamp", u, v)
			}
		}
	}
	seen := map[csr.Edge]string{}
	for _, list := range []struct {
		name        string
		pairs       []csr.Edge
		whole, rest bool // whether they are edges of the whole graph, and of the rest
	}{
		{"held out", s.Edges, true, false}, {"non-edges", s.NonEdges, false, false},
		{"training", s.TrainEdges, true, !s.Unseen}, {"training non-edges", s.TrainNonEdges, false, false},
	} {
		if len(list.pairs) == 0 {
			t.Errorf("no pairs %s", list.name)
		}
		for _, e := range ordered(list.pairs) {
			if other, twice := seen[e]; twice || e.U == e.V {
				t.Fatalf("pair %v is %s and %s", e, other, list.name)
			}
			seen[e] = list.name
			if g.HasEdge(e.U, e.V) != list.whole || s.Graph.HasEdge(e.U, e.V) != list.rest {
				t.Fatalf("pair %v is %s", e, list.name)
			}
		}
	}
}

func TestSplitLinks_Promises(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *csr.Graph
		opts SplitOptions
		held int // edges
	}{
		{"defaults", chance(t, 100, 0.1, 1), SplitOptions{}, -1},
		{"values", timed(chance(t, 60, 0.2, 2)), SplitOptions{Share: 0.5, Seed: 3}, -1},
		{"latest", timed(chance(t, 60, 0.2, 2)), SplitOptions{Share: 0.3, Latest: true}, -1},
		{"few to train on", chance(t, 60, 0.2, 2), SplitOptions{Training: 5}, -1},
		{"dense", chance(t, 40, 0.8, 2), SplitOptions{}, -1},
		{"nearly complete", chance(t, 40, 0.99, 2), SplitOptions{}, -1},
		{"nearly all", chance(t, 40, 0.1, 2), SplitOptions{Share: 0.9999}, -2},
		{"nearly none", chance(t, 40, 0.1, 2), SplitOptions{Share: 1e-9}, 1},
		{"unseen", chance(t, 60, 0.2, 2), SplitOptions{Unseen: true}, -1},
		{"unseen and few", chance(t, 60, 0.2, 2), SplitOptions{Unseen: true, Training: 5}, -1},
		{"unseen and latest", timed(chance(t, 60, 0.2, 2)), SplitOptions{Unseen: true, Latest: true}, -1},
		{"unseen and nearly all", chance(t, 40, 0.1, 2), SplitOptions{Share: 0.9999, Unseen: true}, -3},
		{"ascending", chance(t, 60, 0.2, 2), SplitOptions{Ascending: true}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := SplitLinks(context.Background(), c.g, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			checkSplit(t, c.g, s)
			share := c.opts.Share
			if share == 0 {
				share = 0.2
			}
			want := c.held
			switch want {
			case -1:
				want = int(share*float64(c.g.Edges()) + 0.5)
			case -2, -3:
				want = int(c.g.Edges()) + want + 1
			}
			for _, pairs := range [][]csr.Edge{s.Edges, s.NonEdges, s.TrainEdges, s.TrainNonEdges} {
				if c.opts.Ascending && !slices.Equal(pairs, ascending(pairs)) {
					t.Errorf("a pair begins with its larger vertex: %v", pairs)
				}
			}
			if len(s.Edges) != want {
				t.Errorf("%d of %d edges held out, expected %d", len(s.Edges), c.g.Edges(), want)
			}
			same, err := SplitLinks(context.Background(), c.g, c.opts)
			if err != nil || !reflect.DeepEqual(s, same) {
				t.Errorf("the same options give another split, %v", err)
			}
			c.opts.Seed++
			other, err := SplitLinks(context.Background(), c.g, c.opts)
			if err != nil || slices.Equal(ordered(s.TrainNonEdges), ordered(other.TrainNonEdges)) && c.name != "nearly complete" {
				t.Errorf("another seed gives the same pairs, %v", err)
			}
		})
	}
}

// No remaining edge is later than a held-out edge.
func TestSplitLinks_Latest(t *testing.T) {
	g := timed(chance(t, 60, 0.2, 2))
	time := func(e csr.Edge) int64 {
		return g.Times[g.Offsets[e.U]+int64(slices.Index(g.Neighbors(e.U), e.V))]
	}
	for _, share := range []float64{0.1, 0.5, 0.95} {
		s, err := SplitLinks(context.Background(), g, SplitOptions{Share: share, Latest: true, Training: int(g.Edges())})
		if err != nil {
			t.Fatal(err)
		}
		unseen, err := SplitLinks(context.Background(), g, SplitOptions{Share: share, Latest: true, Unseen: true})
		if err != nil || !slices.Equal(ordered(unseen.Edges), ordered(s.Edges)) {
			t.Fatalf("other edges are held out, %v", err)
		}
		for _, later := range unseen.TrainEdges {
			for u := range uint32(g.Vertices()) {
				for _, v := range unseen.Graph.Neighbors(u) {
					if e := (csr.Edge{U: u, V: v}); time(later) < time(e) {
						t.Fatalf("share %v: %v of time %d is learned from, %v of time %d is seen", share, later, time(later), e, time(e))
					}
				}
			}
		}
		for _, later := range s.Edges {
			for _, earlier := range s.TrainEdges {
				if time(later) < time(earlier) {
					t.Fatalf("share %v: %v of time %d is held out, %v of time %d is not", share, later, time(later), earlier, time(earlier))
				}
			}
		}
	}
}

func TestSplitLinks_Errors(t *testing.T) {
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	g := chance(t, 30, 0.2, 1)
	one, err := csr.FromEdges(3, []csr.Edge{{U: 0, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		g    *csr.Graph
		opts SplitOptions
		want error
	}{
		{"share", ctx, g, SplitOptions{Share: 1}, ErrOption},
		{"training", ctx, g, SplitOptions{Training: -1}, ErrOption},
		{"one edge", ctx, one, SplitOptions{}, ErrLinks},
		{"two edges", ctx, testgraph.Of(t, 5, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2}), SplitOptions{Unseen: true}, ErrLinks},
		{"complete", ctx, chance(t, 9, 2, 1), SplitOptions{}, ErrLinks},
		{"empty", ctx, &csr.Graph{}, SplitOptions{}, ErrLinks},
		{"no times", ctx, g, SplitOptions{Latest: true}, ErrTimes},
		{"cancelled", cancelled, g, SplitOptions{}, context.Canceled},
	} {
		if s, err := SplitLinks(c.ctx, c.g, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", c.name, s, err)
		}
	}
}

// adjacency is an embedding that contains the whole graph: the row of a vertex has a 1 for
// itself and for each neighbour.
func adjacency(g *csr.Graph) *vec.Matrix {
	m := vec.NewMatrix(g.Vertices(), g.Vertices())
	for u := range uint32(g.Vertices()) {
		m.Row(int(u))[u] = 1
		for _, v := range g.Neighbors(u) {
			m.Row(int(u))[v] = 1
		}
	}
	return m
}

// In a random graph, no scorer separates held-out edges from other pairs unless it has seen
// the held-out edges. A scorer that has seen them, on the same embedding of the whole
// graph, separates all of them.
func TestLinkSplit_NothingLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: splits a graph for each way")
	}
	for _, opts := range []SplitOptions{{Share: 0.3}, {Share: 0.3, Unseen: true}, {Share: 0.3, Ascending: true}} {
		nothingLeaks(t, opts)
	}
}

func nothingLeaks(t *testing.T, opts SplitOptions) {
	g := chance(t, 400, 0.02, 9)
	s, err := SplitLinks(context.Background(), g, opts)
	if err != nil {
		t.Fatal(err)
	}
	var features []string
	for _, f := range link.Features() {
		features = append(features, f.Name)
	}
	scores, err := s.Score(context.Background(), adjacency(s.Graph), LinkOptions{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != len(link.Scorers())-1+len(features) { // without the one that needs times
		t.Errorf("%d scores", len(scores))
	}
	// 1,000 and more pairs of each kind leave a standard deviation of 0.013.
	for _, score := range scores {
		if score.AUC < 0.44 || score.AUC > 0.56 {
			t.Errorf("%s (learned: %v) has the AUC %v", score.Scorer, score.Learned, score.AUC)
		}
	}
	leaked := *s
	leaked.Graph = g
	scores, err = leaked.Score(context.Background(), adjacency(g), LinkOptions{Scorers: []string{"dot", "cosine", "common_neighbors"}, Features: []string{"hadamard"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, score := range scores {
		leak := score.Scorer != "common_neighbors" // which looks past the edge itself
		if leak && score.AUC < 0.75 {
			t.Errorf("the leak would not show: %s has the AUC %v", score.Scorer, score.AUC)
		}
	}
}

// Two groups with edges mostly inside each group: distances predict links, and models learn
// this.
func TestLinkSplit_Learns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	const n = 200
	m := vec.NewMatrix(n, 3)
	var edges []csr.Edge
	for u := range n {
		row := m.Row(u)
		row[0] = float32(u%2*2-1) + float32(random.NormFloat64()/10)
		row[1], row[2] = float32(random.NormFloat64()), float32(random.NormFloat64())
		for v := range u {
			if u%2 == v%2 && random.Float64() < 0.2 {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	s, err := SplitLinks(context.Background(), g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := LinkOptions{Scorers: []string{"l2", "probability"}, Features: []string{"difference", "l1", "l2", "hadamard", "concatenation"}, HitsAt: 10}
	scores, err := s.Score(context.Background(), m, opts)
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].AUC != scores[1].AUC || scores[0].F1 != scores[1].F1 {
		t.Errorf("a distance and a probability that falls with it differ: %+v", scores[:2])
	}
	for _, score := range scores[2:] {
		// A pair without an edge is in one group by three chances in eight or so.
		if useless := score.Scorer == "difference"; useless == (score.AUC > 0.7) {
			t.Errorf("learned from %s: AUC %v", score.Scorer, score.AUC)
		}
	}
	for _, workers := range []int{1, 3} {
		opts.Workers = workers
		if again, err := s.Score(context.Background(), m, opts); err != nil || !slices.Equal(scores, again) {
			t.Errorf("%d workers: %+v, %v", workers, again, err)
		}
	}
}

func scoresOf(score func(u, v uint32) float64, pairs []csr.Edge) (list []float64) {
	for _, e := range pairs {
		list = append(list, score(e.U, e.V))
	}
	return list
}

// The measures are those of the scores of the test, and the threshold comes from
// the training.
func TestLinkSplit_Measures(t *testing.T) {
	g := chance(t, 80, 0.15, 4)
	s, err := SplitLinks(context.Background(), g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := s.Score(context.Background(), nil, LinkOptions{HitsAt: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range scores {
		f, err := link.New(got.Scorer, s.Graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		positive, negative := scoresOf(f, s.Edges), scoresOf(f, s.NonEdges)
		train, trainNot := scoresOf(f, s.TrainEdges), scoresOf(f, s.TrainNonEdges)
		threshold, best := 0.0, -1.0
		for _, at := range slices.Concat(train, trainNot) {
			if _, _, f1 := bruteF1(at, train, trainNot); f1 > best || f1 == best && at > threshold {
				threshold, best = at, f1
			}
		}
		want := LinkScore{Scorer: got.Scorer, AUC: bruteAUC(positive, negative), AveragePrecision: bruteAveragePrecision(positive, negative), Hits: bruteHits(7, positive, negative)}
		want.Precision, want.Recall, want.F1 = bruteF1(threshold, positive, negative)
		if tested := slices.Concat(positive, negative); slices.Min(tested) >= threshold || slices.Max(tested) < threshold {
			want.Precision, want.Recall, want.F1 = math.NaN(), math.NaN(), math.NaN()
		}
		if !near(got.AUC, want.AUC) || !near(got.AveragePrecision, want.AveragePrecision) || !near(got.Hits, want.Hits) ||
			!near(got.Precision, want.Precision) || !near(got.Recall, want.Recall) || !near(got.F1, want.F1) {
			t.Errorf("%+v, expected %+v", got, want)
		}
	}
}

func TestLinkSplit_Errors(t *testing.T) {
	g := chance(t, 30, 0.2, 1)
	s, err := SplitLinks(context.Background(), g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	m := adjacency(s.Graph)
	for _, c := range []struct {
		name string
		ctx  context.Context
		m    *vec.Matrix
		opts LinkOptions
		want error
	}{
		{"rows", ctx, vec.NewMatrix(3, 3), LinkOptions{}, ErrShape},
		{"feature", ctx, m, LinkOptions{Features: []string{"l3"}}, ErrOption},
		{"feature of nothing", ctx, nil, LinkOptions{Features: []string{"l1"}}, ErrShape},
		{"scorer", ctx, m, LinkOptions{Scorers: []string{"kats"}}, link.ErrScorer},
		{"hits", ctx, m, LinkOptions{HitsAt: -1}, ErrOption},
		{"cancelled", cancelled, m, LinkOptions{}, context.Canceled},
		{"cancelled learning", cancelled, m, LinkOptions{Scorers: []string{}}, context.Canceled},
	} {
		if scores, err := s.Score(c.ctx, c.m, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", c.name, scores, err)
		}
	}
}
