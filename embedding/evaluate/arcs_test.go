package evaluate

import (
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

// arcsOf draws a directed graph with hubs, weights and times, in which some edges have their way back.
func arcsOf(n int, each float64, seed uint64) *csr.Directed {
	random := rand.New(rand.NewPCG(seed, 9))
	has := map[csr.Edge]bool{}
	for range int(each * float64(n)) {
		x, y := random.Float64(), random.Float64()
		e := csr.Edge{U: uint32(x * x * float64(n)), V: uint32(y * y * y * float64(n))}
		has[e] = true
		if random.IntN(3) == 0 {
			has[csr.Edge{U: e.V, V: e.U}] = true
		}
	}
	rows := csr.Rows{Offsets: make([]int64, n+1)}
	for u := range uint32(n) {
		for v := range uint32(n) {
			if u != v && has[csr.Edge{U: u, V: v}] {
				rows.Targets = append(rows.Targets, v)
				rows.Weights, rows.Times = append(rows.Weights, float32(1+random.IntN(3))), append(rows.Times, int64(random.IntN(20)))
			}
		}
		rows.Offsets[u+1] = int64(len(rows.Targets))
	}
	return csr.NewDirected(rows)
}

func hasArc(d *csr.Directed, u, v uint32) bool { return slices.Contains(d.Out.Neighbors(u), v) }

// checkDirected checks the documented properties of a split of a directed graph by a kind of negatives.
func checkDirected(t *testing.T, d *csr.Directed, s *LinkSplit) {
	t.Helper()
	if err := s.Directed.Validate(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Graph, s.Directed.Undirected()) {
		t.Fatal("Graph is not the undirected view")
	}
	for u := range uint32(d.Vertices()) {
		for i, v := range s.Directed.Out.Neighbors(u) {
			at, rest := slices.Index(d.Out.Neighbors(u), v), s.Directed.Out.Offsets[u]+int64(i)
			if at < 0 {
				t.Fatalf("edge (%d, %d) is new", u, v)
			}
			whole := d.Out.Offsets[u] + int64(at)
			if d.Out.Weights[whole] != s.Directed.Out.Weights[rest] || d.Out.Times[whole] != s.Directed.Out.Times[rest] {
				t.Fatalf("edge (%d, %d) has lost its weight or its timestamp", u, v)
			}
		}
	}
	seen := map[csr.Edge]string{}
	for _, list := range []struct {
		name        string
		pairs       []csr.Edge
		whole, rest bool
	}{
		{"held out", s.Edges, true, false}, {"non-edges", s.NonEdges, false, false},
		{"training", s.TrainEdges, true, !s.Unseen}, {"training non-edges", s.TrainNonEdges, false, false},
	} {
		if len(list.pairs) == 0 {
			t.Errorf("no pairs %s", list.name)
		}
		for _, e := range list.pairs {
			if other, twice := seen[e]; twice || e.U == e.V {
				t.Fatalf("pair %v is %s and %s", e, other, list.name)
			}
			seen[e] = list.name
			if hasArc(d, e.U, e.V) != list.whole || hasArc(s.Directed, e.U, e.V) != list.rest {
				t.Fatalf("pair %v is %s", e, list.name)
			}
		}
	}
}

func TestSplitDirected_Promises(t *testing.T) {
	for _, d := range []*csr.Directed{arcsOf(60, 4, 1), arcsOf(25, 30, 2), arcsOf(300, 1.5, 3)} {
		for _, opts := range []SplitOptions{{}, {Seed: 4, Share: 0.5}, {Latest: true}, {Unseen: true, Training: 9}, {Connected: true}, {Connected: true, Latest: true, Unseen: true}, {Ascending: true}} {
			s, err := SplitDirected(t.Context(), d, opts)
			if err != nil {
				t.Fatal(err)
			}
			checkDirected(t, d, s)
			held := int64(len(s.Edges))
			if s.Unseen {
				held += int64(len(s.TrainEdges))
			}
			if s.Directed.Arcs()+held != d.Arcs() {
				t.Errorf("%d edges of %d are left, and %d were held out", s.Directed.Arcs(), d.Arcs(), held)
			}
			share := opts.Share
			if share == 0 {
				share = DefaultShare
			}
			if want := int(math.Round(share * float64(d.Arcs()))); len(s.Edges) != want && !opts.Connected {
				t.Errorf("%d edges held out, expected %d", len(s.Edges), want)
			}
			if opts.Connected && s.Graph.Components().Count() != d.Undirected().Components().Count() {
				t.Error("other components")
			}
			if opts.Latest && !opts.Unseen && !opts.Connected {
				times := func(pairs []csr.Edge) (list []int64) {
					for _, e := range pairs {
						list = append(list, d.Out.Times[d.Out.Offsets[e.U]+int64(slices.Index(d.Out.Neighbors(e.U), e.V))])
					}
					return list
				}
				if slices.Min(times(s.Edges)) < slices.Max(s.Directed.Out.Times) {
					t.Error("an edge that is left is later than one that was held out")
				}
			}
			again, err := SplitDirected(t.Context(), d, opts)
			if err != nil || !reflect.DeepEqual(s, again) {
				t.Errorf("the same options give another split, %v", err)
			}
			back := 0
			for _, e := range s.Edges {
				if hasArc(s.Directed, e.V, e.U) {
					back++
				}
			}
			if got := s.WayBack(s.Edges); got != back {
				t.Errorf("%d ways back, expected %d", got, back)
			}
			for _, kind := range DirectedNegatives() {
				of, err := s.WithDirected(t.Context(), d, kind, opts)
				if err != nil {
					t.Fatal(kind, err)
				}
				checkDirected(t, d, of)
				checkKind(t, d, s, of, kind)
			}
		}
	}
}

// checkKind checks what is special to a kind of negatives.
func checkKind(t *testing.T, d *csr.Directed, base, s *LinkSplit, kind Negatives) {
	t.Helper()
	count := func(pairs []csr.Edge, is func(e csr.Edge) bool) (n int) {
		for _, e := range pairs {
			if is(e) {
				n++
			}
		}
		return n
	}
	apart := func(e csr.Edge) bool { return len(link.CommonAlong(s.Directed, e.U, e.V)) > 0 }
	switch kind {
	case DegreeNegatives:
		source := func(e csr.Edge) bool {
			return slices.ContainsFunc(base.Edges, func(f csr.Edge) bool { return f.U == e.U })
		}
		target := func(e csr.Edge) bool {
			return slices.ContainsFunc(base.Edges, func(f csr.Edge) bool { return f.V == e.V })
		}
		if n := len(s.NonEdges); count(s.NonEdges, source) != n || count(s.NonEdges, target) != n {
			t.Error("an end is that of no held-out edge")
		}
	case TwoHopNegatives:
		if len(s.Edges) != count(base.Edges, apart) || count(s.NonEdges, apart) != len(s.NonEdges) || count(s.TrainNonEdges, apart) != len(s.TrainNonEdges) {
			t.Error("a pair is not two edges apart, or such an edge is missing")
		}
	case ReversedNegatives:
		oneWay := func(e csr.Edge) bool { return !hasArc(d, e.V, e.U) }
		if len(s.Edges) != count(base.Edges, oneWay) || len(s.NonEdges) != len(s.Edges) {
			t.Errorf("%d edges, %d pairs, expected %d", len(s.Edges), len(s.NonEdges), count(base.Edges, oneWay))
		}
		for i, e := range s.Edges {
			if s.NonEdges[i] != (csr.Edge{U: e.V, V: e.U}) {
				t.Errorf("%v has the pair %v", e, s.NonEdges[i])
			}
		}
	}
}

// TestSplitDirected_Scores compares the AUC of scorers with its definition, and expects ½ of symmetric ones
// against ways back.
func TestSplitDirected_Scores(t *testing.T) {
	d := arcsOf(120, 5, 6)
	base, err := SplitDirected(t.Context(), d, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(120, 3)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Data {
		m.Data[i] = random.Float32() - 0.5
	}
	for _, kind := range DirectedNegatives() {
		s, err := base.WithDirected(t.Context(), d, kind, SplitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := s.Score(t.Context(), m, LinkOptions{Features: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range scores {
			score, err := link.NewAlong(got.Scorer, s.Directed, m)
			if err != nil {
				t.Fatal(err)
			}
			edges, others := scoresOf(score, s.Edges), scoresOf(score, s.NonEdges)
			if got.Scorer == "l2" {
				edges, others = others, edges
			}
			if want := bruteAUC(edges, others); math.Abs(got.AUC-want) > 1e-12 {
				t.Errorf("%s, %s: AUC %v, expected %v", kind, got.Scorer, got.AUC, want)
			}
			if kind == ReversedNegatives && !link.DependsOnOrder(got.Scorer) && got.AUC != 0.5 {
				t.Errorf("%s: AUC %v of ways back", got.Scorer, got.AUC)
			}
		}
	}
}

// TestSplitDirected_Rank compares recommendations with their definition.
func TestSplitDirected_Rank(t *testing.T) {
	d := arcsOf(150, 4, 7)
	s, err := SplitDirected(t.Context(), d, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, sample, err := s.Rank(t.Context(), nil, RankOptions{Scorers: []string{"adamic_adar", "l3", "preferential_attachment"}, K: 7, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	sources := map[uint32]bool{}
	for _, e := range s.Edges {
		sources[e.U] = true
	}
	if len(sample.Vertices) != len(sources) {
		t.Errorf("%d vertices, expected the %d sources", len(sample.Vertices), len(sources))
	}
	for _, r := range list {
		score, err := link.NewAlong(r.Scorer, s.Directed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range sample.Vertices {
			for j, l := range r.Lists[i] {
				if hasArc(s.Directed, u, l.V) || l.V == u || l.Score != score(u, l.V) || j > 0 && l.Score > r.Lists[i][j-1].Score {
					t.Errorf("%s of %d: %v", r.Scorer, u, r.Lists[i])
				}
			}
			checkRank(t, r.Scorer, u, r.Of[i], bruteRank(s, u, 7, score, func(u, v uint32) bool { return score(u, v) > 0 }))
		}
	}
	if _, err := s.RankChance(RankOptions{K: 7}); err != nil {
		t.Error(err)
	}
}

func TestSplitDirected_Errors(t *testing.T) {
	d := arcsOf(20, 3, 8)
	one := csr.NewDirected(csr.Rows{Offsets: []int64{0, 1, 1, 1}, Targets: []uint32{1}})
	for _, c := range []struct {
		d    *csr.Directed
		opts SplitOptions
		want error
	}{
		{d, SplitOptions{Sides: make(link.Sides, 20)}, ErrOption},
		{d, SplitOptions{Share: 2}, ErrOption},
		{one, SplitOptions{}, ErrLinks},
		{csr.NewDirected(csr.Rows{Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}}), SplitOptions{}, ErrLinks}, // no pair is left
		{csr.NewDirected(csr.Rows{Offsets: d.Out.Offsets, Targets: d.Out.Targets}), SplitOptions{Latest: true}, ErrTimes},
	} {
		if _, err := SplitDirected(t.Context(), c.d, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%v, expected %v", err, c.want)
		}
	}
	undirected, err := SplitLinks(t.Context(), d.Undirected(), SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := undirected.With(t.Context(), d.Undirected(), ReversedNegatives, SplitOptions{}); !errors.Is(err, ErrOption) {
		t.Errorf("ways back in an undirected graph: %v", err)
	}
}
