package cells

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
)

// Each is the number of bytes per item, or nil if there are no items.
func Each(bytes, n int64) rows.Value { return When(n != 0, float64(bytes)/float64(n)) }

// Span writes a range: one number if both bounds are equal.
func Span(least, most int) rows.Value {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// Property is a row of the DESCRIBE statements.
func Property(name string, value rows.Value) []rows.Value { return []rows.Value{name, value} }

// Essential returns the rows of a description whose properties are in a list, in which a name with a
// blank at its end stands for all that begin with it.
func Essential(table [][]rows.Value, properties ...string) [][]rows.Value {
	return slices.DeleteFunc(slices.Clone(table), func(row []rows.Value) bool {
		return !slices.ContainsFunc(properties, func(name string) bool {
			return row[0] == rows.Value(name) || strings.HasSuffix(name, " ") && strings.HasPrefix(row[0].(string), name)
		})
	})
}

// Timestamp writes a time as every statement shows it.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Joined joins names with commas; it returns nil if there are none.
func Joined(names []string) rows.Value { return When(len(names) > 0, strings.Join(names, ", ")) }

// Append appends values of attributes to a row of a table.
func Append(row []rows.Value, values []storage.Value) []rows.Value {
	for _, v := range values {
		row = append(row, CellOf(v))
	}
	return row
}

// TimeCell is the time of an edge as a cell: a number, or a text where the graph has
// dates.
func TimeCell(g storage.GraphInfo, t int64) rows.Value {
	if g.Times == format.TimeNumbers {
		return t
	}
	return string(g.Times.Append(nil, t))
}

// CellOf is a value of an attribute as a cell; nil where it is missing.
func CellOf(v storage.Value) rows.Value {
	switch v.Type() {
	case storage.Text:
		return v.Text()
	case storage.Integer:
		return v.Integer()
	case storage.Float:
		return v.Float()
	case storage.Boolean:
		return v.Boolean()
	}
	return nil
}

// When is a value as a cell, nil where it is not there.
func When(there bool, value rows.Value) rows.Value {
	if !there {
		return nil
	}
	return value
}

// Number is a float, or nil where it is not defined.
func Number(x float64) rows.Value { return When(!math.IsNaN(x), x) }

// TextOrNil is a text as a cell, nil where it is empty.
func TextOrNil(text string) rows.Value { return When(text != "", text) }

// Nullable is a float whose JSON is null if it is NaN, which JSON cannot express.
type Nullable float64

// MarshalJSON writes null for NaN.
func (x Nullable) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (x *Nullable) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Nullable(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}
