package parser

// This file has the nodes of the statements that change the vertices and edges
// of a graph.

// InsertVertices is INSERT VERTEX v (a := x, …), … INTO g.
type InsertVertices struct {
	Range
	Vertices []NewVertex // at least one
	Graph    Ident
}

// NewVertex is a vertex by its key, with values of its attributes, which may be
// none.
type NewVertex struct {
	Range
	Key    Value // String, Int (its decimal text is the key) or Param
	Values []Option
}

// InsertEdges is INSERT EDGE (u, v, weight := w, time := t), … INTO g.
type InsertEdges struct {
	Range
	Edges []NewEdge // at least one
	Graph Ident
}

// NewEdge is an edge by the keys of its ends.
type NewEdge struct {
	Range
	U, V   Value // as Key of NewVertex
	Values EdgeValues
}

// EdgeValues is what an edge may have besides its ends.
type EdgeValues struct {
	Weight Value // Int, Float, Missing or Param; nil where left out
	Time   Value // Int, String (a date), Missing or Param; nil where left out
}

// UpdateVertices is UPDATE VERTEX v, … SET a := x, … IN g, or
// UPDATE VERTICES IN g SET a := x, … WHERE condition.
type UpdateVertices struct {
	Range
	Keys   []Value  // as Key of NewVertex; nil if and only if there is a condition
	Values []Option // at least one; a Value may be Missing
	Graph  Ident
	Where  Expr // nil where the vertices are named
}

// UpdateEdges is UPDATE EDGE (u, v), … SET weight := w, time := t IN g.
type UpdateEdges struct {
	Range
	Pairs  []Pair     // at least one
	Values EdgeValues // at least one of them
	Graph  Ident
}

// DeleteVertices is DELETE VERTEX v, … FROM g, or
// DELETE VERTICES FROM g WHERE condition.
type DeleteVertices struct {
	Range
	Keys  []Value // as Key of NewVertex; nil if and only if there is a condition
	Graph Ident
	Where Expr // nil where the vertices are named
}

// DeleteEdges is DELETE EDGE (u, v), … FROM g.
type DeleteEdges struct {
	Range
	Pairs []Pair // at least one
	Graph Ident
}

// DeleteEdgesFile is DELETE EDGES FILE 'file' FROM g [WITH (…)].
type DeleteEdgesFile struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}
