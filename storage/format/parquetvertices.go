package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

func (f *parquetFile) vertices(opts Options, h Handler) (stats ReadStats, err error) {
	names := f.names()
	stats.Header = strings.Join(names, ",")
	opts = opts.withDefaults()
	v := parquetVertices{parquetFile: f, h: h, stats: &stats, maxValue: opts.MaxValue}
	t := newTable(opts, h)
	key, doubt := t.keyColumn(names)
	if doubt == "" {
		doubt = t.choose(names, f.types(), key-1, opts.Columns)
	}
	if doubt != "" {
		return stats, &ParquetError{File: f.opts.Name, Reason: doubt, Kind: ErrSyntax}
	}
	if !keyKind(f.Columns()[key-1].Kind) {
		return stats, f.unfit(key-1, "the key of a vertex is a text or an integer; the option key chooses another column")
	}
	v.columns = []int{key - 1}
	for column, place := range t.place {
		if place < 0 {
			continue
		}
		if !heldKind(f.Columns()[column].Kind) {
			return stats, f.unfit(column, "no attribute can hold it; the option columns chooses which columns are taken")
		}
		v.columns = append(v.columns, column)
	}
	v.values, v.texts = make([][]byte, len(t.columns)), make([][]byte, len(t.columns))
	for i := range v.texts {
		v.texts[i] = []byte{} // not nil, so that an empty text differs from a missing value
	}
	if err := h.Columns(t.columns); err != nil {
		return stats, err
	}
	return stats, f.each(&stats, v.columns, v.row)
}

// heldKind reports whether the values of a kind can be those of an attribute: no lists and no
// records.
func heldKind(k columnfile.Kind) bool {
	return k != columnfile.Other && k != columnfile.FloatList && k != columnfile.TextList
}

// parquetVertices reads vertices from the rows of some columns, the first of which holds the
// keys.
type parquetVertices struct {
	*parquetFile
	h        Handler
	stats    *ReadStats
	maxValue int
	columns  []int // of the file
	scratch  []byte
	values   [][]byte // values of the current row
	texts    [][]byte // buffers of the values
}

func (f *parquetFile) types() []Type {
	var types []Type
	for _, c := range f.Columns() {
		t := Text // also for dates and timestamps
		switch c.Kind {
		case columnfile.Boolean:
			t = Boolean
		case columnfile.Integer, columnfile.Unsigned:
			t = Integer
		case columnfile.Float, columnfile.Double:
			t = Float
		}
		types = append(types, t)
	}
	return types
}

func (v *parquetVertices) row(rows columnfile.Rows) error {
	key, reason := v.key(rows, 0, v.columns[0], v.scratch[:0])
	if reason != "" {
		return v.bad(v.stats, v.columns[0], "%s", reason)
	}
	v.scratch = key
	for i := range v.values {
		v.values[i] = nil
		if rows.Missing(i + 1) {
			continue
		}
		text, there, reason := v.text(rows, i+1, v.columns[i+1], v.maxValue, v.texts[i][:0])
		if reason != "" {
			return v.bad(v.stats, v.columns[i+1], "%s", reason)
		}
		if v.texts[i] = text; there {
			v.values[i] = text
		}
	}
	v.stats.Vertices++
	return v.h.Vertex(key, v.values)
}

// text appends the value of a column as text, or returns the reason why no attribute can store
// it. NaN is a missing value, as in many programs that write Parquet.
func (f *parquetFile) text(rows columnfile.Rows, i, column, maxValue int, dst []byte) (text []byte, there bool, reason string) {
	switch kind := f.Columns()[column].Kind; kind {
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
		return time.Unix(rows.Integer(i)*daySeconds, 0).UTC().AppendFormat(dst, time.DateOnly), true, ""
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
	seconds := floorDiv(at, unit)
	return time.Unix(seconds, (at-seconds*unit)*(1e9/unit)).UTC().AppendFormat(dst, time.RFC3339Nano)
}
