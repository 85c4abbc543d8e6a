package evaluate

import (
	"slices"

	"heavytail/storage/csr"
)

// edgeRows are the edges of an undirected graph, or with arcs those of a directed graph by their sources.
type edgeRows struct {
	*csr.Graph
	arcs bool
}

// arcRows are the edges of a directed graph.
func arcRows(d *csr.Directed) edgeRows { return edgeRows{(*csr.Graph)(&d.Out), true} }

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
	rows := csr.RowsOf(g.Vertices(), edges)
	return (*csr.Graph)(&rows), nil
}

// pairOf is the form of a pair in lists of non-edges.
func (g edgeRows) pairOf(u, v uint32) csr.Edge {
	if g.arcs {
		return csr.Edge{U: u, V: v}
	}
	return csr.Edge{U: min(u, v), V: max(u, v)}
}
