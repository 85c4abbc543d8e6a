package format

import (
	"bytes"
	"math"
	"strconv"

	"heavytail/storage/format/internal/decimal"
)

// Column is an attribute of the vertices or of the edges.
type Column struct {
	Name string
	Type Type // "" where the text does not define it
}

// PairColumn is a column of a file of pairs other than the two columns of keys.
type PairColumn struct {
	Number int    // from 1 on
	Name   string // from the header; without a header column3 and so on
	Type   Type   // the type in a columnar file; always Text in text files
	Held   bool   // ReadPairRows can return its values: they are neither lists nor records
}

// Type is the type of the values of an attribute.
type Type string

// The types. Untyped is the type of attributes for which the text defines none.
const (
	Untyped Type = ""
	Text    Type = "text"
	Integer Type = "integer" // int64
	Float   Type = "float"   // float64, finite
	Boolean Type = "boolean" // true or false
)

// ValueOf returns the value that a text of a columnar file's column of the type represents, as
// ReadPairRows has it: an int64, a float64, a bool or a string, and nil where the text is empty.
func (t Type) ValueOf(text string) any {
	if text == "" {
		return nil
	}
	switch t {
	case Integer:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case Float:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	case Boolean:
		return text == "true"
	}
	return text
}

// TypeOf returns the narrowest type to which the form of a value belongs: Boolean for true and
// false in any case; Integer for numbers that fit int64, unless they begin with extra zeros or a
// plus sign, as codes and telephone numbers do; Float for -0 and other finite decimal numbers;
// otherwise Text.
// Readers use it for texts that declare no types, and writers use it to decide which types they
// must declare.
func TypeOf(value []byte) Type {
	switch {
	case bytes.EqualFold(value, []byte("true")) || bytes.EqualFold(value, []byte("false")):
		return Boolean
	case len(value) == 0 || value[0] == '+' || decimal.LeadingZero(value) || !decimal.Is(value):
		return Text
	case string(value) == "-0":
		return Float // an integer would lose the sign
	case decimal.IsInteger(value):
		if _, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return Integer
		}
		return Text // a float would lose digits
	}
	if x, err := strconv.ParseFloat(string(value), 64); err == nil && !math.IsInf(x, 0) {
		return Float
	}
	return Text
}

// IsMissing reports whether a text means, in any case of letters, that a number or a boolean is
// missing: NA, N/A, NaN, NULL, None, \N, a dot, a hyphen, a question mark and the like, and
// infinities. Where texts are expected, these are texts.
func IsMissing(text []byte) bool { return decimal.IsMissing(text) }

// Or returns the narrowest type that holds the values of both types: Untyped is the type
// without values, Float includes integers, and Text includes everything.
func (t Type) Or(other Type) Type {
	switch {
	case t == other || other == Untyped:
		return t
	case t == Untyped:
		return other
	case t == Integer && other == Float || t == Float && other == Integer:
		return Float
	}
	return Text
}
