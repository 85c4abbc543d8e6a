package shard

import (
	"context"
	"fmt"
	"path/filepath"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage/format"
)

// divisible is a statement that can be divided by the rows that it reads.
type divisible interface {
	// output is the file that the statement writes.
	output() parser.Value
	// columns are those of its input.
	columns(ctx context.Context, db *query.DB) ([]string, error)
	// each calls f with every row of the input, in order.
	each(ctx context.Context, db *query.DB, f func(row ...string) error) error
	// on returns the statement with a different input and output; it overwrites an
	// existing output.
	on(input, output string) parser.Statement
	// names returns the graph and the other objects that the statement names.
	names() named
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
	switch s := statement.(type) {
	case *parser.ScoreFile:
		work = scoreFile{s}
	case *parser.IntoFile:
		if n, ok := s.Statement.(*parser.NearestFor); ok {
			work = nearestFor{n, s}
		}
	}
	if work == nil {
		return nil, nil, fmt.Errorf("%w: expected SCORE FILE … INTO FILE 'x.csv' or NEAREST … FOR ALL … INTO FILE 'x.csv'", ErrStatement)
	}
	path, ok := work.output().(parser.String)
	if !ok || filepath.Ext(path.Value) != ".csv" {
		return nil, nil, fmt.Errorf("%w: INTO FILE must name a file that ends in .csv", ErrStatement)
	}
	return work, statement, nil
}

// scoreFile is SCORE FILE.
type scoreFile struct{ s *parser.ScoreFile }

func (w scoreFile) output() parser.Value { return w.s.File }

func (w scoreFile) names() named {
	var n named
	if w.s.Graph != nil {
		n.graph = w.s.Graph.Name
	}
	for _, s := range w.s.Scorers {
		switch {
		case s.Of == nil:
		case s.Name.Name == "model":
			n.models = append(n.models, s.Of.Name)
		default:
			n.embeddings = append(n.embeddings, s.Of.Name)
		}
	}
	return n
}

// reading is how the statement reads its file.
func (w scoreFile) reading() (opts format.EdgeListOptions, err error) {
	if opts.Name, err = inputPath(w.s.Pairs); err != nil {
		return opts, err
	}
	for _, o := range w.s.Options {
		switch text, _ := o.Value.(parser.String); o.Name.Name {
		case "header":
			if opts.Header, err = format.ParseHeader(text.Value); err != nil {
				return opts, err
			}
		case "separator":
			opts.Separator = text.Value
		case "top":
			return opts, fmt.Errorf("%w: the option top chooses among the pairs of all shards", ErrStatement)
		}
	}
	return opts, nil
}

// further are the names and the numbers of the further columns of the file. The shards
// have all of them, and the statement chooses by their names.
func (w scoreFile) further(ctx context.Context) (names []string, numbers []int, err error) {
	opts, err := w.reading()
	if err != nil {
		return nil, nil, err
	}
	in, _, err := format.OpenFile(opts.Name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	columns, err := format.PairColumns(ctx, in, opts)
	for _, c := range columns {
		if c.Held {
			names, numbers = append(names, c.Name), append(numbers, c.Number)
		}
	}
	return names, numbers, err
}

func (w scoreFile) columns(ctx context.Context, _ *query.DB) ([]string, error) {
	names, _, err := w.further(ctx)
	return append([]string{"source", "target"}, names...), err
}

func (w scoreFile) each(ctx context.Context, _ *query.DB, f func(row ...string) error) error {
	opts, err := w.reading()
	if err != nil {
		return err
	}
	_, numbers, err := w.further(ctx)
	if err != nil {
		return err
	}
	in, _, err := format.OpenFile(opts.Name)
	if err != nil {
		return err
	}
	defer in.Close()
	row := make([]string, 2+len(numbers))
	_, err = format.ReadPairRows(ctx, in, opts, numbers, func(source, target []byte, values [][]byte) error {
		row[0], row[1] = string(source), string(target)
		for i, v := range values {
			row[2+i] = string(v)
		}
		return f(row...)
	})
	return err
}

func (w scoreFile) on(input, output string) parser.Statement {
	s := *w.s
	s.Pairs, s.File = text(input), text(output)
	s.Options = []parser.Option{
		option("header", text("names")), option("separator", text(",")),
		option("overwrite", parser.Bool{Value: true}), option("resume", parser.Bool{Value: true}),
	}
	for _, o := range w.s.Options {
		switch o.Name.Name {
		case "header", "separator", "overwrite", "resume":
		default:
			s.Options = append(s.Options, o)
		}
	}
	return &s
}

// nearestFor is NEAREST … FOR ALL and FOR FILE, whose rows go into a file.
type nearestFor struct {
	s    *parser.NearestFor
	into *parser.IntoFile
}

func (w nearestFor) output() parser.Value { return w.into.File }

func (w nearestFor) columns(context.Context, *query.DB) ([]string, error) {
	return []string{"key"}, nil
}

func (w nearestFor) names() named {
	return named{embeddings: []string{w.s.Using.Embedding.Name}, indexes: !w.s.Exact}
}

func (w nearestFor) each(ctx context.Context, db *query.DB, f func(row ...string) error) error {
	if w.s.File == nil {
		return w.eachVertex(ctx, db, f)
	}
	path, err := inputPath(w.s.File)
	if err != nil {
		return err
	}
	in, size, err := format.OpenFile(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return format.ReadKeys(ctx, in, format.VectorOptions{Name: path, Size: size}, func(key []byte) error { return f(string(key)) })
}

// eachVertex calls f with every vertex of the graph of the embedding.
func (w nearestFor) eachVertex(ctx context.Context, db *query.DB, f func(row ...string) error) error {
	known, err := db.Embeddings(ctx)
	e, err := embedding(known, err, w.s.Using.Embedding.Name)
	if err != nil {
		return err
	}
	for v, err := range db.EachVertex(ctx, query.VerticesRequest{Graph: e.Graph}) {
		if err == nil {
			err = f(v.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w nearestFor) on(input, output string) parser.Statement {
	s, into := *w.s, *w.into
	s.File = text(input)
	into.Statement, into.File, into.Options = &s, text(output), []parser.Option{option("overwrite", parser.Bool{Value: true})}
	return &into
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
