package shard

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage/format"
)

type scoreFile struct{ s *parser.ScoreFile }

func (w scoreFile) output() parser.Value { return w.s.File }
func (w scoreFile) endings() []string    { return []string{".csv", parquetEnding} }
func (w scoreFile) headed() bool         { return true }

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
			word := text.Value
			if b, given := o.Value.(parser.Bool); given {
				word = strconv.FormatBool(b.Value)
			}
			if opts.Header, err = format.ParseHeader(word); err != nil {
				return opts, err
			}
		case "separator":
			opts.Separator = text.Value
		case "bytes":
			return opts, fmt.Errorf("%w: the option bytes divides it already", ErrStatement)
		case "top":
			return opts, fmt.Errorf("%w: the option top chooses among the pairs of all shards", ErrStatement)
		}
	}
	return opts, nil
}

// open opens the file as the statement reads it.
func (w scoreFile) open() (in io.ReadCloser, opts format.EdgeListOptions, err error) {
	if opts, err = w.reading(); err == nil {
		in, _, err = format.OpenFile(opts.Name)
	}
	return in, opts, err
}

// further are the names and the numbers of the further columns of the file. The shards
// have all of them, and the statement chooses by their names.
func (w scoreFile) further(ctx context.Context) (names []string, numbers []int, err error) {
	in, opts, err := w.open()
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

// table is the number of rows, and the types of the columns, of a Parquet file whose scores go
// into one; no types otherwise, since text has none. Values that went through text would get the
// types that they look like.
func (w scoreFile) table(ctx context.Context) (rows int64, types []format.Type, err error) {
	if !isParquet(w.s.File.(parser.String).Value) {
		return 0, nil, nil
	}
	in, opts, err := w.open()
	if err != nil {
		return 0, nil, err
	}
	defer in.Close()
	rows, parquet, err := format.ParquetPairs(ctx, in, opts)
	if err != nil || !parquet {
		return 0, nil, err
	}
	columns, err := format.PairColumns(ctx, in, opts)
	types = []format.Type{format.Text, format.Text}
	for _, c := range columns {
		if c.Held {
			types = append(types, c.Type)
		}
	}
	return rows, types, err
}

func (w scoreFile) each(ctx context.Context, _ *query.DB, f func(row ...string) error) error {
	_, numbers, err := w.further(ctx)
	if err != nil {
		return err
	}
	in, opts, err := w.open()
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

// text is the form of a file of two columns in plain text.
func (w scoreFile) text(ctx context.Context) (*format.PairsText, string, error) {
	in, opts, err := w.open()
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	form, err := format.PairsTextOf(ctx, in, opts)
	return form, opts.Name, err
}

func (w scoreFile) on(p piece) parser.Statement {
	s := *w.s
	s.Pairs, s.File = text(p.input), text(p.output)
	s.Options = []parser.Option{option("overwrite", parser.Bool{Value: true})}
	own := []string{"overwrite", "resume"}
	if !isParquet(p.output) {
		s.Options = append(s.Options, option("resume", parser.Bool{Value: true}))
	}
	switch {
	case p.bytes != nil:
		// A line of a text may have more columns than the first pair, which the undivided
		// statement leaves out.
		s.Options = append(s.Options, option("bytes", text(p.bytes.String())), option("columns", text("none")))
		own = append(own, "columns")
	case isParquet(p.input):
		own = append(own, "header", "separator")
	default:
		s.Options = append(s.Options, option("header", text("names")), option("separator", text(",")))
		own = append(own, "header", "separator")
	}
	for _, o := range w.s.Options {
		if !slices.Contains(own, o.Name.Name) {
			s.Options = append(s.Options, o)
		}
	}
	return &s
}
