package format

import (
	"math"

	"heavytail/storage/format/internal/delimited"
)

// Pairs reads pairs of keys with the values of further columns, given by their numbers from 0, which it passes
// to yield in this order.
func (f *File) Pairs(further []int, yield func(source, target []byte, further [][]byte) error) (ReadStats, error) {
	e := columnarEdges{File: f, further: further, maxValue: math.MaxInt}
	e.h.Edge = func(edge Edge) error { return yield(edge.Source, edge.Target, edge.Values) }
	return e.read()
}

// PairColumns returns the columns of a file of pairs other than the keys.
func (f *File) PairColumns() ([]PairColumn, error) {
	e := columnarEdges{File: f, stats: new(Stats)}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	types := f.types()
	var columns []PairColumn
	for i, c := range f.file.Columns() {
		if i+1 != e.plan.At[delimited.Source] && i+1 != e.plan.At[delimited.Target] {
			columns = append(columns, PairColumn{i + 1, c.Name, types[i], heldKind(c.Kind)})
		}
	}
	return columns, nil
}
