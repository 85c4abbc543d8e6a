package rows

import (
	"strconv"
	"strings"
)

// Untyped is the value of a parameter that is given as text without a type, such
// as one from a command line. Where a vertex key, a file name or a text is
// expected, the text itself is used, so that the keys 007 and 1e5 are found;
// elsewhere the text is read as a number or a boolean.
type Untyped string

// Infer parses the text as an int64, float64 or bool, and returns the text if it
// is none of them.
func (u Untyped) Infer() any {
	text := string(u)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	// ParseFloat also accepts words such as "nan" and "infinity".
	if strings.Trim(text, "+-.0123456789eE") == "" {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	}
	if truth := strings.ToLower(text); truth == "true" || truth == "false" {
		return truth == "true"
	}
	return text
}
