package conditions

import (
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/where"
	"heavytail/storage"
)

// Condition is a compiled WHERE. Its columns are those of Candidate.columns.
type Condition struct {
	Admits     func(where.Candidate) bool // nil admits all
	Attributes []string                   // attributes that it reads
	Reads      Reads                      // what it reads of a where.Candidate
}

// Reads is what a condition on vertices reads of a Candidate; the less, the larger.
type Reads int

const (
	ReadsAll   Reads = iota // anything
	ReadsEdges              // nothing but Linked and Degree
	ReadsLinks              // nothing but Linked
)

type vertexCompiler struct {
	compiler[where.Candidate]
	graph      storage.GraphInfo
	linked     string   // why linked has no meaning here; "" where it has one
	attributes []string // attributes that were read so far
	reads      Reads    // so far
}

func newVertexCompiler(values *bind.Values, graph storage.GraphInfo, linked string, attributes []string) *vertexCompiler {
	c := &vertexCompiler{graph: graph, linked: linked, attributes: attributes, reads: ReadsLinks}
	c.compiler = compiler[where.Candidate]{Values: values, column: c.name, linked: c.link}
	return c
}

// Reasons why a condition cannot use linked.
const (
	ToVector  = "linked needs a query vertex; this query gives a vector"
	ToNothing = "linked needs a query vertex; this statement has none"
)

// Compile compiles a condition on the vertices of a graph; nil admits all. The
// attributes that it reads are appended to the given ones.
func Compile(values *bind.Values, e parser.Expr, graph storage.GraphInfo, linked string, attributes ...string) Condition {
	if e == nil {
		return Condition{Attributes: attributes}
	}
	c := newVertexCompiler(values, graph, linked, attributes)
	f := c.condition(e)
	return Condition{func(v where.Candidate) bool { return f(v) == isTrue }, c.attributes, c.reads}
}

// readsOf returns what a name reads of a Candidate.
func readsOf(name string) Reads {
	switch name {
	case "linked":
		return ReadsLinks
	case "degree":
		return ReadsEdges
	}
	return ReadsAll
}

func (c *vertexCompiler) name(node parser.Ident) operand[where.Candidate] {
	c.Mark(fault.Where, node)
	c.reads = min(c.reads, readsOf(node.Name))
	switch node.Name {
	case "degree":
		return operand[where.Candidate]{kind: storage.Integer, value: func(v where.Candidate) storage.Value { return storage.IntegerValue(int64(v.Degree)) }}
	case "key":
		return operand[where.Candidate]{kind: storage.Text, value: func(v where.Candidate) storage.Value { return storage.TextValue(v.Key()) }}
	case "linked":
		if c.linked != "" {
			c.Fail(fault.New(fault.Where, "%s", c.linked))
		}
		return operand[where.Candidate]{kind: storage.Boolean, value: func(v where.Candidate) storage.Value { return storage.BooleanValue(v.Linked) }}
	}
	if a, found := session.AttributeOf(c.graph, node.Name); found {
		i := c.attribute(a.Name)
		return operand[where.Candidate]{kind: a.Type, value: func(v where.Candidate) storage.Value { return v.At(i) }}
	}
	if slices.Contains(parser.Links, parser.Link(node.Name)) {
		c.Fail(fault.New(fault.Where, "%s needs a vertex, as in %s 'alice'", node.Name, node.Name))
	}
	e := fault.New(fault.Where, "unknown name %s", fault.Quote(node.Name))
	e = e.WithNearest(node.Name, slices.Concat(session.VertexColumns(c.graph), []string{"linked", "key"}, session.AttributeNames(c.graph)), func(s string) string { return parser.Ident{Name: s}.String() })
	if quoted := node.End.Offset-node.Start.Offset > len(node.Name); quoted && e.Hint() == "" {
		e.Remedy = "a text is written in single quotes, double quotes are for names"
	}
	c.Fail(e)
	return operand[where.Candidate]{}
}

// link compiles a condition on the edges of a vertex, which are a column.
func (c *vertexCompiler) link(node parser.Linked) operand[where.Candidate] {
	c.reads = ReadsAll
	c.Mark(fault.Where, node)
	if !c.graph.Directed && node.How != parser.LinkedWith {
		of := parser.Linked{How: parser.LinkedWith, Vertex: node.Vertex}
		c.Fail(session.NoDirection(c.graph.Name, fault.Where).
			WithRemedy(fault.Shorten(of.String()) + " admits the vertices that an edge joins with it"))
	}
	name := session.LinkColumn(node.How, c.Key(fault.Where, node.Vertex))
	if slices.Contains(session.AttributeNames(c.graph), name) {
		c.Fail(fault.New(fault.Where, "graph %s has an attribute with the name %s", fault.Name(c.graph.Name), fault.Quote(name)))
	}
	c.Mark(fault.Part(name), node.Vertex)
	i := c.attribute(name)
	return operand[where.Candidate]{kind: storage.Boolean, value: func(v where.Candidate) storage.Value { return v.At(i) }}
}

// attribute returns the number of an attribute among those that are read.
func (c *vertexCompiler) attribute(name string) int {
	i := slices.Index(c.attributes, name)
	if i < 0 {
		i = len(c.attributes)
		c.attributes = append(c.attributes, name)
	}
	return i
}
