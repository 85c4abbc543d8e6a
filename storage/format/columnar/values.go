package columnar

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/internal/excerpt"
)

func keyKind(k columnfile.Kind) bool {
	return k == columnfile.Text || k == columnfile.Integer || k == columnfile.Unsigned
}

func numberKind(k columnfile.Kind) bool {
	return k == columnfile.Float || k == columnfile.Double || k == columnfile.Integer || k == columnfile.Unsigned
}

func timeKind(k columnfile.Kind) bool {
	return k == columnfile.Integer || k == columnfile.Text || k == columnfile.Days || stampUnit(k) > 0
}

// stampUnit returns the number of a timestamp's units per second; 0 for other kinds.
func stampUnit(k columnfile.Kind) int64 {
	switch k {
	case columnfile.Millis:
		return 1e3
	case columnfile.Micros:
		return 1e6
	case columnfile.Nanos:
		return 1e9
	}
	return 0
}

// key appends a key as text, or returns the reason why the value is not a key.
func (f *File) key(rows columnfile.Rows, i, column int, dst []byte) (key []byte, reason string) {
	if rows.Missing(i) {
		return dst, "the key is missing"
	}
	switch f.file.Columns()[column].Kind {
	case columnfile.Text:
		dst = append(dst, rows.Text(i)...)
	case columnfile.Unsigned:
		dst = strconv.AppendUint(dst, uint64(rows.Integer(i)), 10)
	default:
		dst = strconv.AppendInt(dst, rows.Integer(i), 10)
	}
	if len(dst) > f.opts.MaxKey {
		return dst, fmt.Sprintf("key %s has %d bytes, the limit is %d", excerpt.Of(dst), len(dst), f.opts.MaxKey)
	}
	if f := fault.OfEncoding(dst); len(dst) == 0 || f.Found() {
		return dst, "key " + excerpt.Of(dst) + " is empty, not UTF-8, or has a NUL"
	}
	return dst, ""
}

// heldKind reports whether the values of a kind can be those of an attribute: no lists and no
// records.
func heldKind(k columnfile.Kind) bool {
	return k != columnfile.Other && !k.IsList()
}

func (f *File) types() []format.Type {
	var types []format.Type
	for _, c := range f.file.Columns() {
		t := format.Text // also for dates and timestamps
		switch c.Kind {
		case columnfile.Boolean:
			t = format.Boolean
		case columnfile.Integer, columnfile.Unsigned:
			t = format.Integer
		case columnfile.Float, columnfile.Double:
			t = format.Float
		}
		types = append(types, t)
	}
	return types
}

// text appends the value of a column as text, or returns the reason why no attribute can store
// it. NaN is a missing value, as in many programs that write such files.
func (f *File) text(rows columnfile.Rows, i, column, maxValue int, dst []byte) (text []byte, there bool, reason string) {
	switch kind := f.file.Columns()[column].Kind; kind {
	case columnfile.Boolean:
		return strconv.AppendBool(dst, rows.Integer(i) != 0), true, ""
	case columnfile.Integer:
		return strconv.AppendInt(dst, rows.Integer(i), 10), true, ""
	case columnfile.Unsigned:
		if rows.Integer(i) < 0 {
			return dst, false, fmt.Sprintf("%d is above the greatest integer, %d", uint64(rows.Integer(i)), int64(math.MaxInt64))
		}
		return strconv.AppendInt(dst, rows.Integer(i), 10), true, ""
	case columnfile.Float, columnfile.Double:
		x := rows.Double(i)
		if math.IsInf(x, 0) {
			return dst, false, "the value is not finite"
		}
		if dst = strconv.AppendFloat(dst, x, 'g', -1, 64); decimal.IsInteger(dst) {
			dst = append(dst, ".0"...) // the form in which the other readers return a float
		}
		return dst, !math.IsNaN(x), ""
	case columnfile.Days:
		return time.Unix(rows.Integer(i)*figure.DaySeconds, 0).UTC().AppendFormat(dst, time.DateOnly), true, ""
	case columnfile.Millis, columnfile.Micros, columnfile.Nanos:
		return appendStamp(dst, rows.Integer(i), stampUnit(kind)), true, ""
	}
	dst = append(dst, rows.Text(i)...)
	if len(dst) > maxValue {
		return dst, false, fmt.Sprintf("value %s has %d bytes, the limit is %d", excerpt.Of(dst), len(dst), maxValue)
	}
	if f := fault.OfEncoding(dst); f.Found() {
		return dst, false, "value " + excerpt.Of(dst) + " is not UTF-8, or has a NUL"
	}
	return dst, true, ""
}

// appendStamp appends a timestamp in the form of RFC 3339.
func appendStamp(dst []byte, at, unit int64) []byte {
	seconds := columnfile.FloorDiv(at, unit)
	return time.Unix(seconds, (at-seconds*unit)*(1e9/unit)).UTC().AppendFormat(dst, time.RFC3339Nano)
}

// values are those of the current row in some columns.
type values struct {
	columns []int    // of the file
	most    int      // bytes of a value
	row     [][]byte // a missing value is nil
	texts   [][]byte // buffers of the values
}

// begin makes room for the values of the columns.
func (v *values) begin() {
	v.row, v.texts = make([][]byte, len(v.columns)), make([][]byte, len(v.columns))
	for i := range v.texts {
		v.texts[i] = []byte{} // not nil, so that an empty text differs from a missing value
	}
}

// read takes the values of a row, of which the first is at a place among the columns of the row. reason says why no
// attribute can store that of a column.
func (v *values) read(f *File, rows columnfile.Rows, first int) (column int, reason string) {
	for i, column := range v.columns {
		v.row[i] = nil
		if rows.Missing(first + i) {
			continue
		}
		text, there, reason := f.text(rows, first+i, column, v.most, v.texts[i][:0])
		if reason != "" {
			return column, reason
		}
		if v.texts[i] = text; there {
			v.row[i] = text
		}
	}
	return 0, ""
}
