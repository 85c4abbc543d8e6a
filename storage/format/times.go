package format

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"heavytail/storage/format/internal/figure"
)

// ParseTime reads a timestamp as edge lists write it: an integer, which is returned unchanged, or
// with zeros behind a decimal point, or a date or date-time such as "2006-01-02" or "2006-01-02T15:04:05Z", which is converted
// to Unix seconds. dated reports whether it was a date; ok is false for any other text.
func ParseTime(text string) (t int64, dated, ok bool) {
	if text == "" {
		return 0, false, false
	}
	t, dated, cut, ok := figure.Time([]byte(text))
	return t, dated, ok && (dated || !cut)
}

// TimeUnits returns the names of the units of EdgeListOptions.TimeUnit.
func TimeUnits() []string { return figure.Units() }

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
	// The range of timestamps that can be written as dates: years 0 to 9999.
	firstDate, lastDate = -62_167_219_200, 253_402_300_799
)

// IsMidnight reports whether a timestamp in Unix seconds is the beginning of a day in UTC.
func IsMidnight(t int64) bool { return t%figure.DaySeconds == 0 }

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
