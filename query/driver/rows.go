package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"reflect"
	"slices"

	"heavytail/query"
)

// lookAhead is the number of rows that are read to find the types of columns. It
// covers every answer that people read; more would delay the first row of a stream.
const lookAhead = 1000

// rows are the rows of a statement.
type rows struct {
	ctx   context.Context // of the statement
	from  *query.Rows
	ahead [][]any // rows that were read for the types and are still to be returned
	types []columnType
	known bool // the types are known
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
)

func (r *rows) Columns() []string { return r.from.Columns() }

func (r *rows) Close() error { return r.from.Close() }

// Next checks the context, since most rows are in memory before the first is read.
func (r *rows) Next(dest []driver.Value) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if len(r.ahead) > 0 {
		copyRow(dest, r.ahead[0])
		r.ahead = r.ahead[1:]
		return nil
	}
	if r.from.Next() {
		copyRow(dest, r.from.Row())
		return nil
	}
	if err := r.from.Err(); err != nil {
		return err
	}
	return io.EOF
}

func copyRow(dest []driver.Value, row []any) {
	for i, value := range row {
		dest[i] = value
	}
}

func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return r.column(i).kind.name }

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	c := r.column(i)
	if c.null || c.open {
		return c.kind.orNull
	}
	return c.kind.plain
}

func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	c := r.column(i)
	return c.null, c.null || !c.open
}

// columnType is the type of the values that a column has in the rows that were read.
type columnType struct {
	kind *kind
	null bool // a row has NULL
	open bool // there may be more rows
}

// column returns a column's type. The first call reads rows; an error of reading
// them is returned when the row after them is read.
func (r *rows) column(i int) columnType {
	if !r.known {
		r.known = true
		r.types = make([]columnType, len(r.Columns()))
		more := false
		for !more && r.from.Next() {
			r.ahead = append(r.ahead, slices.Clone(r.from.Row()))
			more = len(r.ahead) == lookAhead
		}
		for i := range r.types {
			r.types[i] = typeOf(r.ahead, i)
			r.types[i].open = more || r.from.Err() != nil
		}
	}
	return r.types[i]
}

// typeOf finds the type of a column by its values.
func typeOf(rows [][]any, i int) columnType {
	var c columnType
	for _, row := range rows {
		var k *kind
		switch row[i].(type) {
		case nil:
			c.null = true
			continue
		case string:
			k = text
		case int64:
			k = integer
		case float64:
			k = float
		case bool:
			k = boolean
		default:
			k = several
		}
		c.kind = c.kind.with(k)
	}
	if c.kind == nil {
		c.kind = several
	}
	return c
}

// kind is a type of values.
type kind struct {
	name          string
	plain, orNull reflect.Type
}

var (
	text    = &kind{"TEXT", reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()}
	integer = &kind{"INTEGER", reflect.TypeFor[int64](), reflect.TypeFor[sql.NullInt64]()}
	float   = &kind{"FLOAT", reflect.TypeFor[float64](), reflect.TypeFor[sql.NullFloat64]()}
	boolean = &kind{"BOOLEAN", reflect.TypeFor[bool](), reflect.TypeFor[sql.NullBool]()}
	several = &kind{"ANY", reflect.TypeFor[any](), reflect.TypeFor[any]()}
)

// with returns the type of a column with values of both kinds; a nil kind means no
// values.
func (k *kind) with(other *kind) *kind {
	numbers := k == integer && other == float || k == float && other == integer
	switch {
	case k == nil || k == other:
		return other
	case numbers:
		return float
	}
	return several
}
