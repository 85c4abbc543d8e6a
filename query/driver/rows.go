package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"reflect"

	"heavytail/query/rows"
	"heavytail/storage"
)

type cursor struct {
	ctx  context.Context // of the statement
	from *rows.Rows
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*cursor)(nil)
	_ driver.RowsColumnTypeScanType         = (*cursor)(nil)
	_ driver.RowsColumnTypeNullable         = (*cursor)(nil)
)

func (r *cursor) Columns() []string { return r.from.Columns() }

func (r *cursor) Close() error { return r.from.Close() }

// Next checks the context, since most rows are in memory before the first is read.
func (r *cursor) Next(dest []driver.Value) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.from.Next() {
		for i, value := range r.from.Row() {
			dest[i] = value
		}
		return nil
	}
	if err := r.from.Err(); err != nil {
		return err
	}
	return io.EOF
}

func (r *cursor) ColumnTypeDatabaseTypeName(i int) string { return kindOf(r.column(i).Type).name }

func (r *cursor) ColumnTypeScanType(i int) reflect.Type {
	c := r.column(i)
	if c.NotNull {
		return kindOf(c.Type).plain
	}
	return kindOf(c.Type).orNull
}

func (r *cursor) ColumnTypeNullable(i int) (nullable, ok bool) { return !r.column(i).NotNull, true }

func (r *cursor) column(i int) rows.ColumnType { return r.from.ColumnTypes()[i] }

// kind is how database/sql describes a type of values.
type kind struct {
	name          string
	plain, orNull reflect.Type
}

func kindOf(t storage.Type) kind {
	switch t {
	case storage.Text:
		return kind{"TEXT", reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()}
	case storage.Integer:
		return kind{"INTEGER", reflect.TypeFor[int64](), reflect.TypeFor[sql.NullInt64]()}
	case storage.Float:
		return kind{"FLOAT", reflect.TypeFor[float64](), reflect.TypeFor[sql.NullFloat64]()}
	case storage.Boolean:
		return kind{"BOOLEAN", reflect.TypeFor[bool](), reflect.TypeFor[sql.NullBool]()}
	}
	return kind{"ANY", reflect.TypeFor[any](), reflect.TypeFor[any]()}
}
