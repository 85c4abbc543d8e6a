package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/remote"
	"heavytail/query/rows"
)

// file runs statements on a heavytail file, in the server that has it open or in this process.
type file struct {
	path  string
	write bool
	rows  int // most rows of an answer
	limit time.Duration

	mu sync.Mutex // guards db
	db *query.DB  // nil until no server has the file open
}

// page is some rows of an answer.
type page struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows" jsonschema:"a value for each column; null is a missing value"`
	Next    int      `json:"next,omitempty" jsonschema:"the offset of the next page; missing after the last row"`
	Notices []string `json:"notices,omitempty" jsonschema:"remarks about the answer"`
}

// run runs a statement, and returns a page of its rows from an offset on.
func (f *file) run(ctx context.Context, text string, params map[string]any, offset int) (page, error) {
	return f.part(ctx, text, params, offset, f.rows)
}

// part is run with a number of rows.
func (f *file) part(ctx context.Context, text string, params map[string]any, offset, most int) (p page, err error) {
	ctx, stop := context.WithTimeout(ctx, f.limit)
	defer stop()
	src := parser.Source{Text: text}
	defer func() { err = explained(src, err) }()
	execute, done, err := f.database(ctx)
	if err != nil {
		return p, err
	}
	defer done()
	answer, err := execute(ctx, query.Request{Source: src, Params: params, ReadOnly: !f.write})
	if err != nil {
		return p, err
	}
	defer answer.Close()
	p = page{Columns: answer.Columns(), Rows: [][]any{}}
	for n := 0; answer.Next(); n++ {
		if n < offset {
			continue
		}
		if len(p.Rows) == most {
			p.Next = n
			break
		}
		p.Rows = append(p.Rows, plain(answer.Row()))
	}
	for _, n := range answer.Notices() {
		p.Notices = append(p.Notices, n.Text)
	}
	return p, answer.Err()
}

// database is what runs statements now: a server, or the file itself. done must be called after the answer.
func (f *file) database(ctx context.Context) (execute func(context.Context, query.Request) (*rows.Rows, error), done func(), err error) {
	client, err := remote.Open(ctx, f.path)
	if err == nil {
		return client.Execute, func() { client.Close() }, nil
	}
	if !errors.Is(err, remote.ErrNoServer) {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db == nil {
		f.db, err = query.Open(f.path, &query.Options{ReadOnly: !f.write, NoCreate: !f.write, ReleaseIdle: true, LockTimeout: 5 * time.Second, Folder: filepath.Dir(f.path)})
		if err != nil {
			return nil, nil, err
		}
	}
	return f.db.Execute, func() {}, nil
}

func (f *file) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.db == nil {
		return nil
	}
	return f.db.Close()
}

// plain is a row that JSON can have: a number that is not finite is its name.
func plain(row []rows.Value) []any {
	list := make([]any, len(row))
	for i, value := range row {
		if x, ok := value.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			value = fmt.Sprint(x)
		}
		list[i] = value
	}
	return list
}

// explained adds the line of a mistake, with a mark below it.
func explained(src parser.Source, err error) error {
	place := parser.Range{}
	if syntax, ok := errors.AsType[*parser.Error](err); ok {
		place = syntax.Range
	} else if mistake, ok := errors.AsType[*fault.Error](err); ok {
		place = mistake.Range
	}
	if excerpt := parser.Excerpt(src, place); place.Start.Line > 0 && excerpt != "" {
		return fmt.Errorf("%w\n%s", err, excerpt)
	}
	return err
}
