package gonum

import (
	"slices"

	"gonum.org/v1/gonum/graph"

	"heavytail/storage/csr"
)

// Directed is a view of a csr.Directed as a graph of gonum, as Graph is one of a csr.Graph.
type Directed struct{ d *csr.Directed }

var (
	_ graph.WeightedDirected = Directed{}
	_ graph.Directed         = Directed{}
)

// NewDirected returns a view of d.
func NewDirected(d *csr.Directed) Directed { return Directed{d} }

func (g Directed) has(id int64) bool { return id >= 0 && id < int64(g.d.Vertices()) }

// Node returns the vertex with an id, nil where there is none.
func (g Directed) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return node(id)
}

// Nodes returns all vertices in ascending order.
func (g Directed) Nodes() graph.Nodes { return &nodes{n: g.d.Vertices(), at: -1} }

// From returns the targets of the edges of a vertex in ascending order, none where there is no
// such vertex.
func (g Directed) From(id int64) graph.Nodes { return g.row(&g.d.Out, id) }

// To returns the sources of the edges to a vertex in ascending order, none where there is no
// such vertex.
func (g Directed) To(id int64) graph.Nodes { return g.row(&g.d.In, id) }

func (g Directed) row(r *csr.Rows, id int64) graph.Nodes {
	if !g.has(id) || r.Degree(uint32(id)) == 0 {
		return graph.Empty
	}
	row := r.Neighbors(uint32(id))
	return &nodes{n: len(row), at: -1, row: row}
}

// place returns where the edge from u to v is in the row of u, and whether there is one.
func (g Directed) place(u, v int64) (at int, found bool) {
	if !g.has(u) || !g.has(v) {
		return 0, false
	}
	return slices.BinarySearch(g.d.Out.Neighbors(uint32(u)), uint32(v))
}

// HasEdgeFromTo reports whether there is an edge from u to v.
func (g Directed) HasEdgeFromTo(u, v int64) bool {
	_, found := g.place(u, v)
	return found
}

// HasEdgeBetween reports whether there is an edge in either direction.
func (g Directed) HasEdgeBetween(x, y int64) bool {
	return g.HasEdgeFromTo(x, y) || g.HasEdgeFromTo(y, x)
}

// Edge returns the edge from u to v, nil where there is none.
func (g Directed) Edge(u, v int64) graph.Edge {
	if e := g.WeightedEdge(u, v); e != nil {
		return e
	}
	return nil
}

// WeightedEdge is Edge with its weight.
func (g Directed) WeightedEdge(u, v int64) graph.WeightedEdge {
	if !g.HasEdgeFromTo(u, v) {
		return nil
	}
	w, _ := g.Weight(u, v)
	return edge{node(u), node(v), w}
}

// Weight returns the weight of the edge from u to v, as the shortest decimal of it. A vertex has
// the weight 0 to itself, as path algorithms expect. It returns false where there is neither.
func (g Directed) Weight(u, v int64) (float64, bool) {
	at, found := g.place(u, v)
	switch {
	case u == v:
		return 0, g.has(u)
	case !found:
		return 0, false
	case !g.d.Weighted():
		return 1, true
	}
	return csr.Decimal(g.d.Out.WeightsOf(uint32(u))[at]), true
}
