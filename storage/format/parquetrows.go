package format

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/internal/excerpt"
)

// ParquetRows writes rows of any values as Parquet. The types of columns that have none follow
// from the first rows: 64-bit integers, 64-bit floats if all values are numbers and some are
// floats, booleans, and otherwise texts. A column without any value in these rows has type text.
// Any value may be missing. ParquetRows holds the first rows in memory, unless all columns have
// types, and later one row group.
type ParquetRows struct {
	out     io.Writer
	columns []columnfile.Column
	types   []Type // Untyped where it follows from the first rows
	notes   []Note
	first   [][]any
	w       columnfile.Writer // nil while the first rows are collected
}

// typedRows is the number of rows that decide the types of the columns. A column with that many
// missing values at the beginning rarely contains numbers later.
const typedRows = 10_000

// NewParquetRows begins a file with columns of these names, which must be distinct, and of these
// types; nil types are all Untyped. With types, the columns do not depend on the rows, so that
// files of different rows, or of none, have the same ones.
func NewParquetRows(out io.Writer, names []string, types []Type, notes []Note) *ParquetRows {
	p := &ParquetRows{out: out, types: types, notes: notes}
	if types == nil {
		p.types = make([]Type, len(names))
	}
	for _, name := range names {
		p.columns = append(p.columns, columnfile.Column{Name: name, Optional: true})
	}
	if !slices.Contains(p.types, Untyped) {
		p.begin() // without rows it cannot fail
	}
	return p
}

// Row writes a row of strings, int64, float64, bool, and nil for missing values; values of
// other types are written as fmt prints them. A value that does not fit its column's type, once
// that is decided, gives an error that wraps ErrValue.
func (p *ParquetRows) Row(values []any) error {
	if p.w != nil {
		return p.put(values)
	}
	p.first = append(p.first, slices.Clone(values))
	if len(p.first) < typedRows {
		return nil
	}
	return p.begin()
}

// Close writes the remaining rows and the footer.
func (p *ParquetRows) Close() error {
	if p.w == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	return p.w.Close()
}

// begin decides the types, and writes the first rows.
func (p *ParquetRows) begin() error {
	for i := range p.columns {
		t := p.types[i]
		if t == Untyped {
			for _, row := range p.first {
				t = t.Or(typeOfValue(row[i]))
			}
		}
		p.columns[i].Kind = columnKind(typeOr(t))
	}
	p.w = columnfile.NewWriter(p.out, p.columns, entries(p.notes), columnfile.WriteOptions{})
	for _, row := range p.first {
		if err := p.put(row); err != nil {
			return err
		}
	}
	p.first = nil
	return nil
}

func typeOfValue(v any) Type {
	switch v.(type) {
	case nil:
		return Untyped
	case int64:
		return Integer
	case float64:
		return Float
	case bool:
		return Boolean
	}
	return Text
}

// put writes a row of columns whose types are known.
func (p *ParquetRows) put(values []any) error {
	for i, value := range values {
		switch v := value.(type) {
		case nil:
			continue
		case int64:
			if p.columns[i].Kind == columnfile.Integer {
				p.w.Integer(i, v)
				continue
			}
			if p.columns[i].Kind == columnfile.Double {
				p.w.Double(i, float64(v))
				continue
			}
		case float64:
			if p.columns[i].Kind == columnfile.Double {
				p.w.Double(i, v)
				continue
			}
		case bool:
			if p.columns[i].Kind == columnfile.Boolean {
				p.w.Boolean(i, v)
				continue
			}
		}
		if p.columns[i].Kind != columnfile.Text {
			return fmt.Errorf("write Parquet: column %s: %w: %s comes after values of the type %s", excerpt.Of([]byte(p.columns[i].Name)), ErrValue, excerpt.Of(fmt.Append(nil, value)), p.columns[i].Kind)
		}
		p.w.Text(i, appendValue(nil, value))
	}
	return p.w.EndRow()
}

// appendValue appends a value as text from which it can be read back.
func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(dst, v...)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	return fmt.Append(dst, value)
}
