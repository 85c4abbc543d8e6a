package decimal

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
)

// MissingWords are the words, in lower case, that programs write where a number is missing: those
// that pandas reads so, R's NA, SQL's NULL, Postgres' \N, the dot of SAS and Stata, the question
// mark of Weka, and numbers that are not finite, which a graph cannot hold.
var MissingWords = []string{
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
	return slices.Contains(MissingWords, string(lower[:len(text)]))
}

// IsNumber reports whether a text is a decimal number.
func IsNumber(text []byte) bool {
	if !Is(text) {
		return false
	}
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// LeadingZero reports whether the integer part of a number begins with an unnecessary zero.
func LeadingZero(value []byte) bool {
	if value[0] == '-' {
		value = value[1:]
	}
	return len(value) > 1 && value[0] == '0' && value[1] >= '0' && value[1] <= '9'
}

// Is reports whether a text has the form of a decimal number, perhaps
// with an exponent. strconv alone would also take "inf", "0x1p3" and "1_000".
func Is(text []byte) bool {
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

// HasComma reports whether a text is a number with one comma between digits, as in 0,5.
func HasComma(text []byte) bool {
	whole, fraction, found := bytes.Cut(text, []byte(","))
	return found && IsInteger(whole) && IsInteger(fraction) && fraction[0] != '-'
}

// IsFinite reports whether a text is a decimal number that a float64 can hold.
func IsFinite(text []byte) bool {
	x, err := strconv.ParseFloat(string(text), 64)
	return err == nil && !math.IsInf(x, 0) && Is(text)
}

// IsInteger reports whether a field is a decimal integer, perhaps negative.
func IsInteger(field []byte) bool {
	if len(field) > 1 && field[0] == '-' {
		field = field[1:]
	}
	for _, c := range field {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(field) > 0
}

// Count reads a decimal integer without a sign, as a counts header has them.
func Count(field []byte) (int64, bool) {
	const digits = 18 // the most that always fit
	if len(field) == 0 || len(field) > digits {
		return 0, false
	}
	var n int64
	for _, c := range field {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// Counts reads two numbers as parseCount does. Without both it returns zeros.
func Counts(a, b []byte) (n, m int64, ok bool) {
	n, okN := Count(a)
	m, okM := Count(b)
	if !okN || !okM {
		return 0, 0, false
	}
	return n, m, true
}

// Canonical returns the one form of a number in JSON: 2.0 and 2e0 are 2.
func Canonical(text string) string {
	if IsInteger([]byte(text)) && text != "-0" {
		return text
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return text
	case x == math.Trunc(x) && math.Abs(x) < 1<<53:
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
