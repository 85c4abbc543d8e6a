package bind

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"heavytail/query/internal/fault"
	"heavytail/query/parser"
)

// Values turns the literals and parameters of a statement into Go values. It remembers the
// position of the text of every piece of the request, so that an error about the piece can have
// this position.
type Values struct {
	at     map[fault.Part]parser.Range
	params map[string]any // values of $name
}

// New returns Values that remember positions in at.
func New(at map[fault.Part]parser.Range, params map[string]any) *Values {
	return &Values{at: at, params: params}
}

// Mark remembers where a piece of the request came from.
func (b *Values) Mark(at fault.Part, node parser.Node) { b.at[at] = node.Source() }

// Value returns the value of a literal or parameter: string, int64, float64,
// bool or []float32.
func (b *Values) Value(at fault.Part, v parser.Value) (any, error) {
	value, err := b.Untyped(at, v)
	if text, ok := value.(Untyped); ok {
		return text.Infer(), err
	}
	return value, err
}

// Untyped is Value where a text is accepted: an Untyped is returned unchanged.
func (b *Values) Untyped(at fault.Part, v parser.Value) (any, error) {
	b.Mark(at, v)
	switch v := v.(type) {
	case parser.String:
		return v.Value, nil
	case parser.Int:
		return v.Value, nil
	case parser.Float:
		return v.Value, nil
	case parser.Bool:
		return v.Value, nil
	case parser.Vector:
		return Vector(at, v.Values)
	case parser.Param:
		value, ok := b.params[v.Name]
		if !ok {
			known := slices.Sorted(maps.Keys(b.params))
			return nil, fault.New(at, "parameter $%s has no value", v.Name).WithNearest(v.Name, known, func(s string) string { return "$" + s })
		}
		if vector, ok := value.([]float64); ok {
			return Vector(at, vector)
		}
		return plain(value), nil
	}
	return nil, fmt.Errorf("a value of the type %T is not known", v)
}

// Vector rounds a vector to the precision of embeddings.
func Vector(at fault.Part, values []float64) ([]float32, error) {
	vector := make([]float32, len(values))
	for i, x := range values {
		vector[i] = float32(x)
		if math.IsInf(float64(vector[i]), 0) || math.IsNaN(x) {
			return nil, fault.New(at, "element %d of the vector is %v, and must be a finite 32-bit number", i+1, x)
		}
	}
	return vector, nil
}

// Unexpected is the error for a value of the wrong type.
func Unexpected(at fault.Part, found any, expected ...string) *fault.Error {
	return fault.New(at, "found %s", Describe(found)).WithExpected(expected...)
}

// Text returns a string, such as the name of a file.
func (b *Values) Text(at fault.Part, v parser.Value) (string, error) {
	value, err := b.Untyped(at, v)
	if err != nil {
		return "", err
	}
	return textOf(at, value, "a text in quotes")
}

func textOf(at fault.Part, value any, expected string) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case Untyped:
		return string(value), nil
	}
	return "", Unexpected(at, value, expected)
}

// Size returns a count that fits an int. The caller checks its range.
func (b *Values) Size(at fault.Part, v parser.Value) (int, error) {
	value, err := b.Value(at, v)
	if err != nil {
		return 0, err
	}
	n, ok := value.(int64)
	if !ok {
		return 0, Unexpected(at, value, "an integer")
	}
	return int(max(math.MinInt, min(math.MaxInt, n))), nil
}

// KeyAt returns the key of a vertex.
func (b *Values) KeyAt(at fault.Part, v parser.Value) (string, error) {
	value, err := b.Untyped(at, v)
	if err != nil {
		return "", err
	}
	if n, ok := value.(int64); ok {
		return strconv.FormatInt(n, 10), nil
	}
	return textOf(at, value, "the key of a vertex")
}

// Given evaluates options and marks them.
func (b *Values) Given(options []parser.Option) ([]Given, error) {
	var list []Given
	for _, o := range options {
		at := fault.Option(o.Name.Name)
		value, err := b.Untyped(at, o.Value)
		if err != nil {
			return nil, err
		}
		b.Mark(at, o)
		list = append(list, Given{o.Name.Name, value})
	}
	return list, nil
}

// Settings evaluates options and checks them against a table.
func (b *Values) Settings(owner string, table []OptionInfo, options []parser.Option) (Settings, error) {
	given, err := b.Given(options)
	if err != nil {
		return nil, err
	}
	return Check(owner, table, given)
}
