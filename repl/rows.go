package repl

import (
	"context"
	"slices"

	"heavytail/query"
	"heavytail/query/parser"
)

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (rows, error)

func executorOf(db *query.DB) executor {
	return func(ctx context.Context, st parser.Statement, params map[string]any) (rows, error) {
		return rowsOf(db.Run(ctx, st, params))
	}
}

func rowsOf(r *query.Rows, err error) (rows, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// rows is what the package needs of query.Rows.
type rows interface {
	Columns() []string
	Next() bool
	Row() []query.Value
	Err() error
	Notices() []query.Notice
	Close() error
}

var _ rows = (*query.Rows)(nil)

// table is a result that a command creates.
type table struct {
	columns []string
	lines   [][]query.Value
	at      int
}

func (t *table) Columns() []string { return t.columns }

func (t *table) Next() bool { t.at++; return t.at <= len(t.lines) }

func (t *table) Row() []query.Value { return t.lines[t.at-1] }

func (t *table) Err() error { return nil }

func (t *table) Notices() []query.Notice { return nil }

func (t *table) Close() error { return nil }

var _ rows = (*table)(nil)

// picked is some columns of a result.
type picked struct {
	rows
	columns []string
	at      []int // places of the columns in the result
}

// pick returns the columns of a result with the given names, in the order of the names; nil
// if it has none of them.
func pick(r rows, names []string) rows {
	p := &picked{rows: r}
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

func (p *picked) Row() []query.Value {
	row, all := make([]query.Value, len(p.at)), p.rows.Row()
	for i, at := range p.at {
		row[i] = all[at]
	}
	return row
}

var _ rows = (*picked)(nil)
