package evaluate

import (
	"cmp"
	"slices"

	"heavytail/storage/csr"
)

// edgeRows are the edges of an undirected graph, or with arcs those of a directed graph by their sources.
type edgeRows struct {
	*csr.Graph
	arcs bool
}

// Edges returns the number of edges.
func (g edgeRows) Edges() int64 {
	if g.arcs {
		return int64(len(g.Targets))
	}
	return g.Graph.Edges()
}

// HasEdge reports whether there is an edge between u and v, or with arcs one from u to v.
func (g edgeRows) HasEdge(u, v uint32) bool {
	if !g.arcs {
		return g.Graph.HasEdge(u, v)
	}
	_, found := slices.BinarySearch(g.Neighbors(u), v)
	return found
}

// of returns the rows of a graph with other edges.
func (g edgeRows) of(edges []csr.Edge) (*csr.Graph, error) {
	if !g.arcs {
		return csr.FromEdges(g.Vertices(), edges)
	}
	rows := &csr.Graph{Offsets: make([]int64, g.Vertices()+1), Targets: make([]uint32, len(edges))}
	sorted := slices.Clone(edges)
	slices.SortFunc(sorted, compareEdges)
	for i, e := range sorted {
		rows.Targets[i] = e.V
		rows.Offsets[e.U+1]++
	}
	for u := range g.Vertices() {
		rows.Offsets[u+1] += rows.Offsets[u]
	}
	return rows, nil
}

// pairOf is the form of a pair in lists of non-edges.
func (g edgeRows) pairOf(u, v uint32) csr.Edge {
	if g.arcs {
		return csr.Edge{U: u, V: v}
	}
	return csr.Edge{U: min(u, v), V: max(u, v)}
}

// newPairSet returns an empty set of at most so many pairs.
func newPairSet(g edgeRows, most int64) *csr.EdgeSet {
	if g.arcs {
		return csr.NewArcSet(most)
	}
	return csr.NewEdgeSet(most)
}

func compareEdges(a, b csr.Edge) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V)) }
