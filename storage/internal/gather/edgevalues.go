package gather

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// FillEdges returns the values of an attribute by the numbers of the edges of the graph: those that
// were read, and elsewhere those of the base, nil where the base does not have the attribute. from is
// nil if no values of it were read. Of several values of an edge the last one counts, and under
// RepeatedFirst the first. It sets the bits of the edges of the base, by their numbers there, whose
// value changed, and frees the values that were read.
func (m *Merged) FillEdges(ctx context.Context, from *Column, a block.Attribute, base *block.Column, changed []uint64) (*block.Column, error) {
	old := edgesOf(m.base.Graph, m.base.Directed)
	n := int(m.Edges())
	if from == nil {
		from = &Column{Name: a.Name}
		if m.edges.moved == nil {
			return base, nil
		}
	}
	defer from.free()
	if err := m.fits(fmt.Sprintf("attribute %q of %d edges", fault.Clip(a.Name), n), m.fillBytes(from, a, base, n, false)); err != nil {
		return nil, err
	}
	column := block.NewColumn(a, n)
	values, err := from.parse(ctx, a, func(row uint32) string {
		return m.edgeName(m.edges.edges[slices.Index(m.edges.rows, row)])
	})
	if err != nil {
		return nil, err
	}
	if base != nil {
		for i := range uint32(base.Len()) {
			if !base.IsMissing(i) {
				block.PutValue(column, m.edges.now(i), base.At(i))
			}
		}
	}
	first, last := m.list.buffer.how == RepeatedFirst, int64(-1)
	for i, row := range m.edges.rows {
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if int(row) >= len(from.codes) || from.codes[row] == 0 {
			continue
		}
		value, edge := values[from.codes[row]-1], m.edges.edges[i]
		if value.IsMissing() || first && !column.IsMissing(edge) {
			continue
		}
		if last == int64(edge) && column.At(edge) != value {
			from.repeated++
		}
		block.PutValue(column, edge, value)
		last = int64(edge)
	}
	for i := range uint32(old.edges()) {
		was := block.Value{}
		if base != nil {
			was = base.At(i)
		}
		if column.At(m.edges.now(i)) != was {
			block.SetBit(changed, i, true)
		}
	}
	block.CompactColumn(column)
	m.filled += column.Bytes()
	return column, nil
}

// arcAt is the place in Targets of an arc that the graph has.
func arcAt(g *csr.Graph, u, v uint32) int64 {
	at, _ := slices.BinarySearch(g.Neighbors(u), v)
	return g.Offsets[u] + int64(at)
}

// ChangedEdges sets the bits of the slots of the ends of edges of the base, given by the bits of
// their numbers, and returns how many of the edges changed nothing but values of attributes.
func (m *Merged) ChangedEdges(ctx context.Context, edges, slots []uint64) (only int64, err error) {
	was, now := edgesOf(m.base.Graph, m.base.Directed), edgesOf(m.Graph, m.Directed)
	if was.rows == nil {
		return 0, nil
	}
	old := was.order()
	for i := range uint32(was.edges()) {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if !block.BitAt(edges, i) {
			continue
		}
		u, v := old.Ends(int64(i))
		block.SetBit(slots, u, true)
		block.SetBit(slots, v, true)
		if sameValues(was.rows, now.rows, arcAt(was.rows, u, v), arcAt(now.rows, u, v)) {
			only++
		}
	}
	return only, nil
}

// edgeName names an edge of the graph.
func (m *Merged) edgeName(i uint32) string {
	u, v := edgesOf(m.Graph, m.Directed).order().Ends(int64(i))
	return fmt.Sprintf("edge (%q, %q)", fault.Clip(string(m.Keys.At(u))), fault.Clip(string(m.Keys.At(v))))
}
