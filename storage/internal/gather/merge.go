package gather

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// Base is the content of a graph before an import, by slot.
type Base struct {
	Keys     block.KeySet
	Graph    *csr.Graph    // nil for a directed graph, and one without slots
	Directed *csr.Directed // of a directed graph; nil for one without slots
	Columns  []*block.Column

	EdgeColumns []*block.Column // by the numbers of its edges
}

// Merged is a graph with the edges and vertices of a list.
type Merged struct {
	Keys     block.KeySet // those of the base first
	Graph    *csr.Graph
	Directed *csr.Directed // in place of Graph, of a directed list
	Touched  []uint32      // slots that are new or have changed edges, ascending
	Updated  int64         // edges of the base whose weight or timestamp changed
	Differ   int64         // edges that occur with different weights in the input, under RepeatedLast
	Example  string        // two ends of the first of these, by slots

	list   *List
	base   Base
	number []uint32 // slot of each vertex of the list; nil if all have their own number
	filled int64    // bytes of the columns that Fill has filled

	edges edgeValues
}

// Merge merges the list into a graph. The list cannot be used for reading afterwards.
func (l *List) Merge(ctx context.Context, base Base) (*Merged, error) {
	m := &Merged{list: l, base: base}
	if err := m.mergeKeys(ctx); err != nil {
		return nil, err
	}
	number := through(l.number, m.number)
	if err := l.buffer.settle(ctx, number); err != nil {
		return nil, err
	}
	g, err := m.rows(ctx)
	if err != nil {
		return nil, err
	}
	collect(orderBytes*int64(m.Keys.Len()), l.limit) // the edges that were read
	if l.Directed {
		m.Directed = csr.NewDirected(csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights, Times: g.Times})
		m.Touched, m.Updated, err = changedDirections(ctx, base.Directed, m.Directed)
	} else {
		m.Graph = g
		m.Touched, m.Updated, err = changedRows(ctx, base.Graph, m.Graph, false)
	}
	if err == nil {
		err = m.placeEdgeValues(ctx, number)
	}
	return m, err
}

// Edges is the number of edges, each direction of a directed graph counted.
func (m *Merged) Edges() int64 {
	if m.Directed != nil {
		return m.Directed.Arcs()
	}
	return m.Graph.Edges()
}

// placeEdgeValues finds the edges of the rows of values that were read.
func (m *Merged) placeEdgeValues(ctx context.Context, number []uint32) error {
	ends, base := m.list.rowEnds, edgesOf(m.base.Graph, m.base.Directed)
	if len(ends) == 0 && len(m.base.EdgeColumns) == 0 {
		return nil
	}
	if err := m.fits(fmt.Sprintf("attributes of %d edges", len(ends)), placingBytes*int64(len(ends))+movedBytes*base.edges()); err != nil {
		return err
	}
	return m.edges.place(ctx, ends, number, base, edgesOf(m.Graph, m.Directed))
}

// mergeKeys assigns slots to the vertices of the list: known keys keep their slots, and new ones
// follow in the order of the list.
func (m *Merged) mergeKeys(ctx context.Context) error {
	keys, base := &m.list.names.Keys, &m.base.Keys
	if base.Len() == 0 {
		m.Keys = *keys
		return nil
	}
	// The table, and the list of all keys while it grows.
	all := base.Bytes() + keys.Bytes()
	if err := m.fits(fmt.Sprintf("the keys of %d vertices into a graph of %d", keys.Len(), base.Len()), all+all/4+mostTableBytes*int64(base.Len())); err != nil {
		return err
	}
	table, err := block.TableOf(ctx, base)
	if err != nil {
		return err
	}
	m.Keys = block.KeySet{Blob: base.Blob[:len(base.Blob):len(base.Blob)], Offsets: base.Offsets[:len(base.Offsets):len(base.Offsets)]}
	m.number = make([]uint32, keys.Len())
	for i := range m.number {
		if i%(block.CheckEvery/8) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key := keys.At(uint32(i))
		id, found := table.Find(base, key)
		if !found {
			if uint64(m.Keys.Len()) >= block.MaxVertices {
				return fmt.Errorf("more than %d vertices: %w", uint64(block.MaxVertices), fault.ErrLimit)
			}
			id = uint32(m.Keys.Len())
			m.Keys.Add(key)
		}
		m.number[i] = id
	}
	return nil
}

// through composes two renumberings of vertices, where nil is the identity; it may overwrite the
// first.
func through(first, second []uint32) []uint32 {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	for v, to := range first {
		if to != block.NoVertex {
			first[v] = second[to]
		}
	}
	return first
}

// rows builds the rows from the edges that were read and the edges of the base; those by source of a
// directed graph.
func (m *Merged) rows(ctx context.Context) (*csr.Graph, error) {
	differ := func(edge uint64) {
		if m.Differ++; m.Differ == 1 {
			m.Example = fmt.Sprintf("%q and %q", fault.Clip(string(m.Keys.At(uint32(edge>>32)))), fault.Clip(string(m.Keys.At(uint32(edge)))))
		}
	}
	buffer, n := m.list.buffer, m.Keys.Len()
	old := m.base.Graph
	if m.base.Directed != nil {
		old = asGraph(&m.base.Directed.Out)
	}
	if len(buffer.runs) == 0 && !buffer.withValues && old == nil && m.enough(int64(len(buffer.plain)), false, false) == nil {
		defer buffer.free()
		if buffer.directed {
			return rowsBySource(ctx, n, buffer.plain)
		}
		return rowsOf(ctx, n, buffer.plain)
	}
	sources := func() []edgeSource {
		var list []edgeSource
		if old != nil {
			base := graphSource(old, buffer.how, buffer.directed)
			base.base = true
			list = append(list, base)
		}
		return append(list, buffer.sources()...)
	}
	g, err := edgeRows(ctx, n, buffer.how, buffer.directed, sources, m.enough, differ)
	var short *MemoryError
	if errors.As(err, &short) && len(buffer.runs) == 0 {
		// The edges that were read need not be in memory.
		if err := buffer.toFile(ctx); err != nil {
			return nil, err
		}
		m.Differ = 0
		g, err = edgeRows(ctx, n, buffer.how, buffer.directed, sources, m.enough, differ)
	}
	buffer.free()
	return g, err
}

// enough returns a MemoryError if the import and a graph with this number of edges together exceed
// the limit.
func (m *Merged) enough(edges int64, weighted, timed bool) error {
	n := m.Keys.Len()
	return m.fits(fmt.Sprintf("a graph of %d vertices and %d edges", n, edges), m.list.buffer.bytes()+graphBytes(n, edges, weighted, timed, m.list.Directed))
}

// fits returns a MemoryError if what is held and further bytes together exceed the limit.
func (m *Merged) fits(what string, further int64) error {
	if need := m.held() + further; need > m.list.limit {
		return &MemoryError{What: what, Need: need, Limit: m.list.limit}
	}
	collect(further, m.list.limit)
	return nil
}

// held is the memory of the import without the edges that were read, with what sorting the keys will
// take.
func (m *Merged) held() int64 {
	sum := workBytes(m.list.limit) + m.base.Keys.Bytes() + m.Keys.Bytes() + bytesOfGraph(m.base.Graph, m.base.Directed) + bytesOfGraph(m.Graph, m.Directed) + m.filled
	for _, c := range slices.Concat(m.list.Columns, m.list.EdgeColumns) {
		sum += c.Bytes()
	}
	sum += 8*int64(cap(m.list.rowEnds)) + m.edges.bytes()
	if m.base.Keys.Len() > 0 {
		keys := &m.list.names.Keys
		sum += keys.Bytes() + 4*int64(keys.Len())
	}
	for _, c := range slices.Concat(m.base.Columns, m.base.EdgeColumns) {
		sum += c.Bytes()
	}
	return sum + orderBytes*int64(m.Keys.Len())
}

// Fill returns the values of an attribute by slot: those that were read, and elsewhere those of the
// base, nil where the base does not have the attribute. It sets the bits of the slots of the base
// whose value changed, and frees the values that were read.
func (m *Merged) Fill(ctx context.Context, from *Column, a block.Attribute, base *block.Column, changed []uint64) (*block.Column, error) {
	defer from.free()
	adopts := a.Type == block.Text && base == nil && m.number == nil
	if err := m.fits(fmt.Sprintf("attribute %q of %d vertices", fault.Clip(a.Name), m.Keys.Len()), m.fillBytes(from, a, base, m.Keys.Len(), adopts)); err != nil {
		return nil, err
	}
	column := block.NewColumn(a, m.Keys.Len())
	if adopts {
		block.AdoptTexts(column, from.codes, from.texts)
		m.filled += column.Bytes()
		return column, nil
	}
	values, err := from.parse(ctx, a, func(v uint32) string { return fmt.Sprintf("vertex %q", fault.Clip(string(m.list.names.Keys.At(v)))) })
	if err != nil {
		return nil, err
	}
	if base != nil {
		block.FillColumn(column, base)
	}
	known := uint32(m.base.Keys.Len())
	for v, code := range from.codes {
		if v%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if code == 0 || values[code-1] == (block.Value{}) {
			continue
		}
		slot := uint32(v)
		if m.number != nil {
			slot = m.number[v]
		}
		if slot < known && column.At(slot) != values[code-1] {
			block.SetBit(changed, slot, true)
		}
		block.PutValue(column, slot, values[code-1])
	}
	block.CompactColumn(column)
	m.filled += column.Bytes()
	return column, nil
}

// fillBytes is the memory that filling a column of n values takes: the column, the parsed values, and the dictionary of texts
// with its table while they grow.
func (m *Merged) fillBytes(from *Column, a block.Attribute, base *block.Column, n int, adopts bool) int64 {
	bytes := 9 * int64(n)
	if adopts {
		return bytes
	}
	bytes += valueBytes * int64(from.texts.Len())
	if a.Type != block.Text {
		return bytes
	}
	texts, count := from.texts.Bytes(), int64(from.texts.Len())
	if base != nil {
		texts, count = texts+base.Bytes(), count+int64(base.Texts())
	}
	return bytes + 2*texts + texts/4 + mostTableBytes*count
}

// changedRows compares a graph with a graph that contains all its edges. It returns the vertices
// that are new or have changed edges, and the number of old edges whose weight or timestamp
// changed; those of a directed graph have one arc each.
func changedRows(ctx context.Context, old, now *csr.Graph, directed bool) (touched []uint32, updated int64, err error) {
	known := uint32(0)
	if old != nil {
		known = uint32(old.Vertices())
	}
	values := now.Weights != nil || now.Times != nil
	for v := range uint32(now.Vertices()) {
		if v%1024 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		switch {
		case v >= known:
			touched = append(touched, v)
			continue
		case values:
			differ, back := changedValues(old, now, v)
			if updated += differ; directed {
				updated += back
			}
			if differ+back == 0 && old.Degree(v) == now.Degree(v) {
				continue
			}
		case old.Degree(v) == now.Degree(v):
			continue
		}
		touched = append(touched, v)
	}
	return touched, updated, nil
}

// sameValues reports whether an edge has the same weight and timestamp at its places in two graphs.
func sameValues(old, now *csr.Graph, at, i int64) bool {
	return valueAt(old.Weights, at, 1) == valueAt(now.Weights, i, 1) && valueAt(old.Times, at, csr.NoTime) == valueAt(now.Times, i, csr.NoTime)
}

// changedDirections is changedRows for a directed graph: a vertex has changed edges if one of its
// rows has.
func changedDirections(ctx context.Context, old, now *csr.Directed) (touched []uint32, updated int64, err error) {
	was := new(csr.Directed)
	if old != nil {
		was = old
	}
	out, updated, err := changedRows(ctx, asGraph(&was.Out), asGraph(&now.Out), true)
	if err != nil {
		return nil, 0, err
	}
	in, _, err := changedRows(ctx, asGraph(&was.In), asGraph(&now.In), true)
	for len(out) > 0 && len(in) > 0 {
		next := min(out[0], in[0])
		touched = append(touched, next)
		if out[0] == next {
			out = out[1:]
		}
		if in[0] == next {
			in = in[1:]
		}
	}
	return append(append(touched, out...), in...), updated, err
}

// changedValues counts the edges of v in old whose weight or timestamp differs in now, separately
// for larger and for smaller neighbours.
func changedValues(old, now *csr.Graph, v uint32) (forward, back int64) {
	i := now.Offsets[v]
	for at := old.Offsets[v]; at < old.Offsets[v+1]; at++ {
		u := old.Targets[at]
		for now.Targets[i] != u {
			i++
		}
		if sameValues(old, now, at, i) {
			continue
		}
		if u > v {
			forward++
		} else {
			back++
		}
	}
	return forward, back
}

// Remarks reports, for a format that has an element for each vertex, those that occur twice, and
// the new vertices of the graph that are only ends of edges. A file without any such element
// has edges only, and gives no remark.
func (m *Merged) Remarks(ctx context.Context, layout format.Layout) ([]format.Remark, error) {
	l := m.list
	if len(l.declared.bits) == 0 || !layout.Declares() {
		return nil, nil
	}
	var all []format.Remark
	if r := l.declared.repeated; r.Count > 0 {
		r.What, r.Remedy = "vertices declared again", "the last value of each attribute counts"
		all = append(all, r)
	}
	undeclared := format.Remark{What: "ends of edges that no element declares, taken as new vertices"}
	for v := range uint32(l.names.Keys.Len()) {
		if v%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !l.declared.has(v) && (m.number == nil || int(m.number[v]) >= m.base.Keys.Len()) {
			addName(&undeclared, l.names.Keys.At(v))
		}
	}
	if undeclared.Count > 0 {
		all = append(all, undeclared)
	}
	return all, nil
}
