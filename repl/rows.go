package repl

import (
	"context"
	"errors"
	"slices"

	"heavytail/query"
	"heavytail/query/rows"
)

// Database is the file that statements work on: a *query.DB, or the client of a server that has the file
// open (*remote.DB).
type Database interface {
	// Execute runs a statement, as query.DB.Execute does.
	Execute(context.Context, query.Request) (*rows.Rows, error)
	// Path returns the path of the file.
	Path() string
}

// local is the database of this process, for what has no statement.
func local(db Database) (*query.DB, error) {
	if own, ok := db.(*query.DB); ok {
		return own, nil
	}
	return nil, errors.New("another process serves the file, and answers statements only")
}

// executor runs one statement. Tests have their own.
type executor func(context.Context, query.Request) (tabular, error)

func executorOf(db Database) executor {
	return func(ctx context.Context, r query.Request) (tabular, error) { return rowsOf(db.Execute(ctx, r)) }
}

func rowsOf(r *rows.Rows, err error) (tabular, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// tabular is what the package needs of rows.Rows.
type tabular interface {
	Columns() []string
	ColumnTypes() []rows.ColumnType
	Next() bool
	Row() []rows.Value
	Err() error
	Notices() []rows.Notice
	Close() error
}

var _ tabular = (*rows.Rows)(nil)

// table is a result that a command creates.
type table struct {
	columns []string
	lines   [][]rows.Value
	at      int
}

func (t *table) Columns() []string { return t.columns }

func (t *table) ColumnTypes() []rows.ColumnType { return make([]rows.ColumnType, len(t.columns)) }

func (t *table) Next() bool { t.at++; return t.at <= len(t.lines) }

func (t *table) Row() []rows.Value { return t.lines[t.at-1] }

func (t *table) Err() error { return nil }

func (t *table) Notices() []rows.Notice { return nil }

func (t *table) Close() error { return nil }

var _ tabular = (*table)(nil)

// picked is some columns of a result.
type picked struct {
	tabular
	columns []string
	at      []int // places of the columns in the result
}

// pick returns the columns of a result with the given names, in the order of the names; nil
// if it has none of them.
func pick(r tabular, names []string) tabular {
	p := &picked{tabular: r}
	for _, name := range names {
		if i := slices.Index(r.Columns(), name); i >= 0 {
			p.columns, p.at = append(p.columns, name), append(p.at, i)
		}
	}
	if p.at == nil {
		return nil
	}
	return p
}

func (p *picked) Columns() []string { return p.columns }

func (p *picked) ColumnTypes() []rows.ColumnType {
	types, all := make([]rows.ColumnType, len(p.at)), p.tabular.ColumnTypes()
	for i, at := range p.at {
		types[i] = all[at]
	}
	return types
}

func (p *picked) Row() []rows.Value {
	row, all := make([]rows.Value, len(p.at)), p.tabular.Row()
	for i, at := range p.at {
		row[i] = all[at]
	}
	return row
}

var _ tabular = (*picked)(nil)
