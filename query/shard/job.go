package shard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/query"
	"heavytail/query/parser"
)

// job is a kind of statement that can be divided. Each has a file with its description,
// which is all that a further one needs, and a line in jobs.
type job struct {
	form string                           // the statement, for messages
	take func(parser.Statement) divisible // nil if the statement is a different one
}

// jobs are all of them.
var jobs = []job{scoreFileJob, nearestForJob, exportWalksJob}

// Forms are the statements that can be divided, for messages.
func Forms() string {
	var forms []string
	for _, j := range jobs {
		forms = append(forms, j.form)
	}
	last := len(forms) - 1
	return strings.Join(forms[:last], ", ") + " or " + forms[last]
}

// csvEnding is the ending of files with a header, which a merged file has once. Other
// files are joined as they are.
const csvEnding = ".csv"

// divisible is a statement that can be divided by its rows: it is also counted or copied.
type divisible interface {
	// output is the file that the statement writes.
	output() parser.Value
	// endings are those of the files whose parts can be joined.
	endings() []string
	// on returns the statement for one shard; it overwrites an existing output.
	on(p piece) parser.Statement
	// names returns the graph and the other objects that the statement names.
	names() named
}

// counted is a statement whose shards need only the numbers of their rows.
type counted interface {
	divisible
	count(ctx context.Context, db *query.DB) (int64, error)
}

// copied is a statement whose shards read a copy of their rows.
type copied interface {
	divisible
	// columns are those of its input.
	columns(ctx context.Context, db *query.DB) ([]string, error)
	// each calls f with every row of the input, in order.
	each(ctx context.Context, db *query.DB, f func(row ...string) error) error
}

// piece is the work of one shard.
type piece struct {
	input       string // the copy of its rows
	output      string
	first, rows int64 // numbers of its rows
}

// named are the names in a statement; graph may be empty.
type named struct {
	graph      string
	embeddings []string
	models     []string // each may also read an embedding
	indexes    bool     // whether the indexes of the embeddings are searched
}

// divide parses a statement and returns it in a form that can be divided.
func divide(text string) (divisible, parser.Statement, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	var work divisible
	for _, j := range jobs {
		if work = j.take(statement); work != nil {
			break
		}
	}
	if work == nil {
		return nil, nil, fmt.Errorf("%w: expected %s", ErrStatement, Forms())
	}
	path, ok := work.output().(parser.String)
	if !ok || !slices.Contains(work.endings(), filepath.Ext(path.Value)) {
		return nil, nil, fmt.Errorf("%w: INTO FILE must name a file that ends in %s", ErrStatement, strings.Join(work.endings(), " or "))
	}
	return work, statement, nil
}

// inputPath is the name of the file that a statement reads.
func inputPath(v parser.Value) (string, error) {
	path, ok := v.(parser.String)
	if !ok || path.Value == "-" {
		return "", fmt.Errorf("%w: it must name the file that it reads", ErrStatement)
	}
	return path.Value, nil
}

func text(s string) parser.String { return parser.String{Value: s} }

func option(name string, v parser.Value) parser.Option {
	return parser.Option{Name: parser.Ident{Name: name}, Value: v}
}

// explained checks a statement as EXPLAIN does: its names, options and files.
func explained(ctx context.Context, db *query.DB, s parser.Statement) error {
	rows, err := db.Run(ctx, &parser.Explain{Statement: s}, nil)
	if err != nil {
		return err
	}
	return drain(rows)
}

// drain reads rows to their end.
func drain(rows *query.Rows) error {
	for rows.Next() {
	}
	err := rows.Err()
	rows.Close()
	return err
}
