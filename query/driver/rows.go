package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"reflect"

	"heavytail/query"
	"heavytail/storage"
)

type rows struct {
	ctx  context.Context // of the statement
	from *query.Rows
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

func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return kindOf(r.column(i).Type).name }

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	c := r.column(i)
	if c.NotNull {
		return kindOf(c.Type).plain
	}
	return kindOf(c.Type).orNull
}

func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return !r.column(i).NotNull, true }

func (r *rows) column(i int) query.ColumnType { return r.from.ColumnTypes()[i] }

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
