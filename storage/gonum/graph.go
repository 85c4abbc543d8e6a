// Package gonum makes stored graphs and embeddings usable by the algorithms of gonum: a
// graph implements graph.WeightedUndirected, a directed one graph.WeightedDirected, and
// vectors implement mat.Matrix. All are views: they copy nothing and are safe for
// concurrent use.
package gonum

import (
	"slices"

	"gonum.org/v1/gonum/graph"

	"heavytail/storage/csr"
)

// Graph is a view of a csr.Graph as a graph of gonum. The id of a node is the number of
// its vertex, counted from 0; storage.Snapshot has the keys. An edge without a weight has the weight 1, and
// no vertex has an edge to itself.
//
// Package query/algorithms computes the usual measures with less time and memory: gonum
// allocates for every edge that it visits.
type Graph struct{ g *csr.Graph }

var (
	_ graph.WeightedUndirected = Graph{}
	_ graph.Undirected         = Graph{}
)

// NewGraph returns a view of g.
func NewGraph(g *csr.Graph) Graph { return Graph{g} }

type node int64

// ID returns the number of the vertex.
func (n node) ID() int64 { return int64(n) }

type edge struct {
	from, to node
	weight   float64
}

func (e edge) From() graph.Node         { return e.from }
func (e edge) To() graph.Node           { return e.to }
func (e edge) ReversedEdge() graph.Edge { return edge{e.to, e.from, e.weight} }
func (e edge) Weight() float64          { return e.weight }

// has reports whether a vertex has the given id.
func (g Graph) has(id int64) bool { return id >= 0 && id < int64(g.g.Vertices()) }

// Node returns the vertex with an id, nil where there is none.
func (g Graph) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return node(id)
}

// Nodes returns all vertices in ascending order.
func (g Graph) Nodes() graph.Nodes { return &nodes{n: g.g.Vertices(), at: -1} }

// From returns the neighbours of a vertex in ascending order, none where there is no
// such vertex.
func (g Graph) From(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	row := g.g.Neighbors(uint32(id))
	return &nodes{n: len(row), at: -1, row: row}
}

// HasEdgeBetween reports whether two vertices are adjacent.
func (g Graph) HasEdgeBetween(x, y int64) bool {
	return g.has(x) && g.has(y) && g.g.HasEdge(uint32(x), uint32(y))
}

// Edge returns the edge between two vertices, nil where there is none.
func (g Graph) Edge(u, v int64) graph.Edge { return g.EdgeBetween(u, v) }

// EdgeBetween is Edge.
func (g Graph) EdgeBetween(x, y int64) graph.Edge {
	if e := g.WeightedEdgeBetween(x, y); e != nil {
		return e
	}
	return nil
}

// WeightedEdge is Edge with its weight.
func (g Graph) WeightedEdge(u, v int64) graph.WeightedEdge { return g.WeightedEdgeBetween(u, v) }

// WeightedEdgeBetween is WeightedEdge.
func (g Graph) WeightedEdgeBetween(x, y int64) graph.WeightedEdge {
	if !g.HasEdgeBetween(x, y) {
		return nil
	}
	w, _ := g.Weight(x, y)
	return edge{node(x), node(y), w}
}

// Weight returns the weight of the edge between two vertices, as the shortest decimal of
// it. A vertex has the weight 0 to itself, as path algorithms expect. It returns false where there
// is neither.
func (g Graph) Weight(x, y int64) (float64, bool) {
	switch {
	case x == y:
		return 0, g.has(x)
	case !g.HasEdgeBetween(x, y):
		return 0, false
	case !g.g.Weighted():
		return 1, true
	}
	at, _ := slices.BinarySearch(g.g.Neighbors(uint32(x)), uint32(y))
	return csr.Decimal(g.g.WeightsOf(uint32(x))[at]), true
}

// nodes iterates over all vertices, or over a row.
type nodes struct {
	n, at int
	row   []uint32
}

func (n *nodes) Next() bool {
	n.at = min(n.at+1, n.n)
	return n.at < n.n
}

func (n *nodes) Len() int { return max(0, n.n-n.at-1) }

func (n *nodes) Reset() { n.at = -1 }

func (n *nodes) Node() graph.Node {
	if n.at < 0 || n.at >= n.n {
		return nil
	}
	if n.row == nil {
		return node(n.at)
	}
	return node(n.row[n.at])
}
