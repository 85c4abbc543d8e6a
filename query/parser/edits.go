package parser

import (
	"strings"
)

// insert reads INSERT.
//
//	insert       = "INSERT" ( vertexword newvertex
//	               { "," newvertex }
//	             | edgeword newedge { "," newedge } )
//	               "INTO" name                              e.g. INSERT VERTEX 'alice' (age := 41, city := 'Bern'), 'bob' INTO social;
func (p *parser) insert() Statement {
	return p.vertexOrEdge(p.insertVertices, p.insertEdges, "INSERT VERTEX v (a := x) INTO g adds vertices, INSERT EDGE (v, w) INTO g edges")
}

// InsertVertices is INSERT VERTEX v (a := x, …), … INTO g.
type InsertVertices struct {
	Range
	Vertices []NewVertex // at least one
	Graph    Ident
}

func (*InsertVertices) Heading() string { return "INSERT VERTEX" }

func (p *parser) insertVertices() Statement {
	return &InsertVertices{Vertices: separated(p, p.newVertex), Graph: p.graphAfter("INTO")}
}

func (s *InsertVertices) String() string {
	return "INSERT VERTEX " + list(s.Vertices) + " INTO " + s.Graph.String()
}

// NewVertex is a vertex by its key, with values of its attributes, if any.
//
//	newvertex    = key [ "(" assignments ")" ]              e.g. INSERT VERTEX 107 (name := 'Ann') INTO social;
type NewVertex struct {
	Range
	Key    Value // String, Int (its decimal text is the key) or Param
	Values []Option
}

func (p *parser) newVertex() NewVertex {
	begin := p.tok.Start
	n := NewVertex{Key: p.key()}
	if p.sign("(") {
		n.Values = p.assignments()
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

func (n NewVertex) String() string {
	if len(n.Values) == 0 {
		return n.Key.String()
	}
	return n.Key.String() + " (" + list(n.Values) + ")"
}

// InsertEdges is INSERT EDGE (u, v, weight := w, time := t), … INTO g.
type InsertEdges struct {
	Range
	Edges []NewEdge // at least one
	Graph Ident
}

func (*InsertEdges) Heading() string { return "INSERT EDGE" }

func (p *parser) insertEdges() Statement {
	return &InsertEdges{Edges: separated(p, p.newEdge), Graph: p.graphAfter("INTO")}
}

func (s *InsertEdges) String() string {
	return "INSERT EDGE " + list(s.Edges) + " INTO " + s.Graph.String()
}

// NewEdge is an edge by the keys of its ends.
//
//	newedge      = "(" key "," key [ "," edgevalues ] ")"   e.g. INSERT EDGE ('alice', 'bob'), ('a', 'c', weight := 2.5) INTO social;
type NewEdge struct {
	Range
	U, V   Value // as Key of NewVertex
	Values EdgeValues
}

func (p *parser) newEdge() NewEdge {
	begin := p.tok.Start
	p.needSign("(")
	n := NewEdge{U: p.key()}
	p.needSign(",")
	n.V = p.key()
	if p.sign(",") {
		n.Values = p.edgeValues()
	}
	p.needSign(")")
	n.Range = p.since(begin)
	return n
}

func (n NewEdge) String() string {
	return "(" + n.U.String() + ", " + n.V.String() + n.Values.clauses() + ")"
}

// EdgeValues is what an edge may have besides its ends.
type EdgeValues struct {
	Weight Value // Int, Float, Missing or Param; nil where left out
	Time   Value // Int, String (a date), Missing or Param; nil where left out
}

// edgeValues reads the weight, the time or both, in any order, each once.
//
//	edgevalues   = edgevalue [ "," edgevalue ]              e.g. UPDATE EDGE ('a', 'b') SET weight := 3, time := MISSING IN social;
func (p *parser) edgeValues() EdgeValues {
	var v EdgeValues
	for more := true; more && p.err == nil; more = (v.Weight == nil || v.Time == nil) && p.sign(",") {
		p.edgeValue(&v)
	}
	return v
}

// edgeValue reads a value that is not set yet.
//
//	edgevalue    = "WEIGHT" ":=" ( number | "MISSING" )
//	             | "TIME" ":=" ( integer | string
//	                           | "MISSING" )                e.g. INSERT EDGE ('a', 'b', time := '2024-02-29') INTO social;
func (p *parser) edgeValue(v *EdgeValues) {
	switch {
	case v.Weight == nil && p.keyword("WEIGHT"):
		p.needSign(":=")
		v.Weight = p.value(aNumber|aMissing, numberText)
	case v.Time == nil && p.keyword("TIME"):
		p.needSign(":=")
		v.Time = p.value(aTime|aMissing, countText, dateText)
	default:
		p.unexpected()
	}
}

// clauses writes the values that are set, the weight first, each after a comma.
func (v EdgeValues) clauses() string {
	return clause(", WEIGHT := ", v.Weight) + clause(", TIME := ", v.Time)
}

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

// deletion reads DELETE.
//
//	delete       = "DELETE" ( vertexword keys "FROM" name
//	             | vertexword "FROM" name where
//	             | edgeword pairs "FROM" name
//	             | edgeword "FILE" string "FROM" name
//	               [ options ] )                            e.g. DELETE VERTICES FROM social WHERE degree = 0;
func (p *parser) deletion() Statement {
	return p.vertexOrEdge(p.deleteVertices, p.deleteEdges, "DELETE VERTEX v FROM g deletes a vertex, DELETE VERTICES FROM g WHERE … those that meet a condition, DELETE EDGE (v, w) FROM g an edge, DROP GRAPH g a graph")
}

// DeleteVertices is DELETE VERTEX v, … FROM g, or
// DELETE VERTICES FROM g WHERE condition.
type DeleteVertices struct {
	Range
	Keys  []Value // as Key of NewVertex; nil if and only if there is a condition
	Graph Ident
	Where Expr // nil where the vertices are named
}

// Heading is DELETE VERTEX, or with a condition DELETE VERTICES.
func (s *DeleteVertices) Heading() string {
	if s.Where != nil {
		return "DELETE VERTICES"
	}
	return "DELETE VERTEX"
}

func (p *parser) deleteVertices() Statement {
	if p.keyword("FROM") {
		return &DeleteVertices{Graph: p.graph(), Where: p.needWhere()}
	}
	return &DeleteVertices{Keys: p.keys(), Graph: p.graphAfter("FROM")}
}

func (s *DeleteVertices) String() string {
	if s.Where != nil {
		return "DELETE VERTICES FROM " + s.Graph.String() + where(s.Where)
	}
	return "DELETE VERTEX " + list(s.Keys) + " FROM " + s.Graph.String()
}

// DeleteEdges is DELETE EDGE (u, v), … FROM g.
type DeleteEdges struct {
	Range
	Pairs []Pair // at least one
	Graph Ident
}

func (*DeleteEdges) Heading() string { return "DELETE EDGE" }

func (p *parser) deleteEdges() Statement {
	if p.keyword("FILE") {
		return p.deleteEdgesFile()
	}
	return &DeleteEdges{Pairs: p.pairs(), Graph: p.graphAfter("FROM")}
}

func (s *DeleteEdges) String() string {
	return "DELETE EDGE " + list(s.Pairs) + " FROM " + s.Graph.String()
}

// DeleteEdgesFile is DELETE EDGES FILE 'file' FROM g [WITH (…)].
type DeleteEdgesFile struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

func (*DeleteEdgesFile) Heading() string { return "DELETE EDGES FILE" }

func (p *parser) deleteEdgesFile() Statement {
	return &DeleteEdgesFile{File: p.fileName(), Graph: p.graphAfter("FROM"), Options: p.withOptions(new(DeleteEdgesFile))}
}

func (s *DeleteEdgesFile) String() string {
	return "DELETE EDGES FILE " + s.File.String() + " FROM " + s.Graph.String() + withOptions(s.Options)
}

// DropAttribute is DROP ATTRIBUTE a FROM g.
//
//	dropattribute = "DROP" "ATTRIBUTE" name "FROM" name     e.g. DROP ATTRIBUTE age FROM social;
type DropAttribute struct {
	Range
	Attribute Ident
	Graph     Ident
}

func (*DropAttribute) Heading() string { return "DROP ATTRIBUTE" }

func (p *parser) dropAttribute() Statement {
	return &DropAttribute{Attribute: p.name(attributeName), Graph: p.graphAfter("FROM")}
}

func (s *DropAttribute) String() string {
	return "DROP ATTRIBUTE " + s.Attribute.String() + " FROM " + s.Graph.String()
}

// ShowAttributes is SHOW ATTRIBUTES [IN g].
//
//	showattributes = "SHOW" "ATTRIBUTES" [ "IN" name ]      e.g. SHOW ATTRIBUTES IN social;
type ShowAttributes struct {
	Range
	Graph *Ident // nil where left out
}

func (*ShowAttributes) Heading() string { return "SHOW ATTRIBUTES" }

func (p *parser) showAttributes() Statement {
	return &ShowAttributes{Graph: p.in()}
}

func (s *ShowAttributes) String() string { return "SHOW ATTRIBUTES" + in(s.Graph) }
