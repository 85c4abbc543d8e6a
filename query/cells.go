package query

import (
	"fmt"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
	"math"
	"strings"
	"time"
)

// each is the number of bytes per item, or nil if there are no items.
func each(bytes, n int64) rows.Value { return when(n != 0, float64(bytes)/float64(n)) }

// span writes a range: one number if both bounds are equal.
func span(least, most int) rows.Value {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func property(name string, value rows.Value) []rows.Value { return []rows.Value{name, value} }

// timestamp writes a time as every statement shows it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// joined joins names with commas; it returns nil if there are none.
func joined(names []string) rows.Value { return when(len(names) > 0, strings.Join(names, ", ")) }

// cells appends values of attributes to a row of a table.
func cells(row []rows.Value, values []storage.Value) []rows.Value {
	for _, v := range values {
		row = append(row, cellOf(v))
	}
	return row
}

// timeCell is the time of an edge as a cell: a number, or a text where the graph has
// dates.
func timeCell(g storage.GraphInfo, t int64) rows.Value {
	if g.Times == format.TimeNumbers {
		return t
	}
	return string(g.Times.Append(nil, t))
}

// cellOf is a value of an attribute as a cell; nil where it is missing.
func cellOf(v storage.Value) rows.Value {
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

// when is a value as a cell, nil where it is not there.
func when(there bool, value rows.Value) rows.Value {
	if !there {
		return nil
	}
	return value
}

// number is a float, or nil where it is not defined.
func number(x float64) rows.Value { return when(!math.IsNaN(x), x) }

// textOrNil is a text as a cell, nil where it is empty.
func textOrNil(text string) rows.Value { return when(text != "", text) }
