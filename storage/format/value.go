package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
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

// cutType separates the type from a name such as "zip:text".
func cutType(name string) (string, Type) {
	i := strings.LastIndexByte(name, ':')
	if i <= 0 {
		return name, Untyped
	}
	switch t := Type(name[i+1:]); t {
	case Text, Integer, Float, Boolean:
		return name[:i], t
	}
	return name, Untyped
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

// parseWeight reads a positive decimal number that is finite as a float32.
func parseWeight(text []byte) (weight float64, ok bool) {
	if !decimal.Is(text) {
		return 0, false
	}
	// The string is not allocated on the heap, since ParseFloat does not keep it.
	weight, err := strconv.ParseFloat(string(text), 64)
	held := float32(weight)
	if err != nil || held <= 0 || math.IsInf(float64(held), 0) {
		return 0, false
	}
	return weight, true
}

func weightFault(text []byte) string {
	if decimal.HasComma(text) {
		return fmt.Sprintf("weight %s has a decimal comma; write a point", excerpt.Of(text))
	}
	return fmt.Sprintf("weight %s is not a positive decimal number that a float32 can hold", excerpt.Of(text))
}

// ParseTime reads a timestamp as edge lists write it: an integer, which is returned unchanged, or
// with zeros behind a decimal point, or a date or date-time such as "2006-01-02" or "2006-01-02T15:04:05Z", which is converted
// to Unix seconds. dated reports whether it was a date; ok is false for any other text.
func ParseTime(text string) (t int64, dated, ok bool) {
	if text == "" {
		return 0, false, false
	}
	t, dated, cut, ok := parseTime([]byte(text))
	return t, dated, ok && (dated || !cut)
}

// parseTime reads a number, or a date or date-time of RFC 3339 as Unix seconds. cut reports that it
// has a fraction, which is left out.
func parseTime(text []byte) (t int64, dated, cut, ok bool) {
	if decimal.IsInteger(text) || text[0] == '+' {
		t, err := strconv.ParseInt(string(text), 10, 64)
		return t, false, false, err == nil && t != math.MinInt64 // MinInt64 means "no time" in graphs
	}
	if decimal.Is(text) {
		if t, cut, ok = parseDecimalTime(text); ok {
			return t, false, cut, true
		}
	}
	t, cut, ok = parseDate(text)
	return t, ok, cut, ok
}

// parseDecimalTime reads a time with a decimal point or an exponent, such as 1217567877.0, and
// rounds it down.
func parseDecimalTime(text []byte) (t int64, cut, ok bool) {
	if whole, fraction, _ := bytes.Cut(text, []byte(".")); decimal.IsInteger(whole) && (len(fraction) == 0 || decimal.IsInteger(fraction) && fraction[0] != '-') {
		t, err := strconv.ParseInt(string(whole), 10, 64)
		if cut = len(bytes.Trim(fraction, "0")) > 0; cut && whole[0] == '-' {
			t--
		}
		return t, cut, err == nil && t > math.MinInt64+1
	}
	x, err := strconv.ParseFloat(string(text), 64)
	const exact = 1 << 53 // beyond it a float64 does not hold each integer
	if err != nil || math.Abs(x) > exact {
		return 0, false, false
	}
	return int64(math.Floor(x)), x != math.Floor(x), true
}

// TimeUnits returns the names of the units of EdgeListOptions.TimeUnit.
func TimeUnits() []string { return []string{"s", "ms", "us", "ns"} }

// unitsPerSecond returns how many of a unit of TimeUnits make a second, and 0 if times are numbers.
func unitsPerSecond(unit string) int64 {
	i := slices.Index(TimeUnits(), unit)
	if i < 0 {
		return 0
	}
	per := int64(1)
	for range i {
		per *= 1000
	}
	return per
}

// parseDate reads "2006-01-02" or "2006-01-02T15:04:05Z". A space may replace the T, and the
// time may have an offset; without Z or offset it is UTC. cut reports that it has a fraction of a
// second, which is rounded down.
func parseDate(text []byte) (t int64, cut, ok bool) {
	const shortest, longest = len("2006-01-02"), 64
	if len(text) < shortest || len(text) > longest {
		return 0, false, false
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime} {
		if date, err := time.Parse(layout, string(text)); err == nil {
			return date.Unix(), date.Nanosecond() != 0, true
		}
	}
	return 0, false, false
}

// measure sets the weight and the time of an edge, which may be missing. If one of them is
// malformed, it returns its role and a function that gives the reason.
func measure(edge *Edge, field *[delimited.Roles][]byte) (bad delimited.Role, reason func() string) {
	if text := field[delimited.Weight]; len(text) > 0 {
		if edge.Weight, edge.Weighted = parseWeight(text); !edge.Weighted {
			edge.Weight = 1
			return delimited.Weight, func() string { return weightFault(text) }
		}
	}
	if text := field[delimited.Time]; len(text) > 0 {
		if edge.Time, edge.Dated, edge.cut, edge.Timed = parseTime(text); !edge.Timed {
			return delimited.Time, func() string { return timeFault(text) }
		}
	}
	return delimited.Ignored, nil
}

// measure does the same, and takes words such as NA for missing weights and times, with a remark.
func (s *ReadStats) measure(edge *Edge, field *[delimited.Roles][]byte, line int64) (bad delimited.Role, reason func() string) {
	for {
		bad, reason = measure(edge, field)
		if bad == delimited.Ignored || !IsMissing(field[bad]) {
			return bad, reason
		}
		s.remark(bad.String()+"s taken as missing", string(field[bad]), line, "")
		field[bad] = nil
	}
}

// TimeForm is how timestamps are written.
type TimeForm uint8

const (
	// TimeNumbers writes timestamps as they are.
	TimeNumbers TimeForm = iota
	// TimeDates treats timestamps as Unix seconds and writes dates in UTC such as "2006-01-02",
	// or date-times for those that are not at midnight.
	TimeDates
	// TimeClocks treats timestamps as Unix seconds and writes date-times in UTC such as
	// "2006-01-02T15:04:05Z".
	TimeClocks
)

// MarshalJSON writes the name of the form. It is not a MarshalText because that would also
// change the records of the store, which hold the number.
func (f TimeForm) MarshalJSON() ([]byte, error) { return json.Marshal(f.String()) }

// UnmarshalJSON reads what MarshalJSON has written.
func (f *TimeForm) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	for *f = TimeNumbers; *f <= TimeClocks; *f++ {
		if f.String() == name {
			return nil
		}
	}
	return fmt.Errorf("unknown form of times %q", name)
}

// String names the form in words.
func (f TimeForm) String() string {
	switch f {
	case TimeDates:
		return "dates"
	case TimeClocks:
		return "dates and times of day"
	}
	return "numbers"
}

const (
	daySeconds = 24 * 60 * 60
	// The range of timestamps that can be written as dates: years 0 to 9999.
	firstDate, lastDate = -62_167_219_200, 253_402_300_799
)

// IsMidnight reports whether a timestamp in Unix seconds is the beginning of a day in UTC.
func IsMidnight(t int64) bool { return t%daySeconds == 0 }

// Append appends a timestamp in a form that ParseTime reads back. A timestamp outside the years
// 0 to 9999 is written as a number.
func (f TimeForm) Append(dst []byte, t int64) []byte {
	switch {
	case f == TimeNumbers || t < firstDate || t > lastDate:
		return strconv.AppendInt(dst, t, 10)
	case f == TimeDates && IsMidnight(t):
		return time.Unix(t, 0).UTC().AppendFormat(dst, time.DateOnly)
	}
	return time.Unix(t, 0).UTC().AppendFormat(dst, time.RFC3339)
}

func timeFault(text []byte) string {
	return fmt.Sprintf("time %s is neither an integer of 64 bits nor a date such as 2006-01-02 or 2006-01-02T15:04:05Z", excerpt.Of(text))
}

// isFigure reports whether a field is a number or a date.
func isFigure(field string) bool {
	text := []byte(field)
	if _, _, date := parseDate(text); date {
		return true
	}
	return decimal.IsNumber(text) || decimal.HasComma(text)
}

// HasUnseen reports whether a key has a blank at an end, a control character, or another character that
// takes no place: a key without it is another one and looks the same.
func HasUnseen(key []byte) bool {
	for _, c := range key {
		if c <= ' ' || c >= 0x7f {
			return hasUnseen(key)
		}
	}
	return false
}

func hasUnseen(key []byte) bool {
	if len(bytes.TrimFunc(key, unicode.IsSpace)) < len(key) {
		return true
	}
	return bytes.ContainsFunc(key, func(c rune) bool {
		joiner := c == '\u200c' || c == '\u200d' // parts of words in some scripts, and of emoji
		return (unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' || unicode.Is(unicode.Cf, c)) && !joiner
	})
}
