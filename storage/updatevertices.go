package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// vertexBatch is the vertices of one call, and what is known of them.
type vertexBatch struct {
	vertices []Vertex
	keys     [][]byte // distinct keys, in the order of their first appearance
	numbers  []uint32 // key of each vertex
	slots    []uint32 // of each key, block.NoVertex where it is not in the graph

	values valueBatch[uint32]
}

func newVertexBatch(ctx context.Context, vertices []Vertex) (*vertexBatch, error) {
	b := &vertexBatch{vertices: vertices, numbers: make([]uint32, len(vertices)), values: valueBatch[uint32]{changed: make([]bool, len(vertices))}}
	if uint64(len(vertices)) > block.MaxVertices {
		return nil, fmt.Errorf("%d vertices: %w", len(vertices), ErrLimit)
	}
	names := block.NewInterner()
	for i := range vertices {
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		number, err := names.Intern(block.BytesOf(vertices[i].Key))
		if err != nil {
			return nil, err
		}
		if b.numbers[i] = number; int(number) == len(b.keys) {
			b.keys = append(b.keys, block.BytesOf(vertices[i].Key))
		}
	}
	return b, nil
}

// find looks the keys up and gives every value its attribute. Attributes that the graph
// does not have are added with the type of their first value; nothing is written yet.
// If strict is set, unknown keys are refused, and unknown attributes of which a value
// is to be removed.
func (b *vertexBatch) find(t *tree.Tx, g *graphState, strict bool) (err error) {
	b.slots, err = graphs.SlotsOfKeys(t, &g.record, b.keys)
	if err != nil {
		return fault.Corrupt(t.Path, graphs.DescribeGraph(g.name)+", ids", err)
	}
	if i := slices.Index(b.slots, block.NoVertex); strict && i >= 0 {
		return &NotFoundError{Kind: "vertex", Name: string(b.keys[i])}
	}
	b.values.record = g.record
	for i := range b.vertices {
		if i%(block.CheckEvery/16) == 0 && t.Ctx.Err() != nil {
			return t.Ctx.Err()
		}
		for _, v := range b.vertices[i].Values {
			if err := b.values.request(uint32(i), v, strict); err != nil {
				return fmt.Errorf("vertex %q: %w", fault.Clip(b.vertices[i].Key), err)
			}
		}
	}
	return nil
}

// addMissing adds the vertices that the graph does not have, and returns which of the
// batch they are.
func (b *vertexBatch) addMissing(t *tree.Tx, g *graphState) (added map[uint32]bool, err error) {
	added = make(map[uint32]bool)
	var keys [][]byte
	for i, slot := range b.slots {
		if slot == block.NoVertex {
			keys = append(keys, b.keys[i])
			added[uint32(i)] = true
		}
	}
	slots, err := graphs.AddVertices(t, &g.record, keys)
	if err != nil {
		return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(g.name), err)
	}
	if len(slots) > 0 {
		g.touch(slots...)
	}
	for i, slot := range b.slots {
		if slot == block.NoVertex {
			b.slots[i], slots = slots[0], slots[1:]
		}
	}
	return added, nil
}

// apply writes the values.
func (b *vertexBatch) apply(t *tree.Tx, g *graphState) error {
	return b.values.apply(t, g, func(i uint32) (uint32, bool) { return b.slots[b.numbers[i]], true })
}

// InsertVertices adds vertices to a graph, in the order of the list. A vertex that the
// graph has gets the given values, and counts as Updated, or Unchanged if it had them.
// An attribute that the graph does not have is added with the type of its first value;
// a missing value removes the value from the vertex. An invalid key is ErrKey, an
// invalid name of an attribute ErrName, and a value whose type differs from that of its
// attribute ErrInvalid.
//
// Each block of keys or values that changes is rewritten once, so a vertex of a large
// batch costs much less than a single one.
func (x *Tx) InsertVertices(graph string, vertices []Vertex) (WriteStats, error) {
	b, err := newVertexBatch(x.tx.Ctx, vertices)
	if err != nil {
		return WriteStats{}, err
	}
	find := func(g *graphState) error { return b.find(x.tx, g, false) }
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) error {
		added, err := b.addMissing(x.tx, g)
		if err != nil {
			return err
		}
		if err := b.apply(x.tx, g); err != nil {
			return err
		}
		b.count(stats, added)
		return nil
	})
}

// count counts a vertex as new the first time that it occurs, and later as updated or
// unchanged. It empties added, the keys that are new.
func (b *vertexBatch) count(stats *WriteStats, added map[uint32]bool) {
	for i, number := range b.numbers {
		switch {
		case added[number]:
			stats.Inserted++
			delete(added, number)
		case b.values.changed[i]:
			stats.Updated++
		default:
			stats.Unchanged++
		}
	}
}

// UpdateVertices sets values of vertices that the graph has; a missing value removes
// the value. It works like InsertVertices, but an unknown key, or an unknown attribute
// of which a value is to be removed, is a NotFoundError, and then nothing is changed.
func (x *Tx) UpdateVertices(graph string, vertices []Vertex) (WriteStats, error) {
	b, err := newVertexBatch(x.tx.Ctx, vertices)
	if err != nil {
		return WriteStats{}, err
	}
	find := func(g *graphState) error { return b.find(x.tx, g, true) }
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) error {
		if err := b.apply(x.tx, g); err != nil {
			return err
		}
		b.count(stats, nil)
		return nil
	})
}

// DeleteVertices removes vertices with their attributes and edges, which are
// counted as EdgesDeleted; keys that the graph does not have are Missing. Their
// slots are not used again. The cost is that of the blocks that hold the vertices
// and their edges, in both directions.
func (x *Tx) DeleteVertices(graph string, keys []string) (WriteStats, error) {
	var victims []block.IDEntry
	find := func(g *graphState) (err error) {
		victims, err = deletions(x.tx, &g.record, keys)
		return fault.Corrupt(x.tx.Path, graphs.DescribeGraph(g.name)+", ids", err)
	}
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) (err error) {
		stats.Deleted = int64(len(victims))
		stats.Missing = int64(len(keys)) - stats.Deleted
		stats.EdgesDeleted, err = deleteVertices(x.tx, g, victims)
		return err
	})
}

// victims returns the vertices that have one of the keys, by ascending slot.
func deletions(t *tree.Tx, r *graphs.Record, keys []string) ([]block.IDEntry, error) {
	list := make([][]byte, len(keys))
	for i, key := range keys {
		list[i] = block.BytesOf(key)
	}
	slots, err := graphs.SlotsOfKeys(t, r, list)
	if err != nil {
		return nil, err
	}
	var victims []block.IDEntry
	for i, slot := range slots {
		if slot != block.NoVertex {
			victims = append(victims, block.IDEntry{Key: list[i], Slot: slot})
		}
	}
	victims, err = block.MergeSort(t.Ctx, victims, func(a, b block.IDEntry) int { return cmp.Compare(a.Slot, b.Slot) })
	return slices.CompactFunc(victims, func(a, b block.IDEntry) bool { return a.Slot == b.Slot }), err
}

// deleteVertices removes vertices, given by ascending slot, and returns how many
// edges went with them.
func deleteVertices(t *tree.Tx, g *graphState, victims []block.IDEntry) (edges int64, err error) {
	if len(victims) == 0 {
		return 0, nil
	}
	slots := make([]uint32, len(victims))
	for i, v := range victims {
		slots[i] = v.Slot
	}
	arcs, err := arcsOfSlots(t, &g.record, slots)
	if err == nil {
		edges, err = dropEdges(t, g, arcs)
	}
	if err != nil {
		return 0, fault.Corrupt(t.Path, graphs.DescribeGraph(g.name)+", arcs", err)
	}
	if err := dropValues(t, g, slots); err != nil {
		return 0, err
	}
	g.changed = true
	g.deleted = append(g.deleted, slots...)
	return edges, fault.Corrupt(t.Path, graphs.DescribeGraph(g.name), graphs.RemoveVertices(t, &g.record, victims))
}

// arcsOfSlots returns the arcs that leave slots, given in ascending order. It
// reads the blocks that hold some of them, or could, once each.
func arcsOfSlots(t *tree.Tx, r *graphs.Record, slots []uint32) ([]block.Arc, error) {
	p, err := t.Part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	var (
		arcs    []block.Arc
		content block.ArcBlock
	)
	for b := (block.Sealed{}); len(slots) > 0; {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		if b.Key == nil {
			if b = p.BlockOf(nil, block.ArcKey(slots[0], 0)); b.Key == nil {
				return arcs, nil
			}
		}
		if err := graphs.OpenArcs(p, r, &content, b); err != nil {
			return nil, err
		}
		for _, a := range content.Arcs {
			for len(slots) > 0 && slots[0] < a.Source() {
				slots = slots[1:]
			}
			if len(slots) > 0 && slots[0] == a.Source() {
				arcs = append(arcs, a)
			}
		}
		if b = p.After(nil, b.Key); b.Key == nil {
			return arcs, nil
		}
		next := block.ArcOfKey(b.Key).Source()
		for len(slots) > 0 && slots[0] < next {
			slots = slots[1:]
		}
		if len(slots) > 0 && slots[0] > next {
			b = block.Sealed{} // some blocks may be passed over
		}
	}
	return arcs, nil
}

// Vertex returns a vertex with its attributes, as DB.Vertex does, with the
// changes of this transaction.
func (x *Tx) Vertex(graph, key string) (Vertex, error) {
	var v Vertex
	err := x.read(func() error {
		g, err := x.graph(graph)
		if err == nil {
			v, err = vertex(x.tx, graph, &g.record, key)
		}
		return err
	})
	return v, err
}

// PutColumn replaces all values of an attribute by those of a column. The column has a
// value per vertex of a snapshot of the graph, which may be older than the graph is
// now: vertices that were deleted since are left out, and new ones have no value. If
// the graph of the snapshot was dropped, it is ErrConflict. If the attribute exists, it
// is ErrExists unless replace is set; replacing may change its type. computed, if not
// nil, is kept with the attribute until its values are set in another way.
//
// All blocks of the attribute are written in the transaction: 9 bytes per float, and 2 to
// 6 per integer.
func (x *Tx) PutColumn(s *Snapshot, c *Column, computed *Computed, replace bool) (version uint64, err error) {
	name := s.Info.Name
	check := func(g *graphState) error {
		switch {
		case g.record.ID != s.Info.ID:
			return fmt.Errorf("graph %q was dropped and created again: %w", name, ErrConflict)
		case c.Len() != s.Info.Vertices:
			return fmt.Errorf("attribute %q has %d values for %d vertices: %w", fault.Clip(c.Name), c.Len(), s.Info.Vertices, ErrInvalid)
		case !replace && g.record.FindAttribute(c.Name) >= 0:
			return fmt.Errorf("attribute %q of graph %q: %w", fault.Clip(c.Name), name, ErrExists)
		}
		return c.Validate()
	}
	return x.write(name, check, func(g *graphState) error {
		at, err := emptyAttribute(x.tx, g, c.Attribute)
		if err == nil {
			err = putValues(x.tx, g, &g.record.Attributes[at], s, c)
		}
		if err != nil {
			return fault.Corrupt(x.tx.Path, graphs.DescribeAttribute(name, c.Name), err)
		}
		g.record.Attributes[at].Computed = record(computed)
		g.changed = true
		return nil
	})
}

// emptyAttribute returns the number of an attribute without values, which it enters where
// there is none of the name.
func emptyAttribute(t *tree.Tx, g *graphState, a Attribute) (int, error) {
	at := g.record.FindAttribute(a.Name)
	if at < 0 {
		return graphs.SchemaOf[uint32](&g.record).Add(a)
	}
	if err := dropAttribute[uint32](t, g, g.record.Attributes[at]); err != nil {
		return 0, err
	}
	g.record.Attributes = slices.Clone(g.record.Attributes)
	g.record.Attributes[at].Type, g.record.Attributes[at].Values = a.Type, 0
	return at, nil
}

// putValues writes the blocks of an attribute that has no values yet.
func putValues(t *tree.Tx, g *graphState, a *graphs.AttributeRecord, s *Snapshot, c *Column) error {
	if g.record.Object == 0 {
		return nil
	}
	slots, err := graphs.SlotsOf(t, &g.record)
	if err != nil {
		return err
	}
	bySlot := NewColumn(c.Attribute, int(g.record.Slots))
	for v := range uint32(c.Len()) {
		slot := s.Slot(v)
		if _, live := slots.Vertex(slot); !live || c.IsMissing(v) {
			continue
		}
		if err := bySlot.Set(slot, c.At(v)); err != nil {
			return err
		}
		attribute(g, slot)
	}
	a.Values = uint64(bySlot.Count())
	return putBlocks(t, g, a.ID, bySlot)
}

// putBlocks writes all values of a column by slot.
func putBlocks(t *tree.Tx, g *graphState, id uint16, c *Column) error {
	p, err := t.OpenPart(g.record.Object, block.AttrsName)
	if err != nil {
		return err
	}
	for next := uint32(0); next < uint32(c.Len()); {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		var key, record []byte
		if key, record, next = block.NextValueBlock(id, c, next, func(slot uint32) uint32 { return slot }); key == nil {
			return nil
		}
		if err := p.Put(key, p.Seed.Seal(key, record)); err != nil {
			return err
		}
	}
	return nil
}
