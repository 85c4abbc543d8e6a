package columnar

import (
	"math"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/reading"
)

// Pairs reads pairs of keys with the values of further columns, given by their numbers from 0, which it passes
// to yield in this order.
func (f *File) Pairs(further []int, yield func(source, target []byte, further [][]byte) error) (format.ReadStats, error) {
	e := columnarEdges{File: f, values: values{columns: further, most: math.MaxInt}}
	e.h.Edge = func(edge format.Edge) error { return yield(edge.Source, edge.Target, edge.Values) }
	return e.read()
}

// PairColumns returns the columns of a file of pairs other than the keys.
func (f *File) PairColumns() ([]format.PairColumn, error) {
	e := columnarEdges{File: f, stats: new(reading.Stats)}
	if err := e.prepare(); err != nil {
		return nil, err
	}
	types := f.types()
	var columns []format.PairColumn
	for i, c := range f.file.Columns() {
		if i+1 != e.plan.At[delimited.Source] && i+1 != e.plan.At[delimited.Target] {
			columns = append(columns, format.PairColumn{Number: i + 1, Name: c.Name, Type: types[i], Held: heldKind(c.Kind)})
		}
	}
	return columns, nil
}
