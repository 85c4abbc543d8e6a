package conditions

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

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
	linked func(node parser.Linked) operand[T] // compiles a condition on the edges of a vertex; nil if it is not about vertices
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
	case parser.Like:
		return c.like(e)
	case parser.IsMissing:
		o := c.operand(e.Operand, operand[T]{})
		return func(v T) truth { return truthOf(o.value(v).IsMissing() != e.Not) }
	case parser.Flag:
		return c.flag(e)
	case parser.Linked:
		if c.linked == nil {
			c.Mark(fault.Where, e)
			c.Fail(fault.New(fault.Where, "%s is a condition on vertices, and the rows are none", e.How))
			return nil
		}
		return holds(c.linked(e))
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
	return holds(o)
}

// holds is true where an operand is.
func holds[T any](o operand[T]) predicate[T] {
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

// like compiles LIKE. A value that is not a text is neither like a pattern nor unlike it.
func (c *compiler[T]) like(e parser.Like) predicate[T] {
	o := c.operand(e.Operand, operand[T]{kind: storage.Text})
	c.Mark(fault.Where, e)
	if o.kind != storage.Text && o.kind != anything {
		c.Fail(fault.New(fault.Where, "%s is %s, and LIKE compares texts", fault.Shorten(e.Operand.String()), kindName(o.kind)))
	}
	escape := noEscape
	if e.Escape != nil {
		text, size := c.Text(fault.Where, e.Escape), 0
		if escape, size = utf8.DecodeRuneInString(text); size == 0 || size != len(text) {
			c.Fail(fault.New(fault.Where, "ESCAPE is one character, found %s", fault.QuoteKey(text)))
		}
	}
	p, ok := patternOf(c.Text(fault.Where, e.Pattern), escape)
	if !ok {
		c.Fail(fault.New(fault.Where, "the pattern ends with its ESCAPE character").WithRemedy("write it twice for the character itself"))
	}
	return func(v T) truth {
		x := o.value(v)
		if x.IsMissing() || x.Type() != storage.Text {
			return isUnknown
		}
		return truthOf(p.matches(x.Text()) != e.Not)
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

// truth is the result of a condition, with three values as in SQL: a
// comparison with a missing value is unknown. In the order of the constants,
// AND is the minimum of its terms and OR the maximum.
type truth int8

const (
	isFalse truth = iota
	isUnknown
	isTrue
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

func (t truth) not() truth { return isTrue - t }

// allOf is AND. It stops at the first term that is false.
func allOf[T any](terms []predicate[T]) predicate[T] {
	return func(v T) truth {
		all := isTrue
		for _, term := range terms {
			if all = min(all, term(v)); all == isFalse {
				break
			}
		}
		return all
	}
}

// anyOf is OR. It stops at the first term that is true.
func anyOf[T any](terms []predicate[T]) predicate[T] {
	return func(v T) truth {
		some := isFalse
		for _, term := range terms {
			if some = max(some, term(v)); some == isTrue {
				break
			}
		}
		return some
	}
}

// compareBy returns holds of the order of two values, or unknown if a value
// is missing.
func compareBy(left, right storage.Value, holds func(order int) bool) truth {
	order, ok := CompareValues(left, right)
	if !ok {
		return isUnknown
	}
	return truthOf(holds(order))
}

// operatorFunc returns, for an operator, the function that reports whether it
// is true for an order of its two sides.
func operatorFunc(op parser.Operator) func(order int) bool {
	switch op {
	case parser.Equal:
		return func(order int) bool { return order == 0 }
	case parser.NotEqual:
		return func(order int) bool { return order != 0 }
	case parser.Less:
		return func(order int) bool { return order < 0 }
	case parser.LessEqual:
		return func(order int) bool { return order <= 0 }
	case parser.Greater:
		return func(order int) bool { return order > 0 }
	default:
		return func(order int) bool { return order >= 0 }
	}
}

// isNumber reports whether a type is compared by size.
func isNumber(t storage.Type) bool { return t == storage.Integer || t == storage.Float }

// canCompare reports whether values of two types have an order: both are
// numbers, or both of one type.
func canCompare(a, b storage.Type) bool {
	return a == b || isNumber(a) && isNumber(b) || a == anything || b == anything
}

// CompareValues returns the order of two values: texts by their bytes, numbers
// by their size, exactly, and false before true. It returns false if a value
// is missing, or if they cannot be compared.
func CompareValues(a, b storage.Value) (order int, ok bool) {
	if a.IsMissing() || b.IsMissing() || !canCompare(a.Type(), b.Type()) {
		return 0, false
	}
	switch {
	case a.Type() == storage.Text:
		return strings.Compare(a.Text(), b.Text()), true
	case a.Type() == storage.Boolean:
		return cmp.Compare(bit(a.Boolean()), bit(b.Boolean())), true
	case a.Type() == storage.Integer && b.Type() == storage.Integer:
		return cmp.Compare(a.Integer(), b.Integer()), true
	case a.Type() == storage.Integer:
		return compareIntegerFloat(a.Integer(), b.Float()), true
	case b.Type() == storage.Integer:
		return -compareIntegerFloat(b.Integer(), a.Float()), true
	}
	return cmp.Compare(a.Float(), b.Float()), true
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareIntegerFloat compares without rounding the integer to a float, which
// above 2^53 would make different numbers equal.
func compareIntegerFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Floor(f)
	if order := cmp.Compare(i, int64(whole)); order != 0 {
		return order
	}
	return cmp.Compare(whole, f)
}

// member returns a function that reports whether a value is in a list. Numbers
// are compared by their size, whatever their types.
func member(list []storage.Value) func(storage.Value) bool {
	set := make(map[storage.Value]struct{}, len(list))
	for _, v := range list {
		set[canonical(v)] = struct{}{}
	}
	return func(v storage.Value) bool {
		_, found := set[canonical(v)]
		return found
	}
}

// canonical converts a float with an integer value to an integer, so that
// equal numbers are equal values.
func canonical(v storage.Value) storage.Value {
	if v.Type() != storage.Float {
		return v
	}
	f := v.Float()
	if f == math.Floor(f) && f >= -1<<63 && f < 1<<63 {
		return storage.IntegerValue(int64(f))
	}
	return v
}

// anything is the type of a column with values of several types.
const anything storage.Type = 255
