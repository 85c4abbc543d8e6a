package shard

import (
	"context"
	"fmt"
	"io"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage/format"
)

// divisible is a statement that can be divided by its rows or its trials. It either writes a file
// (written, and then numbered or copied), or stores predictions (stored), or returns rows (answered).
type divisible interface {
	// names returns the graph and the other objects that the statement names.
	names() named
}

// written is a statement that writes a file.
type written interface {
	divisible
	// output is the file that the statement writes.
	output() parser.Value
	// endings are those of the files whose parts can be joined.
	endings() []string
	// headed reports whether its file begins with a line that a merged file has once.
	headed() bool
	// on returns the statement for one shard; it overwrites an existing output.
	on(p piece) parser.Statement
}

// noted is a statement whose Parquet file has metadata that its shards do not write.
type noted interface {
	written
	notes() []format.Note
}

// numbered is a statement whose shards need only the numbers of their rows, which are the
// options first and count of a written one.
type numbered interface {
	divisible
	// divide returns for each shard the number behind its last row, ascending.
	divide(ctx context.Context, db *query.DB, shards int) ([]int64, error)
}

// computed is a statement whose shards write parts in a form of their own.
type computed interface {
	numbered
	// check returns the errors of the statement, as EXPLAIN does.
	check(ctx context.Context, db *query.DB) error
	// run writes the part of a shard; it overwrites an existing one.
	run(ctx context.Context, db *query.DB, p piece) error
	// ending is that of the parts.
	ending() string
}

// stored is a statement that writes into the heavytail file. Its shards only read that file.
type stored interface {
	computed
	// merge stores the parts, in order. Each is read to its end, and then closed, which may
	// return an error.
	merge(ctx context.Context, db *query.DB, parts []func() (io.ReadCloser, error)) error
}

// answered is a statement that returns rows, which are computed from all parts together.
type answered interface {
	computed
	// answer reads the parts as merge does, and returns the rows of the statement.
	answer(ctx context.Context, db *query.DB, parts []func() (io.ReadCloser, error)) (*rows.Rows, error)
}

// copied is a statement whose shards read a copy of their rows.
type copied interface {
	written
	// columns are those of its input.
	columns(ctx context.Context, db *query.DB) ([]string, error)
	// each calls f with every row of the input, in order.
	each(ctx context.Context, db *query.DB, f func(row ...string) error) error
}

// typed is a statement that may read a Parquet file, whose rows then stay Parquet.
type typed interface {
	copied
	// table is the number of rows and the types of the columns; no types if rows are copied as text.
	table(ctx context.Context) (rows int64, types []format.Type, err error)
}

// cuttable is a statement whose shards may have pieces of its text, instead of rows that are
// read and written again.
type cuttable interface {
	copied
	// text is the form of its input, and its path; nil if the input cannot be cut.
	text(ctx context.Context) (*format.PairsText, string, error)
}

// piece is the work of one statement: of a shard, or of several that follow each other.
type piece struct {
	input       string       // the copy of its rows
	bytes       *format.Span // of the input; nil for all
	output      string
	first, rows int64 // numbers of its rows
}

// options are those of a numbered statement for one shard.
func (p piece) options() []parser.Option {
	return []parser.Option{
		option("overwrite", parser.Bool{Value: true}),
		option("first", parser.Int{Value: p.first}), option("count", parser.Int{Value: p.rows}),
	}
}

// notDivided refuses the options by which a shard is a part of its statement.
func notDivided(options []parser.Option) error {
	for _, o := range options {
		if o.Name.Name == "first" || o.Name.Name == "count" {
			return fmt.Errorf("%w: the option %s divides it already", ErrStatement, o.Name.Name)
		}
	}
	return nil
}

// named are the names in a statement; graph may be empty.
type named struct {
	graph      string
	embeddings []string
	models     []string // each may also read an embedding
	indexes    bool     // whether the indexes of the embeddings are searched
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

func drain(rows *rows.Rows) error {
	for rows.Next() {
	}
	err := rows.Err()
	rows.Close()
	return err
}

// bounds are the numbers of the first row of shard i of n, and of the row after its last one.
func bounds(rows, i, n int64) (first, end int64) {
	at := func(i int64) int64 { return rows/n*i + rows%n*i/n } // rows·i/n, without overflow
	return at(i), at(i + 1)
}
