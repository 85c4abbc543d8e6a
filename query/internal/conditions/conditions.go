package conditions

import (
	"fmt"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"
)

// compiler compiles one condition on a T, which is a Candidate or an EdgeCandidate. Its Values
// keep the first mistake; the result then has no meaning.
type compiler[T any] struct {
	*bind.Values
	column func(node parser.Ident) operand[T]  // compiles a name
	ends   func(node parser.Ends) predicate[T] // compiles BOTH and EITHER; nil if they are not allowed
}

// A predicate evaluates a condition.
type predicate[T any] func(T) truth

// An operand is a side of a comparison: the type of its values, and a
// function that returns the value for a T, which may be missing.
type operand[T any] struct {
	kind  storage.Type
	value func(T) storage.Value
	// read converts a literal to the value that the operand is compared with; nil if
	// the literal is used unchanged.
	read func(storage.Value) storage.Value
}

func (c *compiler[T]) condition(e parser.Expr) predicate[T] {
	switch e := e.(type) {
	case parser.Or:
		return anyOf(c.conditions(e.Terms))
	case parser.And:
		return allOf(c.conditions(e.Terms))
	case parser.Not:
		term := c.condition(e.Term)
		return func(v T) truth { return term(v).not() }
	case parser.Compare:
		return c.compare(e)
	case parser.In:
		return c.among(e)
	case parser.IsMissing:
		o := c.operand(e.Operand, operand[T]{})
		return func(v T) truth { return truthOf(o.value(v).IsMissing() != e.Not) }
	case parser.Flag:
		return c.flag(e)
	case parser.Ends:
		return c.ends(e)
	}
	c.Fail(fmt.Errorf("a condition of the type %T is not known", e))
	return nil
}

func (c *compiler[T]) conditions(list []parser.Expr) []predicate[T] {
	terms := make([]predicate[T], len(list))
	for i, e := range list {
		terms[i] = c.condition(e)
	}
	return terms
}

// flag compiles a name that is a condition alone.
func (c *compiler[T]) flag(e parser.Flag) predicate[T] {
	o := c.column(e.Name)
	if o.kind != storage.Boolean {
		c.Mark(fault.Where, e)
		m := fault.New(fault.Where, "%s is %s, not a condition", fault.Name(e.Name.Name), kindName(o.kind))
		example := " >= 2"
		if o.kind == storage.Text {
			example = " = '…'"
		}
		m.Remedy = "compare it, as in " + e.Name.String() + example
		c.Fail(m)
	}
	return func(v T) truth {
		x := o.value(v)
		if x.IsMissing() {
			return isUnknown
		}
		return truthOf(x.Boolean())
	}
}

// compare compiles a comparison of two operands of one type.
func (c *compiler[T]) compare(e parser.Compare) predicate[T] {
	left := c.operand(e.Left, operand[T]{})
	right := c.operand(e.Right, left)
	left = c.operand(e.Left, right)
	c.Mark(fault.Where, e)
	if !canCompare(left.kind, right.kind) {
		m := fault.New(fault.Where, "%s compares %s with %s", fault.Shorten(e.String()), kindName(left.kind), kindName(right.kind))
		if isKey(e.Left) || isKey(e.Right) {
			m.Remedy = "a key is a text, in single quotes"
		}
		c.Fail(m)
	}
	if left.kind == storage.Boolean && e.Op != parser.Equal && e.Op != parser.NotEqual {
		c.Fail(fault.New(fault.Where, "true and false have no order for %s", e.Op).WithExpected("=", "<>"))
	}
	holds := operatorFunc(e.Op)
	return func(v T) truth { return compareBy(left.value(v), right.value(v), holds) }
}

func isKey(node parser.Operand) bool {
	column, ok := node.(parser.Ident)
	return ok && column.Name == "key"
}

func (c *compiler[T]) among(e parser.In) predicate[T] {
	o := c.operand(e.Operand, operand[T]{})
	list := make([]storage.Value, len(e.Values))
	for i, node := range e.Values {
		if list[i] = c.literal(node, o); !canCompare(o.kind, list[i].Type()) {
			c.Fail(fault.New(fault.Where, "%s is %s, and the list has %s", fault.Shorten(e.Operand.String()), kindName(o.kind), kindName(list[i].Type())))
		}
	}
	found := member(list)
	return func(v T) truth {
		x := o.value(v)
		if x.IsMissing() {
			return isUnknown
		}
		return truthOf(found(x) != e.Not)
	}
}

// operand compiles a side of a comparison with another, whose type is 0 if it is not
// known yet.
func (c *compiler[T]) operand(node parser.Operand, with operand[T]) operand[T] {
	if column, ok := node.(parser.Ident); ok {
		return c.column(column)
	}
	literal, ok := node.(parser.Value)
	if !ok {
		c.Fail(fmt.Errorf("an operand of the type %T is not known", node))
		return operand[T]{}
	}
	value := c.literal(literal, with)
	return operand[T]{kind: value.Type(), value: func(T) storage.Value { return value }}
}

// literal returns the value of a literal or a parameter. An Untyped that is
// compared with texts remains a text; numbers keep their type, so that none
// is rounded.
func (c *compiler[T]) literal(node parser.Value, with operand[T]) storage.Value {
	kind := with.kind
	if kind != storage.Text {
		kind = 0
	}
	value := c.Untyped(fault.Where, node)
	v, ok := AttributeValue(value, kind)
	switch {
	case !ok || v.IsMissing():
		c.Fail(bind.Unexpected(fault.Where, value, "a text in quotes", "a number", "TRUE", "FALSE"))
	case with.read != nil:
		return with.read(v)
	}
	return v
}

// AttributeValue converts a value of the language to a value of an attribute
// of the given type, or of any type if kind is 0; nil is a missing value. It
// returns false for a value that no attribute can have, such as a vector.
func AttributeValue(value any, kind storage.Type) (storage.Value, bool) {
	if text, ok := value.(rows.Untyped); ok {
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

func kindName(t storage.Type) string {
	switch t {
	case storage.Text:
		return "a text"
	case storage.Boolean:
		return "true or false"
	}
	return "a number"
}
