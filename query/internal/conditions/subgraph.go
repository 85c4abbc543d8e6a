package conditions

import (
	"fmt"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// CompileSubgraph compiles a condition that chooses vertices and edges: it is split at AND
// into terms on edges, which use weight, time, attributes of edges, BOTH or EITHER, and terms on vertices. Both
// resulting conditions read the attributes that the second one lists.
func CompileSubgraph(values *bind.Values, e parser.Expr, graph storage.GraphInfo) (Condition, EdgeCondition) {
	var ofVertices, ofEdges []parser.Expr
	for _, term := range terms(e) {
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
	walk(e, func(node parser.Node) {
		name, named := node.(parser.Ident)
		_, ends := node.(parser.Ends)
		_, link := node.(parser.Linked)
		switch _, attribute := session.AttributeOf(graph, name.Name); {
		case ends:
			about |= onEdges
		case link:
			about |= onVertices
		case !named:
		case !OfEdge(graph, name.Name):
			about |= onVertices
		case attribute:
			values.Mark(fault.Where, name)
			values.Fail(fault.New(fault.Where, "%s is an attribute of the vertices of graph %s, and edges have it too", name, fault.Name(graph.Name)).
				WithRemedy(fmt.Sprintf("rename the attribute, such as by ALTER ATTRIBUTE %s IN %s RENAME TO vertex_%s", name, fault.Name(graph.Name), name.Name)))
		default:
			about |= onEdges
		}
	})
	return about
}

// Split parts a condition at AND into the terms without certain names and those with one; each is nil
// if it has no terms.
func Split(e parser.Expr, named func(name string) bool) (without, with parser.Expr) {
	var all [2][]parser.Expr
	for _, term := range terms(e) {
		of := 0
		walk(term, func(node parser.Node) {
			if name, is := node.(parser.Ident); is && named(name.Name) {
				of = 1
			}
		})
		all[of] = append(all[of], term)
	}
	return joined(all[0]), joined(all[1])
}

// terms are those of a condition that are joined by AND.
func terms(e parser.Expr) []parser.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case parser.And:
		return e.Terms
	}
	return []parser.Expr{e}
}

// walk calls f with the operands of a condition, and with a Linked, BOTH and EITHER as a whole.
func walk(e parser.Expr, f func(parser.Node)) {
	switch e := e.(type) {
	case parser.Or:
		walkAll(e.Terms, f)
	case parser.And:
		walkAll(e.Terms, f)
	case parser.Not:
		walk(e.Term, f)
	case parser.Compare:
		f(e.Left)
		f(e.Right)
	case parser.In:
		f(e.Operand)
	case parser.Like:
		f(e.Operand)
	case parser.IsMissing:
		f(e.Operand)
	case parser.Flag:
		f(e.Name)
	case parser.Linked, parser.Ends:
		f(e)
	}
}

func walkAll(list []parser.Expr, f func(parser.Node)) {
	for _, e := range list {
		walk(e, f)
	}
}
