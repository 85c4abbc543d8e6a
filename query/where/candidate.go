package where

import (
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// Candidate is a vertex about which a condition decides.
type Candidate struct {
	Degree int  // number of its neighbours in the present version of the graph
	Linked bool // it is a neighbour of a query vertex; false if the query is a vector

	graph   *session.Graph
	vertex  uint32
	columns *session.ColumnSet // values of the attributes that the request names; nil for none
}

// NewCandidate is a vertex of a graph, with the attributes that the request names.
func NewCandidate(g *session.Graph, columns *session.ColumnSet, v uint32, linked bool) Candidate {
	return Candidate{Degree: g.Graph.Degree(v), Linked: linked, graph: g, vertex: v, columns: columns}
}

// Key returns the key of the vertex.
func (c Candidate) Key() string { return c.graph.Key(c.vertex) }

// Value returns the value of an attribute. It is missing if the vertex has
// none, or if the request does not list the attribute among those that its
// condition reads. The column links_to 'a' of a directed graph is true for the vertices
// from which an edge leads to a, linked_from 'a' for those to which one leads from a, and linked 'a' of every graph
// for both.
func (c Candidate) Value(attribute string) storage.Value { return c.columns.Value(attribute, c.vertex) }

// At returns the value of an attribute by its place among those that the request lists.
func (c Candidate) At(attribute int) storage.Value { return c.columns.At(attribute, c.vertex) }

// EdgeCandidate is an edge about which a condition decides. In an undirected graph
// Source is the end that came into it first.
type EdgeCandidate struct {
	Source, Target Candidate
	Weight         float64 // 1 if the edge has none
	Time           int64   // 0 unless Timed
	Timed          bool    // whether the edge has a time

	number  uint32             // of the edge in columns
	columns *session.ColumnSet // values of the attributes of edges that the request names; nil for none
}

// WithValues is the candidate with the attributes of edges that the request names, in which it has a
// number.
func (e EdgeCandidate) WithValues(columns *session.ColumnSet, number uint32) EdgeCandidate {
	e.columns, e.number = columns, number
	return e
}

// Value returns the value of an attribute of the edge, as [Candidate.Value] does.
func (e EdgeCandidate) Value(attribute string) storage.Value {
	return e.columns.Value(attribute, e.number)
}

// At returns the value of an attribute of the edge by its place among those that the request lists.
func (e EdgeCandidate) At(attribute int) storage.Value { return e.columns.At(attribute, e.number) }
