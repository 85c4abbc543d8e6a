package entries

import (
	"time"

	"heavytail/query/fault"
)

// Duration reads a positive time such as '90s', '10m' or '1h30m'.
func Duration(at fault.Part, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fault.New(at, "%s is not a time", fault.QuoteKey(text)).WithExpected("a time such as '90s', '10m' or '2h'")
	}
	return d, nil
}
