package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/query/rows"
)

// Any is a cell of a row or the value of a parameter: nil, string, int64, float64, bool, and in parameters
// also rows.Untyped and []float64. What JSON lacks is an object with one member: {"float": "NaN"}, {"base64": …}
// for a text that is not UTF-8, and {"untyped": "007"}.
type Any struct{ Value any }

// MarshalJSON writes the value.
func (a Any) MarshalJSON() ([]byte, error) { return AppendValue(nil, a.Value) }

// AppendValue appends a value as JSON.
func AppendValue(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return appendText(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case float64:
		return appendFloat(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case rows.Untyped:
		return append(appendText(append(dst, `{"untyped":`...), string(v)), '}'), nil
	case []float64:
		return appendVector(dst, v), nil
	case []float32:
		return appendVector(dst, v), nil
	}
	return dst, fmt.Errorf("a value of the Go type %T cannot be sent", value)
}

func appendVector[F float32 | float64](dst []byte, v []F) []byte {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendFloat(dst, float64(x))
	}
	return append(dst, ']')
}

// appendFloat writes the shortest number that is read as x, with a point or an exponent.
func appendFloat(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Appendf(dst, `{"float":"%v"}`, x)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, x, 'g', -1, 64)
	if !bytes.ContainsAny(dst[at:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendText quotes a text. Most need no escape.
func appendText(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			return appendEscaped(dst, text)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

func appendEscaped(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		return append(base64.StdEncoding.AppendEncode(append(dst, `{"base64":"`...), []byte(text)), `"}`...)
	}
	quoted, _ := json.Marshal(text) // no text is an error
	return append(dst, quoted...)
}

// UnmarshalJSON reads a value.
func (a *Any) UnmarshalJSON(text []byte) (err error) {
	switch text[0] { // encoding/json has checked that it is one value, without blanks around it
	case 'n':
		a.Value = nil
	case 't', 'f':
		a.Value = text[0] == 't'
	case '"':
		a.Value, err = textIn(text)
	case '[':
		a.Value, err = vectorIn(text)
	case '{':
		a.Value, err = wrappedIn(text)
	default:
		a.Value, err = numberIn(string(text))
	}
	return err
}

func textIn(quoted []byte) (any, error) {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var text string
	err := json.Unmarshal(quoted, &text)
	return text, err
}

func numberIn(text string) (any, error) {
	if strings.ContainsAny(text, ".eE") {
		return floatIn(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is no integer of 64 bits", text)
	}
	return n, nil
}

func floatIn(text string) (any, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is no number", text)
	}
	return x, nil
}

func vectorIn(text []byte) (any, error) {
	var vector []float64
	if err := json.Unmarshal(text, &vector); err != nil {
		return nil, fmt.Errorf("a list is a vector, of numbers only")
	}
	return vector, nil
}

// wrappedIn reads a value that is an object with one member.
func wrappedIn(text []byte) (any, error) {
	var object map[string]string
	if err := json.Unmarshal(text, &object); err != nil || len(object) != 1 {
		return nil, fmt.Errorf("an object that is a value has one member: untyped, float or base64")
	}
	for kind, inner := range object {
		switch kind {
		case "untyped":
			return rows.Untyped(inner), nil
		case "float":
			return floatIn(inner)
		case "base64":
			decoded, err := base64.StdEncoding.DecodeString(inner)
			return string(decoded), err
		}
	}
	return nil, fmt.Errorf("an object that is a value has the member untyped, float or base64")
}

// AppendRow appends a row: an array of its values, or with names an object with them.
func AppendRow(dst []byte, names []string, row []rows.Value) ([]byte, error) {
	open, closed := byte('['), byte(']')
	if names != nil {
		open, closed = '{', '}'
	}
	dst = append(dst, open)
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		if names != nil {
			dst = append(appendText(dst, names[i]), ':')
		}
		var err error
		if dst, err = AppendValue(dst, v); err != nil {
			return dst, err
		}
	}
	return append(dst, closed), nil
}

// Row is a row as programs have it.
func Row(values []Any) []rows.Value {
	row := make([]rows.Value, len(values))
	for i, v := range values {
		row[i] = v.Value
	}
	return row
}
