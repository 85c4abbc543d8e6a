package link

import (
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// starGraph returns a star with vertex 0 as its hub, and one more vertex that is joined to two
// of the leaves.
func starGraph(t testing.TB, leaves int) *csr.Graph {
	var edges []csr.Edge
	for v := 1; v <= leaves; v++ {
		edges = append(edges, csr.Edge{U: 0, V: uint32(v)})
	}
	last := uint32(leaves + 1)
	return testgraph.Of(t, leaves+2, append(edges, csr.Edge{U: 1, V: last}, csr.Edge{U: 2, V: last})...)
}

// On a large star only a few pairs of leaves are scored. Two leaves with another common
// neighbour are found, since paths over vertices of low degree come first.
func TestPredictor_Few(t *testing.T) {
	const leaves = 3000
	g := starGraph(t, leaves)
	for _, name := range []string{"common_neighbors", "adamic_adar", "katz"} {
		p := NewPredictor(g, scoringOf(t, name, g, nil), PredictOptions{})
		p.budget, p.few = 1000*int64(g.Vertices()), 64
		links, scored, err := p.All(t.Context(), nil, 3)
		if err != nil || len(links) != 3 || links[1].U != 1 || links[1].V != 2 {
			t.Fatalf("%s: %v, %v", name, links, err)
		}
		if most := p.Few() * int64(g.Vertices()); scored > most || p.CountMany() < leaves {
			t.Errorf("%s: %d pairs scored of at most %d, %d vertices with many paths", name, scored, most, p.CountMany())
		}
		for _, l := range links {
			if score := p.s.Score(l.U, l.V); score != l.Score || g.HasEdge(l.U, l.V) {
				t.Errorf("%s: %+v, by Score %v", name, l, score)
			}
		}
	}
	small := starGraph(t, 100)
	if p := NewPredictor(small, scoringOf(t, "katz", small, nil), PredictOptions{}); p.CountMany() != 0 {
		t.Error("a small star is said to have too many paths")
	}
}
