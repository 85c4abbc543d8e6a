package format

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/internal/excerpt"
)

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

// valueFault returns the reason why a value does not have a type, or "".
func valueFault(t Type, value []byte) string {
	text := string(value)
	var err error
	switch t {
	case Integer:
		_, err = strconv.ParseInt(text, 10, 64)
	case Float:
		if !decimal.IsFinite(value) {
			err = ErrNotFinite
		}
	case Boolean:
		if text != "true" && text != "false" {
			err = ErrSyntax
		}
	}
	if err != nil {
		return fmt.Sprintf("%s is no %s", excerpt.Of(value), t)
	}
	return ""
}

// typeText is the name of a type in GraphML, GEXF and the headers of Neo4j.
func typeText(t Type) string {
	switch typeOr(t) {
	case Integer:
		return "long"
	case Float:
		return "double"
	case Boolean:
		return "boolean"
	}
	return "string"
}

func typeOr(t Type) Type {
	if t == Untyped {
		return Text
	}
	return t
}
