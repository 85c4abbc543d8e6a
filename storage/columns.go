package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// findAttribute returns the number of an attribute in r.Attributes, -1 where
// there is none of this name.
func (r *graphRecord) findAttribute(name string) int {
	for i := range r.Attributes {
		if r.Attributes[i].Name == name {
			return i
		}
	}
	return -1
}

// addAttribute enters a new attribute and returns its number in r.Attributes.
func (r *graphRecord) addAttribute(a Attribute) (int, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if r.NextAttribute == math.MaxUint16 {
		return 0, fmt.Errorf("attribute %q: more than %d attributes: %w", fault.Clip(a.Name), r.NextAttribute, ErrLimit)
	}
	// The list may be shared with another copy of the record.
	list := r.Attributes[:len(r.Attributes):len(r.Attributes)]
	r.Attributes = append(list, attributeRecord{ID: r.NextAttribute, Name: a.Name, Type: a.Type})
	r.NextAttribute++
	return len(list), nil
}

// Columns returns the values of attributes of a graph, vertex by vertex as in
// the Snapshot of the given version, in the order of the names; without names,
// all attributes in the order of GraphInfo.Attributes. If the graph has another
// version by now it is ErrConflict, and a name that is no attribute is a
// NotFoundError. It reads the blocks of these attributes only.
func (db *DB) Columns(ctx context.Context, graph string, version uint64, names ...string) ([]*Column, error) {
	var columns []*Column
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		if r.Version != version {
			return fmt.Errorf("graph %q has version %d, no longer %d: %w", graph, r.Version, version, ErrConflict)
		}
		columns, err = t.namedColumns(graph, r, names)
		return err
	})
	return columns, err
}

// SnapshotColumns reads the latest version of a graph as Snapshot does, and
// attributes of the same version as Columns does, both in one read transaction:
// unlike two calls, they agree however often the graph is written.
func (db *DB) SnapshotColumns(ctx context.Context, graph string, names ...string) (*Snapshot, []*Column, error) {
	var s *Snapshot
	var columns []*Column
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		if columns, err = t.namedColumns(graph, r, names); err != nil {
			return err
		}
		s, err = t.snapshot(graph, r)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return s, columns, nil
}

// namedColumns reads the columns of some attributes, or of all without names.
func (t *tx) namedColumns(graph string, r *graphRecord, names []string) ([]*Column, error) {
	wanted := r.Attributes
	if len(names) > 0 {
		wanted = nil
	}
	for _, name := range names {
		i := r.findAttribute(name)
		if i < 0 {
			return nil, &NotFoundError{Kind: "attribute", Name: name}
		}
		wanted = append(wanted, r.Attributes[i])
	}
	return t.columns(graph, r, wanted)
}

// columns reads columns by vertex.
func (t *tx) columns(graph string, r *graphRecord, attributes []attributeRecord) ([]*Column, error) {
	slots, err := t.slotsOf(r)
	if err != nil {
		return nil, fault.Corrupt(t.path, describeGraph(graph)+", empty slots", err)
	}
	vertices := slots.Table()
	columns := make([]*Column, len(attributes))
	for i, a := range attributes {
		if columns[i], err = t.readColumn(r, a, int(r.Vertices), vertices); err != nil {
			return nil, fault.Corrupt(t.path, describeAttribute(graph, a.Name), err)
		}
	}
	return columns, nil
}

// readAttributes reads the columns of all attributes by slot.
func (t *tx) readAttributes(graph string, r *graphRecord, c *contents) error {
	c.attributes, c.nextAttribute = slices.Clone(r.Attributes), r.NextAttribute
	for _, a := range r.Attributes {
		column, err := t.readColumn(r, a, int(r.Slots), nil)
		if err != nil {
			return fault.Corrupt(t.path, describeAttribute(graph, a.Name), err)
		}
		c.columns = append(c.columns, column)
	}
	return nil
}

func describeAttribute(graph, name string) string {
	return fmt.Sprintf("%s, attribute %q", describeGraph(graph), name)
}

// readColumn reads the values of an attribute into a column of length n.
// vertices, where not nil, gives the place of each slot.
func (t *tx) readColumn(r *graphRecord, a attributeRecord, n int, vertices []uint32) (*Column, error) {
	c := NewColumn(a.attribute(), n)
	next := uint64(0)
	err := t.eachValue(r, a, func(slot uint32, v Value) error {
		if uint64(slot) < next {
			return fault.Record("attribute blocks do not ascend")
		}
		next = uint64(slot) + 1
		if vertices != nil && next <= uint64(len(vertices)) {
			slot = vertices[slot]
		}
		if uint64(slot) >= uint64(n) {
			return fault.Record("value of slot %d, which is empty or beyond the graph", next-1)
		}
		block.PutValue(c, slot, v)
		return nil
	})
	if err == nil && uint64(c.Count()) != a.Values {
		err = fault.Record("%d values where the catalogue says %d", c.Count(), a.Values)
	}
	block.CompactColumn(c)
	return c, err
}

// eachValue calls yield with every value of an attribute, in the order of the
// blocks. A text is valid during the call only.
func (t *tx) eachValue(r *graphRecord, a attributeRecord, yield func(slot uint32, v Value) error) error {
	if r.Object == 0 {
		return nil
	}
	p, found, err := t.findPart(r.Object, block.AttrsName)
	if err != nil || !found {
		return err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	cursor := p.bucket.Cursor()
	for key, record := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, record = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("%w", err)
		}
		payload, err := p.seed.Open(key, record)
		if err != nil {
			return err
		}
		if err := block.DecodeValues(a.Type, key, payload, yield); err != nil {
			return err
		}
		t.scanned++
	}
	return nil
}

// valuesAt returns the values of an attribute at slots in ascending order. It
// reads each block that can hold one of them once.
func (t *tx) valuesAt(r *graphRecord, a attributeRecord, slots []uint32) ([]Value, error) {
	values := make([]Value, len(slots))
	if r.Object == 0 {
		return values, nil
	}
	p, found, err := t.findPart(r.Object, block.AttrsName)
	if err != nil || !found {
		return values, err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	for at := 0; at < len(slots); {
		if err := t.ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		b := p.blockOf(prefix, block.AttrKey(a.ID, slots[at]))
		if b.Key == nil {
			return values, nil
		}
		payload, err := p.seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		err = block.DecodeValues(a.Type, b.Key, payload, func(slot uint32, v Value) error {
			for at < len(slots) && slots[at] < slot {
				at++
			}
			if at < len(slots) && slots[at] == slot {
				values[at] = block.CloneValue(v)
				at++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		// The next block has the next value, or there is none.
		next := p.after(prefix, b.Key)
		if next.Key == nil {
			return values, nil
		}
		if len(next.Key) != block.AttrKeySize {
			return nil, fault.Record("attribute block with a key of %d bytes", len(next.Key))
		}
		for first := binary.BigEndian.Uint32(next.Key[2:]); at < len(slots) && slots[at] < first; {
			at++
		}
	}
	return values, nil
}

// Vertex returns a vertex with its attributes, in the order of
// GraphInfo.Attributes and without missing ones. It reads a block per attribute
// and does not need the graph in memory.
func (db *DB) Vertex(ctx context.Context, graph, key string) (Vertex, error) {
	var v Vertex
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err == nil {
			v, err = t.vertex(graph, r, key)
		}
		return err
	})
	return v, err
}

// VertexEdges reads a vertex as Vertex does and its edges as Neighbors does, both
// of the version of the graph that it returns.
func (db *DB) VertexEdges(ctx context.Context, graph, key string) (info GraphInfo, v Vertex, edges []Edge, err error) {
	err = db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		info = r.info(graph)
		if v, err = t.vertex(graph, r, key); err != nil {
			return err
		}
		edges, err = t.edgesOf(r, graph, key)
		return err
	})
	return info, v, edges, err
}

func (t *tx) vertex(graph string, r *graphRecord, key string) (Vertex, error) {
	slot, found, err := t.slotOf(r, []byte(key))
	if err != nil {
		return Vertex{}, fault.Corrupt(t.path, describeGraph(graph)+", ids", err)
	}
	if !found {
		return Vertex{}, &NotFoundError{Kind: "vertex", Name: key}
	}
	v := Vertex{Key: key}
	for _, a := range r.Attributes {
		values, err := t.valuesAt(r, a, []uint32{slot})
		if err != nil {
			return Vertex{}, fault.Corrupt(t.path, describeAttribute(graph, a.Name), err)
		}
		if !values[0].IsMissing() {
			v.Values = append(v.Values, NamedValue{Name: a.Name, Value: values[0]})
		}
	}
	return v, nil
}

// Keys returns the keys of a graph that start with prefix, in ascending order of
// their bytes: the first limit ones, or all where limit is not positive. It
// reads the blocks that hold them.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	var keys []string
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil || r.Object == 0 {
			return err
		}
		keys, err = t.keysWith(r, prefix, limit)
		return fault.Corrupt(t.path, describeGraph(graph)+", ids", err)
	})
	return keys, err
}

func (t *tx) keysWith(r *graphRecord, prefix string, limit int) ([]string, error) {
	p, err := t.part(r.Object, block.IDsName)
	if err != nil {
		return nil, err
	}
	var keys []string
	for b := p.blockOf(nil, []byte(prefix)); b.Key != nil; b = p.after(nil, b.Key) {
		if err := t.ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		payload, err := p.seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		over := false
		err = block.DecodeIDs(b.Key, payload, func(key []byte, _ uint32) error {
			switch {
			case over:
			case bytes.HasPrefix(key, block.BytesOf(prefix)):
				keys = append(keys, string(key))
				over = limit > 0 && len(keys) == limit
			default:
				over = string(key) > prefix
			}
			return nil
		})
		if err != nil || over {
			return keys, err
		}
	}
	return keys, nil
}
