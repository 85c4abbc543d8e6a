package repl

import (
	"context"
	"slices"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (tabular, error)

func executorOf(db *query.DB) executor {
	return func(ctx context.Context, st parser.Statement, params map[string]any) (tabular, error) {
		return rowsOf(db.Run(ctx, st, params))
	}
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
