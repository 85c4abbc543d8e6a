package graphs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// Contents are the vertices and edges of one version of a graph. They are by
// slot if they are to be written.
type Contents struct {
	Graph    *csr.Graph
	Directed *csr.Directed // in place of Graph, for the edges of a directed graph
	Keys     block.KeySet
	Slots    block.SlotMap

	// Attributes of the vertices, by slot, in ascending order of their numbers.
	Attributes    []AttributeRecord
	NextAttribute uint16
	Columns       []*block.Column

	// Attributes of the edges, likewise, by the numbers of Order.
	EdgeAttributes    []AttributeRecord
	NextEdgeAttribute uint16
	EdgeColumns       []*block.Column
}

// Order numbers the edges as their values are numbered.
func (c *Contents) Order() *csr.EdgeOrder {
	if c.Directed != nil {
		return c.Directed.Out.Order()
	}
	return c.Graph.Order()
}

// Count is the number of edges, each of which can have values.
func (c *Contents) Count() int64 {
	if c.Directed != nil {
		return c.Directed.Arcs()
	}
	return c.Graph.Edges()
}

// Digest identifies the contents and the input from which they were made (all zero if
// there is none). An import that was killed continues where it stopped if the same
// import, run again, has the same digest. The input is hashed by SHA-256, the contents,
// which also depend on options, by CRC-32C: a digest of the contents that nobody can
// forge would take as long as sorting them.
func (c *Contents) Digest(ctx context.Context, input [sha256.Size]byte) ([]byte, error) {
	d := block.Digester{Ctx: ctx, Sums: input[:]}
	block.DigestList(&d, c.Keys.Offsets)
	block.DigestList(&d, c.Keys.Blob)
	if c.Directed != nil {
		d.Sums = append(d.Sums, "directed"...)
		digestRows(&d, &c.Directed.Out)
	} else {
		digestRows(&d, &csr.Rows{Offsets: c.Graph.Offsets, Targets: c.Graph.Targets, Weights: c.Graph.Weights, Times: c.Graph.Times})
	}
	for i, a := range c.Attributes {
		d.Sums = fmt.Appendf(d.Sums, "%d %q %d ", a.ID, a.Name, a.Type)
		block.DigestColumn(c.Columns[i], &d)
	}
	for i, a := range c.EdgeAttributes {
		d.Sums = fmt.Appendf(d.Sums, "edges %d %q %d ", a.ID, a.Name, a.Type)
		block.DigestColumn(c.EdgeColumns[i], &d)
	}
	if d.Err != nil {
		return nil, d.Err
	}
	digest := sha256.Sum256(d.Sums)
	return digest[:], nil
}

func digestRows(d *block.Digester, r *csr.Rows) {
	block.DigestList(d, r.Offsets)
	block.DigestList(d, r.Targets)
	block.DigestList(d, r.Weights)
	block.DigestList(d, r.Times)
}

// Arcs is the number of arcs that are stored: twice that of the edges of the undirected view.
func (c *Contents) Arcs() uint64 {
	if c.Directed != nil {
		return 2 * uint64(c.Directed.Pairs())
	}
	return uint64(len(c.Graph.Targets))
}

// Counts are the numbers of the edges.
func (c *Contents) Counts() block.Counts {
	if c.Directed != nil {
		weighted, timed := block.CountValues(c.Directed.Out.Weights, c.Directed.Out.Times)
		return block.Counts{Directed: true, Edges: c.Arcs() / 2, Arcs: uint64(c.Directed.Arcs()), Weighted: weighted, Timed: timed}
	}
	weighted, timed := block.CountValues(c.Graph.Weights, c.Graph.Times)
	return block.Counts{Edges: c.Arcs() / 2, Weighted: weighted / 2, Timed: timed / 2}
}

// ReadContents reads the keys and edges of a graph and checks ranges, order and counts;
// only Check verifies that every edge is there in both directions. If dense is set,
// keys and edges are by vertex, and the edges of a directed graph those of its undirected
// view. Otherwise they are by slot, where empty slots have neither, and the attributes are
// read too.
func ReadContents(t *tree.Tx, name string, r *Record, dense bool) (Contents, error) {
	c := Contents{Keys: block.NewKeySet(int(r.Slots))}
	if r.Object == 0 {
		if c.Graph = (&csr.Graph{Offsets: []int64{0}}); r.Directed && !dense {
			c.Graph, c.Directed = nil, csr.NewDirected(csr.Rows{Offsets: []int64{0}})
		}
		return c, nil
	}
	if r.Edges > math.MaxInt/8 || r.Slots > math.MaxInt/8 {
		return c, fmt.Errorf("graph %q is too large for this machine: %w", name, fault.ErrLimit)
	}
	var err error
	if c.Slots, err = SlotsOf(t, r); err != nil {
		return c, fault.Corrupt(t.Path, DescribeGraph(name)+", empty slots", err)
	}
	n := int(r.Slots)
	var vertices []uint32
	if dense {
		n, vertices = int(r.Vertices), c.Slots.Table()
	} else if err := readAttributes(t, name, r, &c); err != nil {
		return c, err
	}
	inKeys := func(err error) error { return fault.Corrupt(t.Path, DescribeGraph(name)+", keys", err) }
	keys, err := t.Part(r.Object, block.KeysName)
	if err != nil {
		return c, inKeys(err)
	}
	first := func() error {
		err := ReadKeys(t, &c.Keys, keys, r)
		if err == nil && dense {
			err = c.Keys.Drop(c.Slots.Empty)
		}
		return inKeys(err)
	}
	if r.Directed && !dense {
		var p *block.Pairs
		if p, err = ReadPairs(t, r, n, vertices, first); err == nil {
			c.Directed = p.Directed()
		}
	} else {
		c.Graph, err = ReadArcs(t, r, n, vertices, first)
	}
	t.ReleaseMap()
	if err != nil || dense {
		return c, fault.Corrupt(t.Path, DescribeGraph(name)+", arcs", err)
	}
	c.EdgeAttributes, c.NextEdgeAttribute = slices.Clone(r.EdgeAttributes), r.NextEdgeAttribute
	c.EdgeColumns, err = ReadEdgeColumns(t, name, r, c.EdgeAttributes, c.Order, nil)
	return c, err
}

// ReadDirected reads the edges of a directed graph, by vertex. Ranges, order and counts are checked.
func ReadDirected(t *tree.Tx, name string, r *Record) (*csr.Directed, error) {
	if r.Object == 0 {
		return csr.NewDirected(csr.Rows{Offsets: []int64{0}}), nil
	}
	slots, err := SlotsOf(t, r)
	if err != nil {
		return nil, fault.Corrupt(t.Path, DescribeGraph(name)+", empty slots", err)
	}
	p, err := ReadPairs(t, r, int(r.Vertices), slots.Table(), func() error { return nil })
	t.ReleaseMap()
	if err != nil {
		return nil, fault.Corrupt(t.Path, DescribeGraph(name)+", arcs", err)
	}
	return p.Directed(), nil
}

// ReadKeys fills the set with the keys of all slots.
func ReadKeys(t *tree.Tx, keys *block.KeySet, p tree.Part, r *Record) error {
	t.ReadAhead(p.Bucket)
	err := t.Scan(p, func(key, payload []byte) error {
		if err := block.DecodeKeys(keys, key, payload); err != nil {
			return err
		}
		if uint64(keys.Len()) > r.Slots {
			return fault.Record("more keys than the %d slots", r.Slots)
		}
		return t.Took(len(payload), keys.Growing)
	})
	t.Complete(keys.Bytes())
	if err == nil && uint64(keys.Len()) != r.Slots {
		err = fault.Record("%d keys for %d slots", keys.Len(), r.Slots)
	}
	return err
}

// readAttributes reads the columns of all attributes by slot.
func readAttributes(t *tree.Tx, graph string, r *Record, c *Contents) error {
	c.Attributes, c.NextAttribute = slices.Clone(r.Attributes), r.NextAttribute
	for _, a := range r.Attributes {
		column, err := ReadColumn(t, r, a, int(r.Slots), nil)
		if err != nil {
			return fault.Corrupt(t.Path, DescribeAttribute(graph, a.Name), err)
		}
		c.Columns = append(c.Columns, column)
		t.Complete(column.Bytes())
	}
	return nil
}

// ReadColumn reads the values of an attribute of vertices into a column of length n.
// vertices, where not nil, gives the place of each slot.
func ReadColumn(t *tree.Tx, r *Record, a AttributeRecord, n int, vertices []uint32) (*block.Column, error) {
	w := columnWriter{t: t, column: block.NewColumn(a.Attribute(), n)}
	return w.finish(a, EachValue(t, r, a, func(slot uint32, v block.Value) error {
		at := slot
		if vertices != nil && uint64(slot) < uint64(len(vertices)) {
			at = vertices[slot]
		}
		if uint64(at) >= uint64(n) {
			return fault.Record("value of slot %d, which is empty or beyond the graph", slot)
		}
		return w.put(int64(at), v)
	}))
}

// EdgeColumns reads the values of attributes of edges by the numbers of the edges between vertices.
func EdgeColumns(t *tree.Tx, graph string, r *Record, attributes []AttributeRecord) ([]*block.Column, error) {
	c, err := Contents{Graph: &csr.Graph{Offsets: []int64{0}}}, error(nil)
	if c.Slots, err = SlotsOf(t, r); err != nil {
		return nil, fault.Corrupt(t.Path, DescribeGraph(graph)+", empty slots", err)
	}
	vertices := c.Slots.Table()
	if r.Directed {
		c.Directed, err = ReadDirected(t, graph, r)
	} else if r.Object != 0 {
		c.Graph, err = ReadArcs(t, r, int(r.Vertices), vertices, func() error { return nil })
		err = fault.Corrupt(t.Path, DescribeGraph(graph)+", arcs", err)
	}
	if err != nil {
		return nil, err
	}
	return ReadEdgeColumns(t, graph, r, attributes, c.Order, vertices)
}

// ReadEdgeColumns reads the values of attributes of edges by the numbers that order, which is called
// for each of them, gives the edges. vertices, where not nil, gives the vertex of each slot.
func ReadEdgeColumns(t *tree.Tx, graph string, r *Record, attributes []AttributeRecord, order func() *csr.EdgeOrder, vertices []uint32) ([]*block.Column, error) {
	var columns []*block.Column
	for _, a := range attributes {
		column, err := ReadEdgeColumn(t, r, a, order(), vertices)
		if err != nil {
			return nil, fault.Corrupt(t.Path, DescribeValues[block.Arc](graph, a.Name), err)
		}
		columns = append(columns, column)
		t.Complete(column.Bytes())
	}
	return columns, nil
}

// ReadEdgeColumn reads the values of an attribute of edges as ReadEdgeColumns does.
func ReadEdgeColumn(t *tree.Tx, r *Record, a AttributeRecord, order *csr.EdgeOrder, vertices []uint32) (*block.Column, error) {
	if r.Count() > math.MaxUint32 {
		return nil, fmt.Errorf("attribute %q of %d edges: %w", fault.Clip(a.Name), r.Count(), fault.ErrLimit)
	}
	w, last := columnWriter{t: t, column: block.NewColumn(a.Attribute(), int(r.Count()))}, block.Arc(0)
	return w.finish(a, EachValue(t, r, a, func(arc block.Arc, v block.Value) error {
		if arc <= last {
			return fault.Record("attribute blocks do not ascend")
		}
		last = arc
		source, target := arc.Source(), arc.Target()
		if vertices != nil {
			if uint64(max(source, target)) >= uint64(len(vertices)) {
				return fault.Record("value of the edge of slots (%d, %d) of %d", source, target, len(vertices))
			}
			source, target = vertices[source], vertices[target]
		}
		at, found := order.Number(source, target)
		if !found || at >= int64(r.Count()) {
			return fault.Record("value of the edge of slots (%d, %d), which the graph does not have", arc.Source(), arc.Target())
		}
		return w.put(at, v)
	}))
}

// columnWriter fills a column with the values of an attribute.
type columnWriter struct {
	t      *tree.Tx
	column *block.Column
	next   int64 // numbers from this one on may follow
}

// put sets the value of a number in the column.
func (w *columnWriter) put(at int64, v block.Value) error {
	if at < w.next {
		return fault.Record("attribute blocks do not ascend")
	}
	w.next = at + 1
	block.PutValue(w.column, uint32(at), v)
	return w.t.Took(8+len(v.Text()), w.column.Growing)
}

// finish returns the column after the last value, or after an error.
func (w *columnWriter) finish(a AttributeRecord, err error) (*block.Column, error) {
	if err == nil && uint64(w.column.Count()) != a.Values {
		err = fault.Record("%d values where the catalogue says %d", w.column.Count(), a.Values)
	}
	block.CompactColumn(w.column)
	return w.column, err
}

// EachValue calls yield with every value of an attribute, in the order of the
// blocks. A text is valid during the call only.
func EachValue[P block.Place](t *tree.Tx, r *Record, a AttributeRecord, yield func(place P, v block.Value) error) error {
	if r.Object == 0 {
		return nil
	}
	p, found, err := t.FindPart(r.Object, block.ValuePart[P]())
	if err != nil || !found {
		return err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	cursor := p.Bucket.Cursor()
	for key, record := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, record = cursor.Next() {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		payload, err := p.Seed.Open(key, record)
		if err != nil {
			return err
		}
		if err := block.DecodeValues(a.Type, key, payload, yield); err != nil {
			return err
		}
		t.Scanned++
	}
	return nil
}

// ValuesAt returns the values of an attribute at places in ascending order. It
// reads each block that can hold one of them once.
func ValuesAt[P block.Place](t *tree.Tx, r *Record, a AttributeRecord, places []P) ([]block.Value, error) {
	values := make([]block.Value, len(places))
	if r.Object == 0 {
		return values, nil
	}
	p, found, err := t.FindPart(r.Object, block.ValuePart[P]())
	if err != nil || !found {
		return values, err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	for at := 0; at < len(places); {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		b := p.BlockOf(prefix, block.AttrKey(a.ID, places[at]))
		if b.Key == nil {
			return values, nil
		}
		payload, err := p.Seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		err = block.DecodeValues(a.Type, b.Key, payload, func(place P, v block.Value) error {
			for at < len(places) && places[at] < place {
				at++
			}
			if at < len(places) && places[at] == place {
				values[at] = block.CloneValue(v)
				at++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		// The next block has the next value, or there is none.
		next := p.After(prefix, b.Key)
		if next.Key == nil {
			return values, nil
		}
		if !block.IsAttrKey[P](next.Key) {
			return nil, fault.Record("attribute block with a key of %d bytes", len(next.Key))
		}
		for first := block.PlaceOfKey[P](next.Key); at < len(places) && places[at] < first; {
			at++
		}
	}
	return values, nil
}
