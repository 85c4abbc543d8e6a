package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
)

// ReadPairs reads pairs of keys, such as pairs to be scored, in the order of the file. It works
// like ReadEdgeList, except that there is no counts header (under HeaderAuto the first line is
// a pair or column names, and HeaderCounts is refused) and no hash. A columnar input is read as
// such and must be a [RandomReader].
func ReadPairs(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(source, target []byte) error) (ReadStats, error) {
	return ReadPairRows(ctx, r, opts, nil, func(source, target []byte, _ [][]byte) error { return yield(source, target) })
}

// ReadPairRows is ReadPairs with the values of further columns, which are given by their
// numbers from 1; values are passed to yield in this order. A missing value is empty. Values of
// columnar files are written as text: numbers with all their digits, dates as in RFC 3339. The slices
// are valid only during the call of yield.
func ReadPairRows(ctx context.Context, r io.Reader, opts EdgeListOptions, further []int, yield func(source, target []byte, further [][]byte) error) (ReadStats, error) {
	table, err := openPairs(ctx, r, &opts)
	if err != nil {
		return ReadStats{}, err
	}
	further = slices.Clone(further)
	for i := range further {
		further[i]--
	}
	if table != nil {
		e := columnarEdges{columnarFile: table, further: further, maxValue: math.MaxInt}
		e.h.Edge = func(edge Edge) error { return yield(edge.Source, edge.Target, edge.Values) }
		return e.read()
	}
	p, err := startPairs(opts)
	if err != nil {
		return ReadStats{}, err
	}
	p.yield = func(e Edge) error { return yield(e.Source, e.Target, p.further.values) }
	p.take(further)
	return p.pull(ctx, r, false)
}

// PairColumn is a column of a file of pairs other than the two columns of keys.
type PairColumn struct {
	Number int    // from 1 on
	Name   string // from the header; without a header column3 and so on
	Type   Type   // the type in a columnar file; always Text in text files
	Held   bool   // ReadPairRows can return its values: they are neither lists nor records
}

// PairColumns returns the columns of a file of pairs other than the keys, from its header or
// else from its first pair. It reads no further than that, or than the lines that show whether the
// first one is a header.
func PairColumns(ctx context.Context, r io.Reader, opts EdgeListOptions) ([]PairColumn, error) {
	table, err := openPairs(ctx, r, &opts)
	if err != nil {
		return nil, err
	}
	if table != nil {
		return table.pairColumns()
	}
	p, err := firstPair(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	return p.furtherColumns(), nil
}

func firstPair(ctx context.Context, r io.Reader, opts EdgeListOptions) (*parser, error) {
	p, err := startPairs(opts)
	if err != nil {
		return nil, err
	}
	enough := errors.New("the first pair")
	p.yield = func(Edge) error { return enough }
	if _, err := p.pull(ctx, r, false); err != nil && err != enough {
		return nil, err
	}
	return p, nil
}

// furtherColumns are the columns other than the keys, once the first pair was read.
func (p *parser) furtherColumns() (columns []PairColumn) {
	for i := range max(len(p.names), p.columns.Count) {
		if i+1 == p.plan.At[delimited.Source] || i+1 == p.plan.At[delimited.Target] {
			continue
		}
		c := PairColumn{Number: i + 1, Name: fmt.Sprintf("column%d", i+1), Type: Text, Held: true}
		if i < len(p.names) && p.names[i] != "" {
			c.Name = p.names[i]
		}
		columns = append(columns, c)
	}
	return columns
}

// openPairs checks the options, and opens the input if it is columnar.
func openPairs(ctx context.Context, r io.Reader, opts *EdgeListOptions) (*columnarFile, error) {
	if opts.Header == HeaderCounts {
		return nil, &OptionError{Option: "header", Value: opts.Header.String(), Conflict: "a file of pairs has no counts header"}
	}
	keys := *opts
	keys.Weight, keys.Time = NoColumn, NoColumn // ordinary columns in a file of pairs
	return openColumnar(ctx, r, Options{EdgeListOptions: keys})
}

func startPairs(opts EdgeListOptions) (*parser, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return newParser(Options{EdgeListOptions: opts.withDefaults()}, true, Handler{}), nil
}

// take makes the parser keep the values of further columns, given by their numbers from 0.
func (p *parser) take(columns []int) {
	if len(columns) == 0 {
		return
	}
	f := &p.further
	f.values = make([][]byte, len(columns))
	for i, column := range columns {
		for len(f.place) <= column {
			f.place = append(f.place, placeNone)
		}
		f.place[column] = i
	}
	p.columns.Each = func(field []byte, _ int, _ bool) fault.Fault {
		if n := p.columns.Count; n < len(f.place) && f.place[n] != placeNone {
			f.values[f.place[n]] = field
		}
		return fault.Fault{}
	}
}

func (f *columnarFile) pairColumns() ([]PairColumn, error) {
	e := columnarEdges{columnarFile: f, stats: new(ReadStats)}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	types := f.types()
	var columns []PairColumn
	for i, c := range f.Columns() {
		if i+1 != e.plan.At[delimited.Source] && i+1 != e.plan.At[delimited.Target] {
			columns = append(columns, PairColumn{i + 1, c.Name, types[i], heldKind(c.Kind)})
		}
	}
	return columns, nil
}
