package repl

import (
	"fmt"
	"math"
	"strconv"

	"heavytail/query/parser"
	"heavytail/query/rows"
)

// appendExact appends a value as text from which it can be read back; nothing
// for nil.
func appendExact(dst []byte, v rows.Value) []byte {
	switch v := v.(type) {
	case nil:
		return dst
	case string:
		return append(dst, v...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return appendFloat(dst, v)
	default:
		return fmt.Append(dst, v)
	}
}

// appendFloat appends the shortest digits that read back as x, with an exponent
// only if it is very small or large, as in the JSON of most languages.
func appendFloat(dst []byte, x float64) []byte {
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// appendShown is appendExact for a terminal, with control characters escaped.
func appendShown(dst []byte, v rows.Value, terminal bool) []byte {
	if text, ok := v.(string); ok && terminal {
		v = parser.Escape(text)
	}
	return appendExact(dst, v)
}

// shortText writes a value for people: on one line, safe to print, and floats
// with six significant digits, about the precision of float32 vectors.
func shortText(v rows.Value) string {
	switch v := v.(type) {
	case string:
		return parser.Escape(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	default:
		return parser.Escape(string(appendExact(nil, v)))
	}
}
