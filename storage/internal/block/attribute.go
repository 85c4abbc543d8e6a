package block

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/storage/internal/fault"
)

// Type is the type of an attribute. A missing value has the zero Type.
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

// MarshalJSON writes the name of the type. It is not a MarshalText because that would also
// change the records of the store, which hold the number.
func (t Type) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// UnmarshalJSON reads the output of MarshalJSON, including that of the zero Type.
func (t *Type) UnmarshalJSON(text []byte) (err error) {
	var name string
	if err = json.Unmarshal(text, &name); err != nil {
		return err
	}
	if none := Type(0); name == none.String() {
		*t = none
		return nil
	}
	*t, err = ParseType(name)
	return err
}

// ParseType returns the type with the given name, ignoring case. Any other name gives
// ErrInvalid.
func ParseType(name string) (Type, error) {
	for t := Text; t <= Boolean; t++ {
		if strings.EqualFold(name, typeNames[t]) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("attribute type %q is none of text, integer, float and boolean: %w", fault.Clip(name), fault.ErrInvalid)
}

// Attribute is a named property of vertices or of edges whose values have one type.
type Attribute struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Names of columns in the statement language, which no attribute of vertices or of edges may have.
var (
	reservedNames     = []string{"degree", "key", "linked", "vertex"}
	reservedEdgeNames = []string{"source", "target", "time", "weight"}
)

// Validate returns an error if no graph can have the attribute for its vertices: ErrName for its name,
// ErrInvalid for its type.
func (a Attribute) Validate() error { return a.validate("vertex", reservedNames) }

// ValidateEdge is Validate for an attribute of edges.
func (a Attribute) ValidateEdge() error { return a.validate("edge", reservedEdgeNames) }

func (a Attribute) validate(of string, reserved []string) error {
	if err := CheckName("attribute", a.Name); err != nil {
		return err
	}
	if slices.Contains(reserved, a.Name) {
		return fmt.Errorf("attribute name %q: %w: every %s has a column of this name", a.Name, fault.ErrName, of)
	}
	if a.Type < Text || a.Type > Boolean {
		return fmt.Errorf("attribute %q: %v: %w", fault.Clip(a.Name), a.Type, fault.ErrInvalid)
	}
	return nil
}

// MaxText is the largest number of bytes of a text value.
const MaxText = 64 << 10

// Value is one value of an attribute. The zero Value is missing. Two values are equal under ==
// if their types and their values are equal.
type Value struct {
	kind Type
	bits uint64 // of an integer, float or boolean
	text string
}

// TextValue returns a text.
func TextValue(s string) Value { return Value{kind: Text, text: s} }

// IntegerValue returns an integer.
func IntegerValue(i int64) Value { return Value{kind: Integer, bits: uint64(i)} }

// FloatValue returns a float; negative zero becomes zero.
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

// ParseValue reads a value of type t from text: integers in decimal, floats as accepted by
// strconv.ParseFloat, booleans as true or false, ignoring case. A text that is not a value of
// the type gives ErrInvalid.
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
		return Value{}, fmt.Errorf("%q is no %v: %w", fault.Clip(s), t, fault.ErrInvalid)
	}
	return v, CheckValue(v)
}

// Type returns the type of the value, 0 if it is missing.
func (v Value) Type() Type { return v.kind }

// IsMissing reports whether there is no value.
func (v Value) IsMissing() bool { return v.kind == 0 }

// Text returns the text of a text value, and "" for every other type.
func (v Value) Text() string { return v.text }

// Integer returns the number of an integer value, and 0 for every other type.
func (v Value) Integer() int64 {
	if v.kind != Integer {
		return 0
	}
	return int64(v.bits)
}

// Float returns the number of a float or integer value as a float, and 0 for other types.
func (v Value) Float() float64 {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.bits)
	case Integer:
		return float64(int64(v.bits))
	}
	return 0
}

// Boolean returns the value of a boolean, and false for every other type.
func (v Value) Boolean() bool { return v.kind == Boolean && v.bits != 0 }

// String returns the value as text: texts unchanged, numbers in the shortest form that reads
// back as the same number, and "" for a missing value.
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

// MarshalJSON writes null for a missing value. A float has a fraction or an exponent, so that
// it differs from an integer.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.IsMissing():
		return []byte("null"), nil
	case v.kind == Text:
		return json.Marshal(v.text)
	case v.kind == Float && !IsFinite(v.Float()):
		return nil, CheckValue(v)
	}
	text := v.String()
	if v.kind == Float && !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return []byte(text), nil
}

// UnmarshalJSON reads the output of MarshalJSON.
func (v *Value) UnmarshalJSON(text []byte) (err error) {
	switch s := string(text); {
	case s == "null":
		*v = Value{}
	case s == "true" || s == "false":
		*v = BooleanValue(s == "true")
	case strings.HasPrefix(s, `"`):
		err = json.Unmarshal(text, &s)
		*v = TextValue(s)
	case strings.ContainsAny(s, ".eE"):
		*v, err = ParseValue(Float, s)
	default:
		*v, err = ParseValue(Integer, s)
	}
	return err
}

// CheckValue returns an error if a value cannot be stored.
func CheckValue(v Value) error {
	switch {
	case v.kind == Float && !IsFinite(v.Float()):
		return fmt.Errorf("%v is not finite: %w", v.Float(), fault.ErrInvalid)
	case v.kind != Text:
	case len(v.text) > MaxText:
		return fmt.Errorf("text of %d bytes, at most %d: %w", len(v.text), MaxText, fault.ErrLimit)
	case !utf8.ValidString(v.text):
		return fmt.Errorf("text %q is not valid UTF-8: %w", fault.Clip(v.text), fault.ErrInvalid)
	case strings.IndexByte(v.text, 0) >= 0:
		return fmt.Errorf("text %q contains NUL: %w", fault.Clip(v.text), fault.ErrInvalid)
	}
	return nil
}

// CloneValue returns v with its own copy of the text, which may alias a block.
func CloneValue(v Value) Value {
	v.text = strings.Clone(v.text)
	return v
}

// IsFinite reports whether f is neither infinite nor NaN.
func IsFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// ValueFor converts a value to the type of the attribute: for an attribute of floats an integer
// becomes a float, and a missing value stays missing. Any other type gives ErrInvalid.
func ValueFor(a Attribute, v Value) (Value, error) {
	if v.kind == Integer && a.Type == Float {
		v = FloatValue(float64(v.Integer()))
	}
	if !v.IsMissing() && v.kind != a.Type {
		return Value{}, fmt.Errorf("attribute %q is %v, and the value %q is %v: %w", fault.Clip(a.Name), a.Type, fault.Clip(v.String()), v.kind, fault.ErrInvalid)
	}
	if err := CheckValue(v); err != nil {
		return Value{}, fmt.Errorf("attribute %q: %w", fault.Clip(a.Name), err)
	}
	return v, nil
}

// NamedValue is the value of the attribute Name; a missing value removes the attribute's value
// from a vertex or an edge.
type NamedValue struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}
