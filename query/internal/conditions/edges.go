package conditions

import (
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/format"
)

// EdgeCondition is a compiled WHERE of edges.
type EdgeCondition struct {
	Admits     func(where.EdgeCandidate) bool // nil admits all
	Attributes []string                       // attributes of the ends that it reads
	OfEdges    []string                       // attributes of the edges that it reads
}

type edgeCompiler struct {
	compiler[where.EdgeCandidate]
	vertices *vertexCompiler // compiles the conditions in BOTH and EITHER
	ofEdges  []string        // attributes that were read so far
}

// CompileEdges compiles a condition on the edges of a graph, as Compile does one on its
// vertices.
func CompileEdges(values *bind.Values, e parser.Expr, graph storage.GraphInfo, attributes ...string) EdgeCondition {
	if e == nil {
		return EdgeCondition{Attributes: attributes}
	}
	c := &edgeCompiler{vertices: newVertexCompiler(values, graph, ToNothing, attributes)}
	c.compiler = compiler[where.EdgeCandidate]{Values: values, column: c.name, linked: c.link, ends: c.of}
	f := c.condition(e)
	return EdgeCondition{func(e where.EdgeCandidate) bool { return f(e) == isTrue }, c.vertices.attributes, c.ofEdges}
}

// EdgeColumns are the names that a condition on edges may use outside of BOTH and EITHER, beside the
// attributes of the edges.
var EdgeColumns = []string{"weight", "time"}

// OfEdge reports whether a name is a column of the edges of a graph.
func OfEdge(graph storage.GraphInfo, name string) bool {
	_, found := session.AttributeIn(graph.EdgeAttributes, name)
	return found || slices.Contains(EdgeColumns, name)
}

// EdgeNames are all columns of the edges of a graph.
func EdgeNames(graph storage.GraphInfo) []string {
	return slices.Concat(EdgeColumns, session.NamesOf(graph.EdgeAttributes))
}

func (c *edgeCompiler) name(node parser.Ident) operand[where.EdgeCandidate] {
	c.Mark(fault.Where, node)
	switch node.Name {
	case "weight":
		return operand[where.EdgeCandidate]{kind: storage.Float, value: weightOf, read: narrow}
	case "time":
		return operand[where.EdgeCandidate]{kind: storage.Integer, value: timeOf, read: c.time}
	}
	if a, found := session.AttributeIn(c.vertices.graph.EdgeAttributes, node.Name); found {
		i := slices.Index(c.ofEdges, a.Name)
		if i < 0 {
			i = len(c.ofEdges)
			c.ofEdges = append(c.ofEdges, a.Name)
		}
		return operand[where.EdgeCandidate]{kind: a.Type, value: func(e where.EdgeCandidate) storage.Value { return e.At(i) }}
	}
	e := fault.New(fault.Where, "an edge has no %s", fault.Quote(node.Name))
	if ofVertex(c.vertices.graph, node.Name) {
		name := parser.Flag{Name: node}.String()
		e.Remedy = "BOTH (" + name + " …) or EITHER (" + name + " …) is a condition on its ends"
	} else {
		names := EdgeNames(c.vertices.graph)
		e.WithNearest(node.Name, names, nil).Expected = names // near ones, too, as they are few
	}
	c.Fail(e)
	return operand[where.EdgeCandidate]{}
}

// link refuses a condition on the edges of a vertex, which is one on vertices.
func (c *edgeCompiler) link(node parser.Linked) operand[where.EdgeCandidate] {
	c.Mark(fault.Where, node)
	text := fault.Shorten(node.String())
	c.Fail(fault.New(fault.Where, "%s is a condition on vertices", text).
		WithRemedy("BOTH (" + text + ") or EITHER (" + text + ") is a condition on the ends of an edge"))
	return operand[where.EdgeCandidate]{}
}

// ofVertex reports whether a name is a column of the vertices of a graph.
func ofVertex(graph storage.GraphInfo, name string) bool {
	_, found := session.AttributeOf(graph, name)
	return found || name == "degree" || name == "key"
}

func weightOf(e where.EdgeCandidate) storage.Value { return storage.FloatValue(e.Weight) }

// narrow rounds a number to 32 bits, as weights are, so that 0.1 equals a weight of 0.1.
func narrow(v storage.Value) storage.Value {
	switch v.Type() {
	case storage.Integer:
		return storage.FloatValue(float64(float32(v.Integer())))
	case storage.Float:
		return storage.FloatValue(float64(float32(v.Float())))
	}
	return v
}

func timeOf(e where.EdgeCandidate) storage.Value {
	if !e.Timed {
		return storage.Value{}
	}
	return storage.IntegerValue(e.Time)
}

// time parses a date, if the times of the graph are dates, or the text of a number.
func (c *edgeCompiler) time(v storage.Value) storage.Value {
	if v.Type() != storage.Text {
		return v
	}
	text := v.Text()
	t, dated, ok := format.ParseTime(text)
	switch graph := c.vertices.graph; {
	case !ok:
		c.Fail(bind.Unexpected(fault.Where, text, "an integer", "a date such as '2006-01-02' or '2006-01-02T15:04:05Z'"))
	case dated && graph.Timed && graph.Times == format.TimeNumbers:
		c.Fail(fault.New(fault.Where, "%s is a date, and the times of graph %s are numbers", fault.QuoteKey(text), fault.Name(graph.Name)).
			WithRemedy("compare them with a number in the same unit"))
	}
	return storage.IntegerValue(t)
}

// of compiles BOTH and EITHER: the vertex condition must be true for both ends, or
// for at least one.
func (c *edgeCompiler) of(e parser.Ends) predicate[where.EdgeCandidate] {
	term := c.vertices.condition(e.Term)
	if e.Both {
		return func(e where.EdgeCandidate) truth { return min(term(e.Source), term(e.Target)) }
	}
	return func(e where.EdgeCandidate) truth { return max(term(e.Source), term(e.Target)) }
}
