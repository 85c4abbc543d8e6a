package bind

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// Values turns the literals and parameters of a statement into Go values. It remembers the
// position of the text of every piece of the request, so that an error about the piece can have
// this position. Its methods keep the first mistake, and return a value without meaning for a
// piece that is wrong, so that who binds a statement only lists the pieces.
type Values struct {
	Err    error // the first mistake, with its position
	at     map[fault.Part]parser.Range
	params map[string]any // values of $name
}

// New returns Values that remember positions in at.
func New(at map[fault.Part]parser.Range, params map[string]any) *Values {
	return &Values{at: at, params: params}
}

// Mark remembers where a piece of the request came from.
func (b *Values) Mark(at fault.Part, node parser.Node) { b.at[at] = node.Source() }

// Fail keeps a mistake, if it is not nil, with its position, unless there was one before it.
// Later pieces may have the same names, such as options, and would replace the position.
func (b *Values) Fail(mistake error) {
	if b.Err == nil {
		b.Err = fault.WithPosition(mistake, b.at)
	}
}

// Value returns the value of a literal or parameter: string, int64, float64,
// bool or []float32.
func (b *Values) Value(at fault.Part, v parser.Value) any {
	value := b.Untyped(at, v)
	if text, ok := value.(rows.Untyped); ok {
		return text.Infer()
	}
	return value
}

// Untyped is Value where a text is accepted: an Untyped is returned unchanged.
func (b *Values) Untyped(at fault.Part, v parser.Value) any {
	b.Mark(at, v)
	switch v := v.(type) {
	case parser.String:
		return v.Value
	case parser.Int:
		return v.Value
	case parser.Float:
		return v.Value
	case parser.Bool:
		return v.Value
	case parser.Vector:
		return b.vector(at, v.Values)
	case parser.Param:
		value, ok := b.params[v.Name]
		if !ok {
			known := slices.Sorted(maps.Keys(b.params))
			b.Fail(fault.New(at, "parameter $%s has no value", v.Name).WithNearest(v.Name, known, func(s string) string { return "$" + s }))
		}
		if vector, ok := value.([]float64); ok {
			return b.vector(at, vector)
		}
		return option.Plain(value)
	}
	b.Fail(fmt.Errorf("a value of the type %T is not known", v))
	return nil
}

// vector rounds a vector to the precision of embeddings.
func (b *Values) vector(at fault.Part, values []float64) []float32 {
	vector := make([]float32, len(values))
	for i, x := range values {
		vector[i] = float32(x)
		if math.IsInf(float64(vector[i]), 0) || math.IsNaN(x) {
			b.Fail(fault.New(at, "element %d of the vector is %v, and must be a finite 32-bit number", i+1, x))
		}
	}
	return vector
}

// Unexpected is the error for a value of the wrong type.
func Unexpected(at fault.Part, found any, expected ...string) *fault.Error {
	return fault.New(at, "found %s", Describe(found)).WithExpected(expected...)
}

// Text returns a string, such as the name of a file.
func (b *Values) Text(at fault.Part, v parser.Value) string {
	return b.textOf(at, b.Untyped(at, v), "a text in quotes")
}

func (b *Values) textOf(at fault.Part, value any, expected string) string {
	switch value := value.(type) {
	case string:
		return value
	case rows.Untyped:
		return string(value)
	}
	b.Fail(Unexpected(at, value, expected))
	return ""
}

// Size returns a count that fits an int. The caller checks its range.
func (b *Values) Size(at fault.Part, v parser.Value) int {
	value := b.Value(at, v)
	n, ok := value.(int64)
	if !ok {
		b.Fail(Unexpected(at, value, "an integer"))
	}
	return int(max(math.MinInt, min(math.MaxInt, n)))
}

// Key returns the key of a vertex, which may be empty.
func (b *Values) Key(at fault.Part, v parser.Value) string {
	value := b.Untyped(at, v)
	if n, ok := value.(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	return b.textOf(at, value, "the key of a vertex")
}

// Given evaluates options and marks them.
func (b *Values) Given(options []parser.Option) []option.Given {
	var list []option.Given
	for _, o := range options {
		at := fault.Option(o.Name.Name)
		list = append(list, option.Given{Name: o.Name.Name, Value: b.Untyped(at, o.Value)})
		b.Mark(at, o)
	}
	return list
}
