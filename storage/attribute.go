package storage

import (
	"heavytail/storage/internal/block"
)

// Type is the type of an attribute. The zero Type is that of a missing value.
type Type = block.Type

// The types of attributes. Their numbers are part of the format.
const (
	Text    = block.Text
	Integer = block.Integer
	Float   = block.Float
	Boolean = block.Boolean
)

// ParseType returns the type with the given name in any case. Any other name
// is ErrInvalid.
func ParseType(name string) (Type, error) { return block.ParseType(name) }

// Attribute is a name under which vertices of a graph have values of one type.
type Attribute = block.Attribute

// Value is one value of an attribute. The zero Value is missing. Values are
// comparable with ==, which is equality of type and value.
type Value = block.Value

// TextValue returns a text.
func TextValue(s string) Value { return block.TextValue(s) }

// IntegerValue returns an integer.
func IntegerValue(i int64) Value { return block.IntegerValue(i) }

// FloatValue returns a float; zero has no sign.
func FloatValue(f float64) Value { return block.FloatValue(f) }

// BooleanValue returns true or false.
func BooleanValue(b bool) Value { return block.BooleanValue(b) }

// ParseValue reads a value of type t from text: integers in decimal, floats as
// strconv.ParseFloat takes them, booleans as true or false in any case. A text that is
// not a value of the type is ErrInvalid.
func ParseValue(t Type, s string) (Value, error) { return block.ParseValue(t, s) }

// NamedValue is the value of the attribute Name; a missing one removes the value from a
// vertex.
type NamedValue = block.NamedValue

// Column holds the values of one attribute for vertices 0 to Len()-1 of a
// snapshot. It takes a bit per vertex that says whether there is a value, and 8
// bytes per vertex for integers and floats or a bit for booleans. Texts are in a
// dictionary: 4 bytes per vertex, and the bytes of each distinct text and 8 more.
// While nobody calls Set, it is safe for concurrent use.
type Column = block.Column

// NewColumn returns a column of n vertices that all miss the attribute.
func NewColumn(a Attribute, n int) *Column { return block.NewColumn(a, n) }
