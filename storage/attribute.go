package storage

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Type is the type of an attribute. The zero Type is that of a missing value.
type Type uint8

// The types of attributes. Their numbers are part of the format.
const (
	Text    Type = iota + 1 // UTF-8 of up to 64 KiB without NUL
	Integer                 // 64 bits with a sign
	Float                   // 64 bits, finite
	Boolean                 // true or false
)

var typeNames = [...]string{"missing", "text", "integer", "float", "boolean"}

// String returns the name of the type in lower case, such as "text".
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// ParseType returns the type with the given name in any case. Any other name
// is ErrInvalid.
func ParseType(name string) (Type, error) {
	for t := Text; t <= Boolean; t++ {
		if strings.EqualFold(name, typeNames[t]) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("storage: attribute type %q is none of text, integer, float and boolean: %w", clip(name), ErrInvalid)
}

// Attribute is a name under which vertices of a graph have values of one type.
type Attribute struct {
	Name string
	Type Type
}

// reservedNames are columns of the language and no names of attributes.
var reservedNames = []string{"degree", "key", "linked", "vertex"}

// Validate reports why no graph can have the attribute: its name is ErrName, or
// its type ErrInvalid.
func (a Attribute) Validate() error { return a.check() }

// check reports why an attribute is refused.
func (a Attribute) check() error {
	if err := checkName("attribute", a.Name); err != nil {
		return err
	}
	if slices.Contains(reservedNames, a.Name) {
		return fmt.Errorf("storage: attribute name %q: %w: every vertex has a column of this name", a.Name, ErrName)
	}
	if a.Type < Text || a.Type > Boolean {
		return fmt.Errorf("storage: attribute %q: %v: %w", clip(a.Name), a.Type, ErrInvalid)
	}
	return nil
}

// maxText bounds a text value.
const maxText = 64 << 10

// Value is one value of an attribute. The zero Value is missing. Values are
// comparable with ==, which is equality of type and value.
type Value struct {
	kind Type
	bits uint64 // of an integer, float or boolean
	text string
}

// TextValue returns a text.
func TextValue(s string) Value { return Value{kind: Text, text: s} }

// IntegerValue returns an integer.
func IntegerValue(i int64) Value { return Value{kind: Integer, bits: uint64(i)} }

// FloatValue returns a float; zero has no sign.
func FloatValue(f float64) Value {
	if f == 0 {
		f = 0 // -0 == 0, and equal values have equal bits
	}
	return Value{kind: Float, bits: math.Float64bits(f)}
}

// BooleanValue returns true or false.
func BooleanValue(b bool) Value {
	v := Value{kind: Boolean}
	if b {
		v.bits = 1
	}
	return v
}

// ParseValue reads a value of type t from text: integers in decimal, floats as
// strconv.ParseFloat takes them, booleans as true or false in any case. What is
// no value of the type is ErrInvalid.
func ParseValue(t Type, s string) (Value, error) {
	v := Value{}
	switch t {
	case Text:
		v = TextValue(s)
	case Integer:
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			v = IntegerValue(i)
		}
	case Float:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			v = FloatValue(f)
		}
	case Boolean:
		switch {
		case strings.EqualFold(s, "true"):
			v = BooleanValue(true)
		case strings.EqualFold(s, "false"):
			v = BooleanValue(false)
		}
	}
	if v.IsMissing() {
		return Value{}, fmt.Errorf("%q is no %v: %w", clip(s), t, ErrInvalid)
	}
	return v, v.check()
}

// Type returns the type of the value, 0 where it is missing.
func (v Value) Type() Type { return v.kind }

// IsMissing reports whether there is no value.
func (v Value) IsMissing() bool { return v.kind == 0 }

// Text returns a text, and "" for every other type.
func (v Value) Text() string { return v.text }

// Integer returns an integer, and 0 for every other type.
func (v Value) Integer() int64 {
	if v.kind != Integer {
		return 0
	}
	return int64(v.bits)
}

// Float returns a float, or an integer as a float, and 0 for other types.
func (v Value) Float() float64 {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.bits)
	case Integer:
		return float64(int64(v.bits))
	}
	return 0
}

// Boolean returns a boolean, and false for every other type.
func (v Value) Boolean() bool { return v.kind == Boolean && v.bits != 0 }

// String returns the value in words: texts as they are, numbers in the shortest
// form that reads back as the same number, and "" where it is missing.
func (v Value) String() string {
	switch v.kind {
	case Text:
		return v.text
	case Integer:
		return strconv.FormatInt(v.Integer(), 10)
	case Float:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case Boolean:
		return strconv.FormatBool(v.Boolean())
	}
	return ""
}

// check reports why a value cannot be stored.
func (v Value) check() error {
	switch {
	case v.kind == Float && !isFinite(v.Float()):
		return fmt.Errorf("%v is not finite: %w", v.Float(), ErrInvalid)
	case v.kind != Text:
	case len(v.text) > maxText:
		return fmt.Errorf("text of %d bytes, at most %d: %w", len(v.text), maxText, ErrLimit)
	case !utf8.ValidString(v.text):
		return fmt.Errorf("text %q is not valid UTF-8: %w", clip(v.text), ErrInvalid)
	case strings.IndexByte(v.text, 0) >= 0:
		return fmt.Errorf("text %q contains NUL: %w", clip(v.text), ErrInvalid)
	}
	return nil
}

func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// valueFor checks a value that is to be one of the attribute and gives it the
// attribute's type: an integer becomes a float where that is asked for, and a
// missing value stays missing. Any other type is ErrInvalid.
func (a Attribute) valueFor(v Value) (Value, error) {
	if v.kind == Integer && a.Type == Float {
		v = FloatValue(float64(v.Integer()))
	}
	if !v.IsMissing() && v.kind != a.Type {
		return Value{}, fmt.Errorf("attribute %q is %v, and the value %q is %v: %w", clip(a.Name), a.Type, clip(v.String()), v.kind, ErrInvalid)
	}
	if err := v.check(); err != nil {
		return Value{}, fmt.Errorf("attribute %q: %w", clip(a.Name), err)
	}
	return v, nil
}

// NamedValue is the value of the attribute Name; a missing one takes the
// attribute away from a vertex.
type NamedValue struct {
	Name  string
	Value Value
}
