package storage

import (
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"slices"
)

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
