package evaluate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/link"
	"heavytail/storage/csr"
)

// attachedBy is a graph in which every vertex joins m earlier ones by their degrees.
func attachedBy(t testing.TB, n, m int, seed uint64) *csr.Graph {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 3))
	var edges []csr.Edge
	ends := []uint32{0}
	for v := uint32(1); v < uint32(n); v++ {
		for range m {
			u := ends[random.IntN(len(ends))]
			if u != v {
				edges = append(edges, csr.Edge{U: u, V: v})
				ends = append(ends, u, v)
			}
		}
	}
	return testgraph.Of(t, n, edges...)
}

// Pairs have the documented properties of a split and of their kind of negatives.
func TestLinkSplit_With(t *testing.T) {
	ctx := context.Background()
	for name, g := range map[string]*csr.Graph{
		"chance": chance(t, 200, 0.05, 1), "attached": attachedBy(t, 400, 4, 2), "dense": chance(t, 60, 0.8, 3), "star": testgraph.Star(t, 300),
	} {
		for _, kind := range AllNegatives() {
			for _, opts := range []SplitOptions{{}, {Seed: 5, Unseen: true}, {Ascending: true, Share: 0.5}} {
				base, err := SplitLinks(ctx, g, opts)
				if err != nil {
					t.Fatal(err)
				}
				s, err := base.With(ctx, g, kind, opts)
				if name == "star" && kind == TwoHopNegatives {
					if !errors.Is(err, ErrNegatives) {
						t.Errorf("no edge of a star has a common neighbour: %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(name, kind, err)
				}
				checkWith(t, g, base, s, kind, opts)
				again, err := base.With(ctx, g, kind, opts)
				if err != nil || !reflect.DeepEqual(s, again) {
					t.Errorf("%s, %s: another draw with the same seed: %v", name, kind, err)
				}
			}
		}
	}
}

func checkWith(t *testing.T, g *csr.Graph, base, s *LinkSplit, kind Negatives, opts SplitOptions) {
	t.Helper()
	if s.Graph != base.Graph {
		t.Fatal("another graph")
	}
	seen := map[csr.Edge]bool{}
	for _, pairs := range [][]csr.Edge{s.NonEdges, s.TrainNonEdges} {
		for i, e := range ordered(pairs) {
			if seen[e] || e.U == e.V || g.HasEdge(e.U, e.V) {
				t.Fatalf("%s: pair %v", kind, e)
			}
			seen[e] = true
			if opts.Ascending && pairs[i].U > pairs[i].V {
				t.Fatalf("%s: pair %v is not ascending", kind, pairs[i])
			}
			if kind == TwoHopNegatives && len(link.Common(s.Graph, e.U, e.V)) == 0 {
				t.Fatalf("pair %v has no common neighbour", e)
			}
		}
	}
	if kind != TwoHopNegatives {
		if !reflect.DeepEqual(s.Edges, base.Edges) || !reflect.DeepEqual(s.TrainEdges, base.TrainEdges) {
			t.Errorf("%s: other edges", kind)
		}
		return
	}
	left := 0
	for _, e := range base.Edges {
		if len(link.Common(s.Graph, e.U, e.V)) > 0 {
			left++
		}
	}
	if left != len(s.Edges) {
		t.Errorf("%d edges two edges apart, expected %d", len(s.Edges), left)
	}
}

// The ends of pairs that are drawn by degree have the degrees of the held-out edges;
// those that are drawn at random do not.
func TestLinkSplit_WithDegree(t *testing.T) {
	ctx := context.Background()
	g := attachedBy(t, 4000, 4, 7)
	base, err := SplitLinks(ctx, g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := base.With(ctx, g, DegreeNegatives, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(pairs []csr.Edge) float64 {
		sum := 0.0
		for _, e := range pairs {
			sum += math.Log(float64(1+g.Degree(e.U))) + math.Log(float64(1+g.Degree(e.V)))
		}
		return sum / float64(2*len(pairs))
	}
	edges, byDegree, random := mean(base.Edges), mean(s.NonEdges), mean(base.NonEdges)
	if math.Abs(byDegree-edges) > 0.05 || random > edges-0.3 {
		t.Errorf("mean logarithms of the degrees: edges %v, by degree %v, random %v", edges, byDegree, random)
	}
}

// Every pair two edges apart is as likely as any other, whether pairs are listed or
// drawn.
func TestLinkSplit_TwoHopUniform(t *testing.T) {
	g := attachedBy(t, 40, 2, 4)
	twoHopUniform(t, negativeDraw{g: edgeRows{g, false}, rest: g, back: g}, 10, func(u, v uint32) bool {
		return u < v && !g.HasEdge(u, v) && len(link.Common(g, u, v)) > 0
	})
	d := arcsOf(9, 2, 5)
	rows := arcRows(d)
	twoHopUniform(t, negativeDraw{g: rows, rest: rows.Graph, back: (*csr.Graph)(&d.In)}, 2, func(u, v uint32) bool {
		return u != v && !hasArc(d, u, v) && len(link.CommonAlong(d, u, v)) > 0
	})
}

// twoHopUniform draws some pairs many times and compares their frequencies. apart reports whether a pair is one of
// those that can be drawn.
func twoHopUniform(t *testing.T, draw negativeDraw, wanted int, apart func(u, v uint32) bool) {
	t.Helper()
	all := map[csr.Edge]bool{}
	for u := range uint32(draw.g.Vertices()) {
		for v := range uint32(draw.g.Vertices()) {
			if apart(u, v) {
				all[csr.Edge{U: u, V: v}] = true
			}
		}
	}
	for _, list := range []bool{true, false} {
		drawn := map[csr.Edge]float64{}
		const rounds = 4000
		for seed := range uint64(rounds) {
			d := draw
			d.ctx, d.random, d.most = t.Context(), splitRandom(seed, "test"), int64(wanted)
			pairs, err := d.listed(wanted)
			if !list {
				pairs, err = d.drawn(wanted, d.wedges())
			}
			if err != nil || len(pairs) != wanted {
				t.Fatal(len(pairs), err)
			}
			for _, e := range pairs {
				drawn[e]++
			}
		}
		expected := float64(rounds*wanted) / float64(len(all))
		square := 0.0
		for e, n := range drawn {
			if !all[e] {
				t.Fatalf("pair %v", e)
			}
			square += (n - expected) * (n - expected) / expected
		}
		// Without replacement the variance is lower than that of the χ² distribution.
		degrees := float64(len(all) - 1)
		if len(drawn) != len(all) || square > degrees+4*math.Sqrt(2*degrees) {
			t.Errorf("listed %v: %d of %d pairs, χ² %v of %v degrees", list, len(drawn), len(all), square, degrees)
		}
	}
}

// If too few pairs exist, fewer are drawn.
func TestLinkSplit_WithTooFew(t *testing.T) {
	ctx := context.Background()
	g := chance(t, 40, 0.97, 8)
	base, err := SplitLinks(ctx, g, SplitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Negatives{DegreeNegatives, TwoHopNegatives} {
		s, err := base.With(ctx, g, kind, SplitOptions{})
		if err != nil {
			t.Fatal(kind, err)
		}
		if len(s.NonEdges) >= len(s.Edges) {
			t.Errorf("%s: %d pairs for %d edges", kind, len(s.NonEdges), len(s.Edges))
		}
		checkWith(t, g, base, s, kind, SplitOptions{})
	}
	if _, err := base.With(ctx, g, "three_hop", SplitOptions{}); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, kind := range []Negatives{DegreeNegatives, TwoHopNegatives} {
		if _, err := base.With(cancelled, g, kind, SplitOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// On a random graph no scorer and no model predicts anything with any kind of pairs: each
// AUC is within three standard errors of 0.5.
func TestLinkSplit_NothingByChance(t *testing.T) {
	ctx := context.Background()
	g := chance(t, 600, 0.03, 21)
	splits := []SplitOptions{{Unseen: true, Seed: 3}, {}}
	if testing.Short() {
		splits = splits[:1]
	}
	for _, opts := range splits {
		base, err := SplitLinks(ctx, g, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range AllNegatives() {
			s, err := base.With(ctx, g, kind, opts)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := s.Score(ctx, adjacency(s.Graph), LinkOptions{Features: []string{"l1", "hadamard"}})
			if err != nil {
				t.Fatal(err)
			}
			p, n := float64(len(s.Edges)), float64(len(s.NonEdges))
			deviation := math.Sqrt((p + n + 1) / (12 * p * n)) // standard deviation of the U statistic
			for _, score := range scores {
				if math.Abs(score.AUC-0.5) > 3*deviation {
					t.Errorf("%s: %s has the AUC %v, %v standard errors from 0.5", kind, score.Scorer, score.AUC, (score.AUC-0.5)/deviation)
				}
			}
		}
	}
}
