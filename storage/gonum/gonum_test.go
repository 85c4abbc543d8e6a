package gonum

import (
	"testing"

	"gonum.org/v1/gonum/graph"

	"heavytail/storage/csr"
)

// TestGraph holds the view against the edges, all ids from below the first vertex to
// beyond the last.
func TestGraph(t *testing.T) {
	plain, err := csr.FromEdges(5, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 3}})
	if err != nil {
		t.Fatal(err)
	}
	weighted := &csr.Graph{Offsets: plain.Offsets, Targets: plain.Targets, Weights: []float32{2, 3, 2, 4, 4, 3}}
	weights := map[[2]int64]float64{{0, 1}: 2, {1, 2}: 4, {0, 3}: 3}
	for _, c := range []*csr.Graph{plain, weighted, {}} {
		g := NewGraph(c)
		for u := int64(-1); u <= 5; u++ {
			if (g.Node(u) != nil) != (u >= 0 && u < int64(c.Vertices())) {
				t.Errorf("node %d: %v", u, g.Node(u))
			}
			if got := graph.NodesOf(g.From(u)); g.has(u) && len(got) != c.Degree(uint32(u)) || !g.has(u) && len(got) != 0 {
				t.Errorf("neighbours of %d: %v", u, got)
			}
			for v := int64(-1); v <= 5; v++ {
				w, there := weights[[2]int64{min(u, v), max(u, v)}]
				there = there && c.Vertices() > 0
				if !c.Weighted() {
					w = 1
				}
				e := g.WeightedEdge(u, v)
				if (e != nil) != there || g.HasEdgeBetween(u, v) != there || (g.Edge(u, v) != nil) != there {
					t.Errorf("edge %d–%d: %v", u, v, e)
				}
				if there && (e.Weight() != w || e.From().ID() != u || e.To().ID() != v || e.ReversedEdge().From().ID() != v) {
					t.Errorf("edge %d–%d: %v", u, v, e)
				}
				if got, ok := g.Weight(u, v); there && (got != w || !ok) || u == v && ok != g.has(u) {
					t.Errorf("weight %d–%d: %v, %v", u, v, got, ok)
				}
			}
		}
		all := g.Nodes()
		if len(graph.NodesOf(all)) != c.Vertices() || all.Next() {
			t.Error("the nodes are not all, or do not end")
		}
		if all.Reset(); all.Len() != c.Vertices() {
			t.Errorf("%d nodes after a reset", all.Len())
		}
	}
}
