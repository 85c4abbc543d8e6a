package link

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// kite returns a graph in which 0 and 1 have the common neighbours 2 (degree 3) and 3 (degree
// 2), 4 is a leaf at 2, and 5 is isolated.
//
//	0 — 2 — 4
//	|   |
//	3 — 1     5
func kite(t testing.TB) *csr.Graph {
	return testgraph.Of(t, 6, csr.Edge{U: 0, V: 2}, csr.Edge{U: 0, V: 3}, csr.Edge{U: 1, V: 2}, csr.Edge{U: 1, V: 3}, csr.Edge{U: 2, V: 4})
}

func TestNew_ByHand(t *testing.T) {
	m := &vec.Matrix{Rows: 6, Dim: 2, Data: []float32{3, 0, 0, 4, -3, 0, 6, 0, 0, 0, 3, 0}}
	for _, c := range []struct {
		name string
		u, v uint32
		want float64
	}{
		{"common_neighbors", 0, 1, 2},
		{"common_neighbors", 2, 3, 2},
		{"common_neighbors", 3, 4, 0},
		{"jaccard", 0, 1, 1},
		{"jaccard", 2, 3, 2. / 3},
		{"jaccard", 0, 4, 0.5},
		{"adamic_adar", 0, 1, 1/math.Log(3) + 1/math.Log(2)},
		{"resource_allocation", 0, 1, 1./3 + 1./2},
		{"preferential_attachment", 2, 3, 6},
		{"sorensen", 0, 1, 1},
		{"sorensen", 2, 3, 0.8},
		{"lhn", 0, 1, 0.5},
		{"lhn", 2, 3, 1. / 3},
		{"hub_promoted", 0, 4, 1},
		{"hub_depressed", 0, 4, 0.5},
		{"sorensen", 0, 5, 0},
		{"lhn", 5, 5, 0},
		{"hub_promoted", 0, 5, 0},
		{"hub_depressed", 2, 2, 0},
		{"local_path", 0, 1, 2},
		{"local_path", 3, 4, 2 * LocalPathEpsilon},
		{"l3", 0, 2, 0.5},                // over 3 and 1; the edge itself counts for nothing
		{"l3", 3, 4, 2 / math.Sqrt(2*3)}, // over 0 and over 1, and 2
		{"l3", 0, 5, 0},
		{"l3", 2, 2, 0},
		{"l3", 0, 1, 0},
		{"katz", 0, 1, 2 * KatzBeta * KatzBeta},
		{"katz", 0, 2, math.Pow(KatzBeta, 3)}, // over 3 and 1; the edge itself counts for nothing
		{"katz", 3, 4, 2 * math.Pow(KatzBeta, 3)},
		// Isolated vertices and pairs of one vertex.
		{"common_neighbors", 0, 5, 0},
		{"jaccard", 0, 5, 0},
		{"adamic_adar", 5, 0, 0},
		{"resource_allocation", 0, 5, 0},
		{"preferential_attachment", 0, 5, 0},
		{"common_neighbors", 2, 2, 0},
		{"jaccard", 2, 2, 0},
		{"adamic_adar", 2, 2, 0},
		{"resource_allocation", 2, 2, 0},
		{"preferential_attachment", 2, 2, 0},
		{"jaccard", 5, 5, 0},
		{"katz", 0, 5, 0},
		{"katz", 2, 2, 0},
		// Vectors (3,0), (0,4), (−3,0), (6,0), (0,0), (3,0).
		{"l2", 0, 1, 5},
		{"l2", 2, 2, 0},
		{"l2", 0, 5, 0},
		{"dot", 0, 3, 18},
		{"dot", 0, 2, -9},
		{"cosine", 0, 1, 0},
		{"cosine", 0, 2, -1},
		{"cosine", 0, 3, 1},
		{"cosine", 0, 4, 0},
		{"cosine", 4, 4, 0},
		{"probability", 0, 1, 1 / (1 + math.Exp(5))},
		{"probability", 0, 5, 0.5},
	} {
		score, err := New(c.name, kite(t), m)
		if err != nil {
			t.Fatal(err)
		}
		if got, back := score(c.u, c.v), score(c.v, c.u); math.Abs(got-c.want) > exactTo(c.name) || got != back {
			t.Errorf("%s(%d, %d) = %v and %v, expected %v", c.name, c.u, c.v, got, back, c.want)
		}
	}
}

// TestNew_Table checks that the table and New agree.
func TestNew_Table(t *testing.T) {
	g, m := withTimes(kite(t), rand.New(rand.NewPCG(2, 3))), vec.NewMatrix(6, 2)
	names := map[string]bool{}
	for _, s := range Scorers() {
		if names[s.Name] || s.Summary == "" {
			t.Errorf("%s is a duplicate or has no summary", s.Name)
		}
		names[s.Name] = true
		if _, err := New(s.Name, g, m); err != nil {
			t.Error(err)
		}
		_, err := New(s.Name, g, nil)
		if s.NeedsEmbedding != errors.Is(err, ErrNeedsEmbedding) {
			t.Errorf("%s without an embedding: %v", s.Name, err)
		}
		_, err = New(s.Name, nil, m)
		if s.NeedsEmbedding == errors.Is(err, ErrNeedsGraph) {
			t.Errorf("%s without a graph: %v", s.Name, err)
		}
	}
	if len(names) != 17 || len(names) > len(values{}) {
		t.Errorf("%d scorers", len(names))
	}
	if _, err := New("kats", g, m); !errors.Is(err, ErrScorer) {
		t.Errorf("unknown scorer: %v", err)
	}
}

// TestNew_Likelier checks HigherIsLikelier on vectors: 1 is nearer to 0 than 2 is.
func TestNew_Likelier(t *testing.T) {
	m := &vec.Matrix{Rows: 3, Dim: 2, Data: []float32{2, 1, 2, 1.5, -1, 2}}
	for _, s := range Scorers() {
		if !s.NeedsEmbedding {
			continue
		}
		score, err := New(s.Name, nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if (score(0, 1) > score(0, 2)) != s.HigherIsLikelier {
			t.Errorf("%s: %v near, %v far", s.Name, score(0, 1), score(0, 2))
		}
	}
}

// TestHeuristics_Sets compares every heuristic with its definition on sets, on graphs with
// hubs, so that both algorithms to intersect lists are used.
func TestHeuristics_Sets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "n")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var edges []csr.Edge
		for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
			edges = append(edges, csr.Edge{U: uint32(random.IntN(n)), V: uint32(random.IntN(n))})
		}
		for v := range n {
			if random.Float64() < 0.9 {
				edges = append(edges, csr.Edge{U: 0, V: uint32(v)})
			}
		}
		g, err := csr.FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		// The same functions for all pairs, since they keep marks between pairs; and functions
		// without memory for marks.
		functions := map[string][]func(u, v uint32) float64{}
		unmarked := newCommon(undirected(g))
		unmarked.scratch.New = func() any { return &marks{} }
		for _, name := range []string{"common_neighbors", "jaccard", "sorensen", "lhn", "hub_promoted", "hub_depressed", "adamic_adar", "resource_allocation", "katz", "local_path", "l3"} {
			score, err := New(name, g, nil)
			if err != nil {
				t.Fatal(err)
			}
			plain := newL3(undirected(g))
			plain.common = unmarked
			functions[name] = []func(u, v uint32) float64{score, plain.score}
			if weigh := pathWeights(name); weigh != nil {
				functions[name][1] = paths{unmarked, weigh}.score
			} else if name != "l3" {
				functions[name][1] = unmarked.scorer(summedBy(name))
			}
		}
		for range 30 {
			u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
			if random.IntN(3) == 0 {
				u = 0
			}
			if u == v {
				continue
			}
			var common []uint32
			union := map[uint32]bool{}
			for w := range uint32(n) {
				if g.HasEdge(u, w) && g.HasEdge(v, w) {
					common = append(common, w)
				}
				if g.HasEdge(u, w) || g.HasEdge(v, w) {
					union[w] = true
				}
			}
			var got []uint32
			eachCommon(undirected(g), u, v, func(w uint32) { got = append(got, w) })
			if !slices.Equal(got, common) {
				t.Fatalf("common neighbours of %d and %d: %v, expected %v", u, v, got, common)
			}
			var adamic, allocation float64
			for _, w := range common {
				adamic += 1 / math.Log(float64(g.Degree(w)))
				allocation += 1 / float64(g.Degree(w))
			}
			jaccard := 0.0
			if len(common) > 0 {
				jaccard = float64(len(common)) / float64(len(union))
			}
			if CommonNeighbors(g, u, v) != float64(len(common)) || Jaccard(g, u, v) != jaccard || AdamicAdar(g, u, v) != adamic || ResourceAllocation(g, u, v) != allocation {
				t.Fatalf("scores of %d and %d differ from their definitions", u, v)
			}
			c, du, dv := float64(len(common)), float64(g.Degree(u)), float64(g.Degree(v))
			for name, want := range map[string]float64{"sorensen": 2 * c / (du + dv), "lhn": c / (du * dv), "hub_promoted": c / min(du, dv), "hub_depressed": c / max(du, dv)} {
				if c == 0 {
					want = 0
				}
				if heuristic, _ := lookup(name); heuristic(g, u, v) != want {
					t.Fatalf("%s of %d and %d is %v, expected %v", name, u, v, heuristic(g, u, v), want)
				}
			}
			triples, roots := 0, 0.0
			for _, x := range g.Neighbors(u) {
				for _, y := range g.Neighbors(x) {
					if g.HasEdge(y, v) && x != v && y != u {
						triples++
						roots += 1 / math.Sqrt(float64(g.Degree(x))*float64(g.Degree(y)))
					}
				}
			}
			for name, list := range functions {
				heuristic, _ := lookup(name)
				for i, score := range list {
					if got, want := score(u, v), heuristic(g, u, v); got != want {
						t.Fatalf("%s of %d and %d is %v, expected %v (%d)", name, u, v, got, want, i)
					}
				}
			}
			if got, want := LocalPath(g, u, v), c+LocalPathEpsilon*float64(triples); math.Abs(got-want) > 1e-14*want {
				t.Fatalf("local_path of %d and %d is %v, expected %v", u, v, got, want)
			}
			if got := L3(g, u, v); math.Abs(got-roots) > 1e-8*roots || got != L3(g, v, u) {
				t.Fatalf("l3 of %d and %d is %v, expected %v", u, v, got, roots)
			}
			want := KatzBeta*KatzBeta*float64(len(common)) + math.Pow(KatzBeta, 3)*float64(triples)
			if got := Katz(g, u, v); math.Abs(got-want) > 1e-14*want || got != Katz(g, v, u) {
				t.Fatalf("katz of %d and %d is %v, expected %v", u, v, got, want)
			}
		}
	})
}

// exactTo is the largest error of a score of the kite: the roots of l3 have 31 bits.
func exactTo(scorer string) float64 {
	if scorer == "l3" {
		return 1e-9
	}
	return 1e-15
}

// TestGallop intersects every short list with a long one.
func TestGallop(t *testing.T) {
	long := []uint32{1, 3, 4, 7, 8, 9, 12, 15, 16, 17, 21, 30}
	for pattern := range 1 << 10 {
		var short, want []uint32
		for i := range 10 {
			if pattern&(1<<i) != 0 {
				w := uint32(i * 3)
				short = append(short, w)
				if slices.Contains(long, w) {
					want = append(want, w)
				}
			}
		}
		for length := range len(long) + 1 {
			var got []uint32
			gallop(short, long[:length], func(w uint32) { got = append(got, w) })
			part := slices.DeleteFunc(slices.Clone(want), func(w uint32) bool { return !slices.Contains(long[:length], w) })
			if !slices.Equal(got, part) {
				t.Fatalf("%v and %v: %v, expected %v", short, long[:length], got, part)
			}
		}
	}
}

// TestVectors_Range has vectors whose squares exceed the range of float32.
func TestVectors_Range(t *testing.T) {
	for _, scale := range []float64{1e-40, 1e-25, 1, 1e25, 1e38} {
		a, b := []float32{float32(3 * scale), 0}, []float32{0, float32(-2 * scale)}
		if got, want := L2(a, b), math.Sqrt(13)*scale; math.Abs(got-want) > 1e-4*want {
			t.Errorf("scale %v: l2 %v, expected %v", scale, got, want)
		}
		if got := Cosine(a, a); math.Abs(got-1) > 1e-12 {
			t.Errorf("scale %v: cosine %v", scale, got)
		}
		if got, want := Dot(b, b), 4*scale*scale; want < 1e30 && want > 1e-30 && math.Abs(got-want) > 1e-6*want || math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("scale %v: dot %v, expected %v", scale, got, want)
		}
	}
	if got := Dot([]float32{1e30, 1e30}, []float32{1e30, -1e30}); got != 0 {
		t.Errorf("dot of opposite vectors: %v", got)
	}
}
