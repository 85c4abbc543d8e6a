package format

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// parseWeight reads a positive decimal number that is finite as a float32.
func parseWeight(text []byte) (weight float64, ok bool) {
	if !isDecimal(text) {
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

func weightFault(text []byte) string {
	return fmt.Sprintf("weight %s is not a positive decimal number that a float32 can hold", excerpt(text))
}

// ParseTime reads a timestamp as edge lists write it: an integer, which is returned unchanged,
// or a date or date-time such as "2006-01-02" or "2006-01-02T15:04:05Z", which is converted to
// Unix seconds. dated reports whether it was a date; ok is false for any other text.
func ParseTime(text string) (t int64, dated, ok bool) {
	if text == "" {
		return 0, false, false
	}
	return parseTime([]byte(text))
}

// parseTime reads an integer, or a date or date-time of RFC 3339 as Unix seconds.
func parseTime(text []byte) (t int64, dated, ok bool) {
	if isInteger(text) || text[0] == '+' {
		t, err := strconv.ParseInt(string(text), 10, 64)
		return t, false, err == nil && t != math.MinInt64 // MinInt64 means "no time" in graphs
	}
	t, ok = parseDate(text)
	return t, ok, ok
}

// parseDate reads "2006-01-02" or "2006-01-02T15:04:05Z". A space may replace the T, and the
// time may have an offset; without Z or offset it is UTC. Fractions of a second are rounded
// down.
func parseDate(text []byte) (t int64, ok bool) {
	const shortest, longest = len("2006-01-02"), 64
	if len(text) < shortest || len(text) > longest {
		return 0, false
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.DateTime} {
		if date, err := time.Parse(layout, string(text)); err == nil {
			return date.Unix(), true
		}
	}
	return 0, false
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
	return fmt.Sprintf("time %s is neither an integer of 64 bits nor a date such as 2006-01-02 or 2006-01-02T15:04:05Z", excerpt(text))
}
