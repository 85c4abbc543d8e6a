package storage

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Columns returns the values of attributes of a graph, vertex by vertex as in
// the Snapshot of the given version, in the order of the names; without names,
// all attributes in the order of GraphInfo.Attributes. If the graph has another
// version by now, it returns ErrConflict; an unknown attribute gives a
// NotFoundError. It reads only the blocks of these attributes.
func (db *DB) Columns(ctx context.Context, graph string, version uint64, names ...string) ([]*Column, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]*Column, error) {
		if r.Version != version {
			return nil, fmt.Errorf("graph %q has version %d, no longer %d: %w", graph, r.Version, version, ErrConflict)
		}
		return namedColumns(t, graph, r, names)
	})
}

// SnapshotColumns reads the latest version of a graph as Snapshot does, and attributes
// of the same version as Columns does, both in one read transaction: unlike with two
// calls, both are always of the same version.
func (db *DB) SnapshotColumns(ctx context.Context, graph string, names ...string) (*Snapshot, []*Column, error) {
	var columns []*Column
	s, err := viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (s *Snapshot, err error) {
		if columns, err = namedColumns(t, graph, r, names); err == nil {
			s, err = snapshot(t, graph, r)
		}
		return s, err
	})
	if err != nil {
		return nil, nil, err
	}
	return s, columns, nil
}

// namedColumns reads the columns of some attributes, or of all without names.
func namedColumns(t *tree.Tx, graph string, r *graphs.Record, names []string) ([]*Column, error) {
	wanted := r.Attributes
	if len(names) > 0 {
		wanted = nil
	}
	for _, name := range names {
		i := r.FindAttribute(name)
		if i < 0 {
			return nil, &NotFoundError{Kind: "attribute", Name: name}
		}
		wanted = append(wanted, r.Attributes[i])
	}
	return columns(t, graph, r, wanted)
}

// columns reads columns by vertex.
func columns(t *tree.Tx, graph string, r *graphs.Record, attributes []graphs.AttributeRecord) ([]*Column, error) {
	slots, err := graphs.SlotsOf(t, r)
	if err != nil {
		return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", err)
	}
	vertices := slots.Table()
	columns := make([]*Column, len(attributes))
	for i, a := range attributes {
		if columns[i], err = graphs.ReadColumn(t, r, a, int(r.Vertices), vertices); err != nil {
			return nil, fault.Corrupt(t.Path, graphs.DescribeAttribute(graph, a.Name), err)
		}
	}
	return columns, nil
}

// Vertex returns a vertex with its attributes, in the order of
// GraphInfo.Attributes and without missing ones. It reads a block per attribute
// and does not need the graph in memory.
func (db *DB) Vertex(ctx context.Context, graph, key string) (Vertex, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (Vertex, error) { return vertex(t, graph, r, key) })
}

// VertexEdges reads a vertex as Vertex does and its edges as Neighbors does, both
// of the version of the graph that it returns.
func (db *DB) VertexEdges(ctx context.Context, graph, key string) (info GraphInfo, v Vertex, edges []Edge, err error) {
	edges, err = viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (_ []Edge, err error) {
		info = graphInfo(r, graph)
		if v, err = vertex(t, graph, r, key); err != nil {
			return nil, err
		}
		return edgesOfIn(t, r, graph, key)
	})
	return info, v, edges, err
}

func vertex(t *tree.Tx, graph string, r *graphs.Record, key string) (Vertex, error) {
	slot, err := graphs.SlotOfVertex(t, r, graph, key)
	if err != nil {
		return Vertex{}, err
	}
	v := Vertex{Key: key}
	for _, a := range r.Attributes {
		values, err := graphs.ValuesAt(t, r, a, []uint32{slot})
		if err != nil {
			return Vertex{}, fault.Corrupt(t.Path, graphs.DescribeAttribute(graph, a.Name), err)
		}
		if !values[0].IsMissing() {
			v.Values = append(v.Values, NamedValue{Name: a.Name, Value: values[0]})
		}
	}
	return v, nil
}

// Keys returns the keys of a graph that start with prefix, in ascending order of
// their bytes: the first limit ones, or all where limit is 0; a negative limit is
// ErrInvalid. It reads the blocks that hold them.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: a limit of %d keys", ErrInvalid, limit)
	}
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]string, error) {
		if r.Object == 0 {
			return nil, nil
		}
		keys, err := graphs.KeysWith(t, r, prefix, limit)
		return keys, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", ids", err)
	})
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
		return g.record.AddAttribute(a)
	}
	if err := dropAttribute(t, g, g.record.Attributes[at]); err != nil {
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
		g.attribute(slot)
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
		if key, record, next = block.NextValueBlock(id, c, next); key == nil {
			return nil
		}
		if err := p.Put(key, p.Seed.Seal(key, record)); err != nil {
			return err
		}
	}
	return nil
}
