package format

import (
	"fmt"
	"math"
	"strconv"
)

// TypeOf returns the narrowest type that a value has by its look: Boolean for
// true and false; Integer for what fits int64, unless zeros or a plus sign lead,
// as they do in codes and in telephone numbers; Float for other decimal numbers
// that are finite; else Text. Readers of texts that say nothing of types, and
// writers that want to be read back, both go by it.
func TypeOf(value []byte) Type {
	switch {
	case string(value) == "true" || string(value) == "false":
		return Boolean
	case len(value) == 0 || value[0] == '+' || leadingZero(value) || !isDecimal(value):
		return Text
	case isInteger(value):
		if _, err := strconv.ParseInt(string(value), 10, 64); err == nil && string(value) != "-0" {
			return Integer
		}
		return Text // as a float it would lose digits
	}
	if x, err := strconv.ParseFloat(string(value), 64); err == nil && !math.IsInf(x, 0) {
		return Float
	}
	return Text
}

// leadingZero reports whether the integer part of a number begins with a zero
// that it does not need.
func leadingZero(value []byte) bool {
	if value[0] == '-' {
		value = value[1:]
	}
	return len(value) > 1 && value[0] == '0' && value[1] >= '0' && value[1] <= '9'
}

// Or returns the narrowest type that holds the values of both: Untyped holds
// none, Float holds integers, Text everything.
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

// valueFault says why a value is none of a type, or returns "".
func valueFault(t Type, value []byte) string {
	text := string(value)
	var err error
	switch t {
	case Integer:
		_, err = strconv.ParseInt(text, 10, 64)
	case Float:
		var x float64
		if x, err = strconv.ParseFloat(text, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) || !isDecimal(value) {
			err = ErrNotFinite
		}
	case Boolean:
		if text != "true" && text != "false" {
			err = ErrSyntax
		}
	}
	if err != nil {
		return fmt.Sprintf("%s is no %s", excerpt(value), t)
	}
	return ""
}
