package format_test

import (
	"math"
	"testing"

	"heavytail/storage/format"
)

func TestTimeForm_Append(t *testing.T) {
	for _, c := range []struct {
		t                     int64
		numbers, dates, clock string
	}{
		{0, "0", "1970-01-01", "1970-01-01T00:00:00Z"},
		{1709164800, "1709164800", "2024-02-29", "2024-02-29T00:00:00Z"},
		{1709164801, "1709164801", "2024-02-29T00:00:01Z", "2024-02-29T00:00:01Z"},
		{-1, "-1", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
		{-62_167_219_200, "-62167219200", "0000-01-01", "0000-01-01T00:00:00Z"},
		{-62_167_219_201, "-62167219201", "-62167219201", "-62167219201"},
		{253_402_300_799, "253402300799", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
		{253_402_300_800, "253402300800", "253402300800", "253402300800"},
		{math.MaxInt64, "9223372036854775807", "9223372036854775807", "9223372036854775807"},
	} {
		for form, want := range map[format.TimeForm]string{format.TimeNumbers: c.numbers, format.TimeDates: c.dates, format.TimeClocks: c.clock} {
			got := string(form.Append(nil, c.t))
			if back, _, ok := format.ParseTime(got); got != want || !ok || back != c.t {
				t.Errorf("%d as %v is %s, want %s; it reads as %d, %v", c.t, form, got, want, back, ok)
			}
		}
	}
}
