package repl

import (
	"context"

	"heavytail/query"
	"heavytail/query/parser"
)

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (rows, error)

// executorOf runs statements on a database.
func executorOf(db *query.DB) executor {
	return func(ctx context.Context, st parser.Statement, params map[string]any) (rows, error) {
		return rowsOf(db.Run(ctx, st, params))
	}
}

// rowsOf returns the rows of an answer, or nil if it has an error.
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
