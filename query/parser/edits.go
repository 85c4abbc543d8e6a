package parser

import (
	"strings"
)

// InsertVertices is INSERT VERTEX v (a := x, …), … INTO g.
type InsertVertices struct {
	Range
	Vertices []NewVertex // at least one
	Graph    Ident
}

// NewVertex is a vertex by its key, with values of its attributes, if any.
//
//	newvertex    = key [ "(" assignment
//	               { "," assignment } ")" ]                 e.g. INSERT VERTEX 107 (name := 'Ann') INTO social;
type NewVertex struct {
	Range
	Key    Value // String, Int (its decimal text is the key) or Param
	Values []Option
}

func (p *parser) newVertex() NewVertex {
	begin := p.tok.Start
	n := NewVertex{Key: p.key()}
	if p.sign("(") {
		n.Values = separated(p, p.assignment)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

func (n NewVertex) String() string {
	if len(n.Values) == 0 {
		return n.Key.String()
	}
	return n.Key.String() + " (" + joined(n.Values) + ")"
}

// InsertEdges is INSERT EDGE (u, v, weight := w, time := t, a := x, …), … INTO g.
type InsertEdges struct {
	Range
	Edges []NewEdge // at least one
	Graph Ident
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
	Weight Value    // Int, Float, Missing or Param; nil where left out
	Time   Value    // Int, String (a date), Missing or Param; nil where left out
	Others []Option // values of attributes; each may be Missing
}

// edgeValues reads the weight, the time, each once, and values of attributes, in any order.
//
//	edgevalues   = edgevalue { "," edgevalue }              e.g. UPDATE EDGE ('a', 'b') SET weight := 3, time := MISSING IN social;
func (p *parser) edgeValues() EdgeValues {
	var v EdgeValues
	for more := true; more && p.err == nil; more = p.sign(",") {
		p.edgeValue(&v)
	}
	return v
}

// edgeValue reads a value.
//
//	edgevalue    = "WEIGHT" ":=" ( number | "MISSING" )
//	             | "TIME" ":=" ( integer | string
//	                           | "MISSING" ) | assignment   e.g. INSERT EDGE ('a', 'b', time := '2024-02-29', kind := 'mail') INTO social;
func (p *parser) edgeValue(v *EdgeValues) {
	switch {
	case v.Weight == nil && p.keyword("WEIGHT"):
		p.needSign(":=")
		v.Weight = p.value(aNumber|aMissing, numberText)
	case v.Time == nil && p.keyword("TIME"):
		p.needSign(":=")
		v.Time = p.value(aTime|aMissing, countText, dateText)
	case p.err == nil && p.tok.Kind == KindWord && (strings.EqualFold(p.tok.Text, "WEIGHT") || strings.EqualFold(p.tok.Text, "TIME")):
		p.expect(attributeName)
		p.unexpected() // a second one
	default:
		v.Others = append(v.Others, p.assignment())
	}
}

// clauses writes the values that are set, the weight first, each after a comma. The name of an attribute
// that is spelled as a word for these is quoted.
func (v EdgeValues) clauses() string {
	text := behind(", WEIGHT := ", v.Weight) + behind(", TIME := ", v.Time)
	for _, o := range v.Others {
		name := o.Name.String()
		if strings.EqualFold(name, "WEIGHT") || strings.EqualFold(name, "TIME") {
			name = `"` + name + `"`
		}
		text += ", " + name + " := " + o.Value.String()
	}
	return text
}

func (v EdgeValues) String() string { return strings.TrimPrefix(v.clauses(), ", ") }

// UpdateVertices is UPDATE VERTEX v, … SET a := x, … IN g, or
// UPDATE VERTICES IN g SET a := x, … WHERE condition.
type UpdateVertices struct {
	Range
	Keys   []Value  // as Key of NewVertex; nil if and only if there is a condition
	Values []Option // at least one; a Value may be Missing
	Graph  Ident
	Where  Expr // nil where the vertices are named
}

// UpdateEdges is UPDATE EDGE (u, v), … SET weight := w, time := t, a := x, … IN g.
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

// DeleteEdges is DELETE EDGE (u, v), … FROM g, or
// DELETE EDGES FROM g WHERE condition.
type DeleteEdges struct {
	Range
	Pairs []Pair // nil if and only if there is a condition
	Graph Ident
	Where Expr // of edges; nil where the edges are named
}

// DeleteEdgesFile is DELETE EDGES FILE 'file' FROM g [WITH (…)].
type DeleteEdgesFile struct {
	Range
	File    Value // String or Param
	Graph   Ident
	Options []Option
}

// DropAttribute is DROP [EDGE] ATTRIBUTE a FROM g.
type DropAttribute struct {
	Range
	Attribute Ident
	Graph     Ident
	OfEdges   bool
}

// ShowAttributes is SHOW ATTRIBUTES [IN g].
type ShowAttributes struct {
	Range
	Graph *Ident // nil where left out
}
