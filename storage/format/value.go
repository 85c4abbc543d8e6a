package format

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

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
	case len(value) == 0 || value[0] == '+' || leadingZero(value) || !isDecimal(value):
		return Text
	case string(value) == "-0":
		return Float // an integer would lose the sign
	case isInteger(value):
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

// missingWords are the words, in lower case, that programs write where a number is missing: those
// that pandas reads so, R's NA, SQL's NULL, Postgres' \N, the dot of SAS and Stata, the question
// mark of Weka, and numbers that are not finite, which a graph cannot hold.
var missingWords = []string{
	"na", "n/a", "nan", "null", "none", "nil", "nat", `\n`, "<na>", "#na", "#n/a", "#n/a n/a", "-", "--", ".", "?",
	"-nan", "+nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity",
	"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "1.#inf", "-1.#inf",
}

// longestMissing is the length of the longest of missingWords.
const longestMissing = len("+infinity")

// IsMissing reports whether a text means, in any case of letters, that a number or a boolean is
// missing: NA, N/A, NaN, NULL, None, \N, a dot, a hyphen, a question mark and the like, and
// infinities. Where texts are expected, these are texts.
func IsMissing(text []byte) bool {
	if len(text) == 0 || len(text) > longestMissing {
		return false
	}
	var lower [longestMissing]byte
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return slices.Contains(missingWords, string(lower[:len(text)]))
}

// isNumber reports whether a text is a decimal number.
func isNumber(text []byte) bool {
	if !isDecimal(text) {
		return false
	}
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// leadingZero reports whether the integer part of a number begins with an unnecessary zero.
func leadingZero(value []byte) bool {
	if value[0] == '-' {
		value = value[1:]
	}
	return len(value) > 1 && value[0] == '0' && value[1] >= '0' && value[1] <= '9'
}

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
		return fmt.Sprintf("%s is no %s", excerpt.Of(value), t)
	}
	return ""
}

// isDecimal reports whether a text has the form of a decimal number, perhaps
// with an exponent. strconv alone would also take "inf", "0x1p3" and "1_000".
func isDecimal(text []byte) bool {
	digits := false
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.', c == 'e', c == 'E', c == '+', c == '-':
		default:
			return false
		}
	}
	return digits
}

// isDecimalComma reports whether a text is a number with one comma between digits, as in 0,5.
func isDecimalComma(text []byte) bool {
	whole, fraction, found := bytes.Cut(text, []byte(","))
	return found && isInteger(whole) && isInteger(fraction) && fraction[0] != '-'
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
