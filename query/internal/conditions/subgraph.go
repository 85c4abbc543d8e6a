package conditions

import (
	"fmt"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// CompileSubgraph compiles a condition that chooses vertices and edges: it is split at AND
// into terms on edges, which use weight, time, BOTH or EITHER, and terms on vertices. Both
// resulting conditions read the attributes that the second one lists.
func CompileSubgraph(values *bind.Values, e parser.Expr, graph storage.GraphInfo) (Condition, EdgeCondition) {
	terms := []parser.Expr{e}
	if and, ok := e.(parser.And); ok {
		terms = and.Terms
	}
	var ofVertices, ofEdges []parser.Expr
	for _, term := range terms {
		switch subjectOf(values, term, graph) {
		case onBoth:
			values.Mark(fault.Where, term)
			values.Fail(fault.New(fault.Where, "%s mixes conditions on vertices and on edges", fault.Shorten(term.String())).
				WithRemedy("join conditions on vertices and on edges with AND, or put conditions on the ends of an edge into BOTH (…) or EITHER (…)"))
		case onEdges:
			ofEdges = append(ofEdges, term)
		default:
			ofVertices = append(ofVertices, term)
		}
	}
	vertices := Compile(values, joined(ofVertices), graph, ToNothing)
	return vertices, CompileEdges(values, joined(ofEdges), graph, vertices.Attributes...)
}

// joined joins terms by AND; nil if there are none.
func joined(terms []parser.Expr) parser.Expr {
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	}
	return parser.And{Range: parser.Range{Start: terms[0].Source().Start, End: terms[len(terms)-1].Source().End}, Terms: terms}
}

// subject says whether a condition tests vertices or edges.
type subject int

const (
	onVertices subject = 1
	onEdges    subject = 2
	onBoth             = onVertices | onEdges
)

// subjectOf returns the subject of a condition; 0 if it has only literals.
func subjectOf(values *bind.Values, e parser.Expr, graph storage.GraphInfo) (about subject) {
	var parts []parser.Expr
	var names []parser.Operand
	switch e := e.(type) {
	case parser.Ends:
		return onEdges
	case parser.Or:
		parts = e.Terms
	case parser.And:
		parts = e.Terms
	case parser.Not:
		parts = []parser.Expr{e.Term}
	case parser.Compare:
		names = []parser.Operand{e.Left, e.Right}
	case parser.In:
		names = []parser.Operand{e.Operand}
	case parser.IsMissing:
		names = []parser.Operand{e.Operand}
	case parser.Flag:
		names = []parser.Operand{e.Name}
	}
	for _, part := range parts {
		about |= subjectOf(values, part, graph)
	}
	for _, operand := range names {
		name, ok := operand.(parser.Ident)
		switch _, attribute := session.AttributeOf(graph, name.Name); {
		case !ok:
		case !slices.Contains(EdgeColumns, name.Name):
			about |= onVertices
		case attribute:
			values.Mark(fault.Where, name)
			values.Fail(fault.New(fault.Where, "%s is an attribute of the vertices of graph %s, and what edges have", name, fault.Name(graph.Name)).
				WithRemedy(fmt.Sprintf("rename the attribute, such as by ALTER ATTRIBUTE %s IN %s RENAME TO vertex_%s", name, fault.Name(graph.Name), name.Name)))
		default:
			about |= onEdges
		}
	}
	return about
}
