package figure

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/internal/excerpt"
)

// Weight reads a positive decimal number that is finite as a float32.
func Weight(text []byte) (weight float64, ok bool) {
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

// WeightFault says what is wrong with a text that is no weight.
func WeightFault(text []byte) string {
	if decimal.HasComma(text) {
		return fmt.Sprintf("weight %s has a decimal comma; write a point", excerpt.Of(text))
	}
	return fmt.Sprintf("weight %s is not a positive decimal number that a float32 can hold", excerpt.Of(text))
}

// Time reads a number, or a date or date-time of RFC 3339 as Unix seconds. cut reports that it
// has a fraction, which is left out. The text is not empty.
func Time(text []byte) (t int64, dated, cut, ok bool) {
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

// Units returns the names of the units that times in numbers can have.
func Units() []string { return []string{"s", "ms", "us", "ns"} }

// PerSecond returns how many of a unit of Units make a second, and 0 if times are numbers.
func PerSecond(unit string) int64 {
	i := slices.Index(Units(), unit)
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

// Measures are the weight and the time of an edge.
type Measures struct {
	Weight   float64 // 1 where none was given
	Time     int64   // 0 where none was given
	Weighted bool    // a weight was given
	Timed    bool    // a time was given
	Dated    bool    // the time was given as a date; Time is in Unix seconds
	Cut      bool    // the time had a fraction, which is left out
}

// Read sets what the fields of a line have, by their roles; an empty field leaves what is there. If one of
// them is malformed, it returns its role and a function that gives the reason.
func (m *Measures) Read(field *[delimited.Roles][]byte) (bad delimited.Role, reason func() string) {
	if text := field[delimited.Weight]; len(text) > 0 {
		if m.Weight, m.Weighted = Weight(text); !m.Weighted {
			m.Weight = 1
			return delimited.Weight, func() string { return WeightFault(text) }
		}
	}
	if text := field[delimited.Time]; len(text) > 0 {
		if m.Time, m.Dated, m.Cut, m.Timed = Time(text); !m.Timed {
			return delimited.Time, func() string { return TimeFault(text) }
		}
	}
	return delimited.Ignored, nil
}

// InSeconds makes a date of a time that is a number of units, of which so many make a second; 0 leaves it.
func (m *Measures) InSeconds(perSecond int64) {
	if perSecond == 0 || !m.Timed || m.Dated {
		return
	}
	t := m.Time / perSecond
	if rest := m.Time % perSecond; rest != 0 {
		m.Cut = true
		if rest < 0 {
			t--
		}
	}
	m.Time, m.Dated = t, true
}

// TimeFault says what is wrong with a text that is no time.
func TimeFault(text []byte) string {
	return fmt.Sprintf("time %s is neither an integer of 64 bits nor a date such as 2006-01-02 or 2006-01-02T15:04:05Z", excerpt.Of(text))
}

// DaySeconds is the number of seconds of a day.
const DaySeconds = 24 * 60 * 60

// Is reports whether a field is a number or a date.
func Is(field string) bool {
	text := []byte(field)
	if _, _, date := parseDate(text); date {
		return true
	}
	return decimal.IsNumber(text) || decimal.HasComma(text)
}
