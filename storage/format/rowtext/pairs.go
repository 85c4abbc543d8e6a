package rowtext

import (
	"context"
	"errors"
	"fmt"
	"io"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/scan"
)

// ReadPairs reads pairs of keys with the values of further columns, given by their numbers from 0, which it
// passes to yield in this order.
func ReadPairs(ctx context.Context, r io.Reader, opts format.EdgeListOptions, further []int, yield func(source, target []byte, further [][]byte) error) (format.ReadStats, error) {
	p, err := startPairs(opts)
	if err != nil {
		return format.ReadStats{}, err
	}
	p.yield = func(e format.Edge) error { return yield(e.Source, e.Target, p.further.values) }
	p.take(further)
	return p.pull(ctx, r, false)
}

// PairColumns returns the columns of a file of pairs other than the keys, from its header or else from its
// first pair.
func PairColumns(ctx context.Context, r io.Reader, opts format.EdgeListOptions) ([]format.PairColumn, error) {
	p, err := startPairs(opts)
	if err != nil {
		return nil, err
	}
	enough := errors.New("the first pair")
	p.yield = func(format.Edge) error { return enough }
	if _, err := p.pull(ctx, r, false); err != nil && err != enough {
		return nil, err
	}
	return p.furtherColumns(), nil
}

// furtherColumns are the columns other than the keys, once the first pair was read.
func (p *parser) furtherColumns() (columns []format.PairColumn) {
	for i := range max(len(p.names), p.columns.Count) {
		if i+1 == p.Plan.At[delimited.Source] || i+1 == p.Plan.At[delimited.Target] {
			continue
		}
		c := format.PairColumn{Number: i + 1, Name: fmt.Sprintf("column%d", i+1), Type: format.Text, Held: true}
		if i < len(p.names) && p.names[i] != "" {
			c.Name = p.names[i]
		}
		columns = append(columns, c)
	}
	return columns
}

func startPairs(opts format.EdgeListOptions) (*parser, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	return newParser(format.Options{EdgeListOptions: opts.WithDefaults()}, true, format.Handler{}), nil
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
			f.place = append(f.place, scan.Unread)
		}
		f.place[column] = i
	}
	p.columns.Each = func(field []byte, _ int, _ bool) fault.Fault {
		if n := p.columns.Count; n < len(f.place) && f.place[n] != scan.Unread {
			f.values[f.place[n]] = field
		}
		return fault.Fault{}
	}
}
