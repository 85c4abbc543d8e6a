package where

import (
	"fmt"
	"slices"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file turns the conditions of WHERE into functions. Every operand has a
// type, and a mistake in them is found before anything runs.

// Condition is a compiled WHERE. Its columns are those of Candidate.columns.
type Condition struct {
	Admits     func(Candidate) bool // nil admits all
	Attributes []string             // that it reads
}

// compiler compiles one condition on the vertices of a graph.
type compiler struct {
	*bind.Values
	graph      storage.GraphInfo
	linked     string   // why linked has no meaning here; "" where it has one
	attributes []string // that were read so far
}

// Why linked has no meaning.
const (
	ToVector  = "linked needs a query vertex; this query gives a vector"
	ToNothing = "linked needs a query vertex; this statement has none"
)

// Compile compiles a condition on the vertices of a graph; nil admits all. The
// attributes that it reads come behind those that are given.
func Compile(values *bind.Values, e parser.Expr, graph storage.GraphInfo, linked string, attributes ...string) (Condition, error) {
	if e == nil {
		return Condition{Attributes: attributes}, nil
	}
	c := &compiler{Values: values, graph: graph, linked: linked, attributes: attributes}
	f, err := c.condition(e)
	if err != nil {
		return Condition{}, err
	}
	return Condition{func(v Candidate) bool { return f(v) == isTrue }, c.attributes}, nil
}

// A predicate says whether a condition holds for a vertex.
type predicate func(Candidate) truth

// An operand is a side of a comparison: the type of its values, and the value
// that a vertex has there, which may be missing.
type operand struct {
	kind  storage.Type
	value func(Candidate) storage.Value
}

func (c *compiler) condition(e parser.Expr) (predicate, error) {
	switch e := e.(type) {
	case parser.Or:
		terms, err := c.conditions(e.Terms)
		return anyOf(terms), err
	case parser.And:
		terms, err := c.conditions(e.Terms)
		return allOf(terms), err
	case parser.Not:
		term, err := c.condition(e.Term)
		return func(v Candidate) truth { return term(v).not() }, err
	case parser.Compare:
		return c.compare(e)
	case parser.In:
		return c.among(e)
	case parser.IsMissing:
		o, err := c.operand(e.Operand, 0)
		return func(v Candidate) truth { return truthOf(o.value(v).IsMissing() != e.Not) }, err
	case parser.Flag:
		return c.flag(e)
	}
	return nil, fmt.Errorf("a condition of the type %T is not known", e)
}

func (c *compiler) conditions(list []parser.Expr) ([]predicate, error) {
	terms := make([]predicate, len(list))
	for i, e := range list {
		var err error
		if terms[i], err = c.condition(e); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// flag compiles a name that is a condition alone.
func (c *compiler) flag(e parser.Flag) (predicate, error) {
	o, err := c.column(e.Name)
	if err != nil {
		return nil, err
	}
	if o.kind != storage.Boolean {
		c.Mark(fault.Where, e)
		m := fault.New(fault.Where, "%s is %s, not a condition", fault.Name(e.Name.Name), kindName(o.kind))
		example := " >= 2"
		if o.kind == storage.Text {
			example = " = '…'"
		}
		m.Remedy = "compare it, as in " + e.Name.String() + example
		return nil, m
	}
	return func(v Candidate) truth {
		x := o.value(v)
		if x.IsMissing() {
			return isUnknown
		}
		return truthOf(x.Boolean())
	}, nil
}

// compare compiles a comparison of two operands of one type.
func (c *compiler) compare(e parser.Compare) (predicate, error) {
	left, err := c.operand(e.Left, 0)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(e.Right, left.kind)
	if err != nil {
		return nil, err
	}
	if left, err = c.operand(e.Left, right.kind); err != nil {
		return nil, err
	}
	c.Mark(fault.Where, e)
	if !canCompare(left.kind, right.kind) {
		m := fault.New(fault.Where, "%s compares %s with %s", fault.Shorten(e.String()), kindName(left.kind), kindName(right.kind))
		if isKey(e.Left) || isKey(e.Right) {
			m.Remedy = "a key is a text, in single quotes"
		}
		return nil, m
	}
	if left.kind == storage.Boolean && e.Op != parser.Equal && e.Op != parser.NotEqual {
		m := fault.New(fault.Where, "true and false have no order for %s", e.Op)
		m.Expected = []string{"=", "<>"}
		return nil, m
	}
	holds := operatorFunc(e.Op)
	return func(v Candidate) truth { return compareBy(left.value(v), right.value(v), holds) }, nil
}

func isKey(node parser.Operand) bool {
	column, ok := node.(parser.Ident)
	return ok && column.Name == "key"
}

// among compiles [NOT] IN.
func (c *compiler) among(e parser.In) (predicate, error) {
	o, err := c.operand(e.Operand, 0)
	if err != nil {
		return nil, err
	}
	list := make([]storage.Value, len(e.Values))
	for i, node := range e.Values {
		if list[i], err = c.literal(node, o.kind); err != nil {
			return nil, err
		}
		if !canCompare(o.kind, list[i].Type()) {
			return nil, fault.New(fault.Where, "%s is %s, and the list has %s", fault.Shorten(e.Operand.String()), kindName(o.kind), kindName(list[i].Type()))
		}
	}
	found := member(list)
	return func(v Candidate) truth {
		x := o.value(v)
		if x.IsMissing() {
			return isUnknown
		}
		return truthOf(found(x) != e.Not)
	}, nil
}

// operand compiles a side of a comparison with values of a kind, 0 if that is
// not known yet.
func (c *compiler) operand(node parser.Operand, kind storage.Type) (operand, error) {
	if column, ok := node.(parser.Ident); ok {
		return c.column(column)
	}
	literal, ok := node.(parser.Value)
	if !ok {
		return operand{}, fmt.Errorf("an operand of the type %T is not known", node)
	}
	value, err := c.literal(literal, kind)
	return operand{value.Type(), func(Candidate) storage.Value { return value }}, err
}

// literal returns the value of a literal or a parameter. An Untyped that is
// compared with texts stays one; numbers stay what they are, so that none is
// rounded.
func (c *compiler) literal(node parser.Value, kind storage.Type) (storage.Value, error) {
	if kind != storage.Text {
		kind = 0
	}
	value, err := c.Untyped(fault.Where, node)
	if err != nil {
		return storage.Value{}, err
	}
	if v, ok := AttributeValue(value, kind); ok && !v.IsMissing() {
		return v, nil
	}
	return storage.Value{}, bind.Unexpected(fault.Where, value, "a text in quotes", "a number", "TRUE", "FALSE")
}

// column compiles a name.
func (c *compiler) column(node parser.Ident) (operand, error) {
	c.Mark(fault.Where, node)
	switch node.Name {
	case "degree":
		return operand{storage.Integer, func(v Candidate) storage.Value { return storage.IntegerValue(int64(v.Degree)) }}, nil
	case "key":
		return operand{storage.Text, func(v Candidate) storage.Value { return storage.TextValue(v.Key()) }}, nil
	case "linked":
		if c.linked != "" {
			return operand{}, fault.New(fault.Where, "%s", c.linked)
		}
		return operand{storage.Boolean, func(v Candidate) storage.Value { return storage.BooleanValue(v.Linked) }}, nil
	}
	for _, a := range c.graph.Attributes {
		if a.Name == node.Name {
			i := c.attribute(a.Name)
			return operand{a.Type, func(v Candidate) storage.Value { return v.columns.At(i, v.vertex) }}, nil
		}
	}
	e := fault.New(fault.Where, "unknown name %s", fault.Quote(node.Name))
	e = e.WithNearest(node.Name, append([]string{"degree", "linked", "key"}, session.AttributeNames(c.graph)...), func(s string) string { return parser.Ident{Name: s}.String() })
	if quoted := node.End.Offset-node.Start.Offset > len(node.Name); quoted && e.Hint() == "" {
		e.Remedy = "a text is written in single quotes, double quotes are for names"
	}
	return operand{}, e
}

// attribute returns the number of an attribute among those that are read.
func (c *compiler) attribute(name string) int {
	i := slices.Index(c.attributes, name)
	if i < 0 {
		i = len(c.attributes)
		c.attributes = append(c.attributes, name)
	}
	return i
}

// AttributeValue turns a value of the language into one of an attribute of the
// given type, or of any where that is 0; nil is missing. It returns false for
// what no attribute can have, such as a vector.
func AttributeValue(value any, kind storage.Type) (storage.Value, bool) {
	if text, ok := value.(bind.Untyped); ok {
		if value = text.Infer(); kind == storage.Text {
			value = string(text)
		}
	}
	switch v := value.(type) {
	case nil:
		return storage.Value{}, true
	case string:
		return storage.TextValue(v), true
	case int64:
		if kind == storage.Float {
			return storage.FloatValue(float64(v)), true
		}
		return storage.IntegerValue(v), true
	case float64:
		return storage.FloatValue(v), true
	case bool:
		return storage.BooleanValue(v), true
	}
	return storage.Value{}, false
}

// kindName names a type in a sentence.
func kindName(t storage.Type) string {
	switch t {
	case storage.Text:
		return "a text"
	case storage.Boolean:
		return "true or false"
	}
	return "a number"
}
