package parser

import "strings"

// update reads UPDATE.
//
//	update       = "UPDATE" ( vertexword keys "SET"
//	               assignments "IN" name
//	             | vertexword "IN" name "SET" assignments
//	               where
//	             | edgeword pairs "SET" edgevalues
//	               "IN" name )                              e.g. UPDATE VERTICES IN social SET minor := TRUE WHERE age < 18;
func (p *parser) update() Statement {
	return p.vertexOrEdge(p.updateVertices, p.updateEdges, "UPDATE VERTEX v SET a := x IN g sets attributes of a vertex, UPDATE VERTICES IN g SET a := x WHERE … of those that meet a condition, UPDATE EDGE weights and times")
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

// Heading is UPDATE VERTEX, or with a condition UPDATE VERTICES.
func (s *UpdateVertices) Heading() string {
	if s.Where != nil {
		return "UPDATE VERTICES"
	}
	return "UPDATE VERTEX"
}

func (p *parser) updateVertices() Statement {
	if p.keyword("IN") {
		return &UpdateVertices{Graph: p.graph(), Values: after(p, "SET", p.assignments), Where: p.needWhere()}
	}
	return &UpdateVertices{Keys: p.keys(), Values: after(p, "SET", p.assignments), Graph: p.graphAfter("IN")}
}

func (s *UpdateVertices) String() string {
	if s.Where != nil {
		return "UPDATE VERTICES IN " + s.Graph.String() + " SET " + list(s.Values) + where(s.Where)
	}
	return "UPDATE VERTEX " + list(s.Keys) + " SET " + list(s.Values) + " IN " + s.Graph.String()
}

// UpdateEdges is UPDATE EDGE (u, v), … SET weight := w, time := t IN g.
type UpdateEdges struct {
	Range
	Pairs  []Pair     // at least one
	Values EdgeValues // at least one of them
	Graph  Ident
}

func (*UpdateEdges) Heading() string { return "UPDATE EDGE" }

func (p *parser) updateEdges() Statement {
	return &UpdateEdges{Pairs: p.pairs(), Values: after(p, "SET", p.edgeValues), Graph: p.graphAfter("IN")}
}

func (s *UpdateEdges) String() string {
	return "UPDATE EDGE " + list(s.Pairs) + " SET " + strings.TrimPrefix(s.Values.clauses(), ", ") + " IN " + s.Graph.String()
}
