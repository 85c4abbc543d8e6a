package gonum

import (
	"testing"

	"gonum.org/v1/gonum/graph"

	"heavytail/storage/csr"
)

// TestDirected holds the view against the edges, all ids from below the first vertex to beyond
// the last.
func TestDirected(t *testing.T) {
	weights := map[[2]int64]float64{{0, 1}: 2, {1, 0}: 5, {1, 2}: 4, {3, 0}: 3}
	rows := csr.Rows{Offsets: []int64{0, 1, 3, 3, 4, 4}, Targets: []uint32{1, 0, 2, 0}}
	plain := csr.NewDirected(rows)
	rows.Weights = []float32{2, 5, 4, 3}
	for _, d := range []*csr.Directed{plain, csr.NewDirected(rows), {}} {
		g := NewDirected(d)
		if len(graph.NodesOf(g.Nodes())) != d.Vertices() {
			t.Error("the nodes are not all")
		}
		for u := int64(-1); u <= 5; u++ {
			if (g.Node(u) != nil) != (u >= 0 && u < int64(d.Vertices())) {
				t.Errorf("node %d: %v", u, g.Node(u))
			}
			from, to := map[int64]bool{}, map[int64]bool{}
			for _, v := range graph.NodesOf(g.From(u)) {
				from[v.ID()] = true
			}
			for _, v := range graph.NodesOf(g.To(u)) {
				to[v.ID()] = true
			}
			for v := int64(-1); v <= 5; v++ {
				w, there := weights[[2]int64{u, v}]
				_, back := weights[[2]int64{v, u}]
				there, back = there && d.Vertices() > 0, back && d.Vertices() > 0
				if !d.Weighted() {
					w = 1
				}
				e := g.WeightedEdge(u, v)
				if (e != nil) != there || g.HasEdgeFromTo(u, v) != there || (g.Edge(u, v) != nil) != there || from[v] != there || to[v] != back || g.HasEdgeBetween(u, v) != (there || back) {
					t.Errorf("edge %d → %d: %v", u, v, e)
				}
				if there && (e.Weight() != w || e.From().ID() != u || e.To().ID() != v) {
					t.Errorf("edge %d → %d: %v", u, v, e)
				}
				if got, ok := g.Weight(u, v); there && (got != w || !ok) || u == v && ok != g.has(u) {
					t.Errorf("weight %d → %d: %v, %v", u, v, got, ok)
				}
			}
		}
	}
}
