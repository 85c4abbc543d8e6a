package storage

import (
	"encoding/binary"
	"fmt"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
)

// checkEmpty verifies that the slots without a key are the empty ones.
func checkEmpty(keys *block.KeySet, slots *block.SlotMap) error {
	empty := slots.Empty
	for slot := range uint32(keys.Len()) {
		listed := len(empty) > 0 && empty[0] == slot
		if hasKey := len(keys.At(slot)) > 0; hasKey == listed {
			return fault.Record("slot %d has the key %q, and is listed as empty: %t", slot, fault.Clip(string(keys.At(slot))), listed)
		}
		if listed {
			empty = empty[1:]
		}
	}
	return nil
}

// checkNoEdges verifies that empty slots have no edges.
func checkNoEdges(g *csr.Graph, slots *block.SlotMap) error {
	for _, slot := range slots.Empty {
		if g.Degree(slot) > 0 {
			return fault.Record("empty slot %d has %d edges", slot, g.Degree(slot))
		}
	}
	return nil
}

const remedyAttribute = "drop the attribute and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"

// checkAttributes verifies every attribute: the types of its blocks, that the
// slots of its values ascend and hold vertices, and the number of its values;
// and that every block belongs to an attribute.
func (c *checker) checkAttributes(where string, r *graphs.Record, slots *block.SlotMap) error {
	vertices := slots.Table()
	prefixes := make(map[string]bool)
	for _, a := range r.Attributes {
		prefixes[string(binary.BigEndian.AppendUint16(nil, a.ID))] = true
		c.try(fmt.Sprintf("%s, attribute %q", where, a.Name), remedyAttribute, func() error {
			_, err := graphs.ReadColumn(c.tx, r, a, slots.Vertices(), vertices)
			return err
		})
	}
	return c.try(where+", attributes", remedyAttribute, func() error {
		p, found, err := c.tx.FindPart(r.Object, block.AttrsName)
		if err != nil || !found {
			return err
		}
		cursor := p.Bucket.Cursor()
		for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
			if len(key) != block.AttrKeySize || !prefixes[string(key[:2])] {
				return fault.Record("block %x belongs to no attribute", key)
			}
		}
		return nil
	})
}

// checkChange verifies that an entry of the change log names slots of the graph,
// and as deleted only empty ones.
func (c *checker) checkChange(r *graphs.Record, version uint64, entry *block.Change) error {
	for _, list := range [][]uint32{entry.Edges, entry.Values, entry.Deleted} {
		if n := len(list); n > 0 && uint64(list[n-1]) >= r.Slots {
			return fault.Record("version %d changes slot %d of %d", version, list[n-1], r.Slots)
		}
	}
	slots := c.slots[r.ID]
	if slots == nil {
		return nil
	}
	for _, slot := range entry.Deleted {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("version %d deletes slot %d, which is not empty", version, slot)
		}
	}
	return nil
}

// checkRowSlots verifies the empty slots of an embedding: they are empty in its
// graph too, and all of them where both are of one version.
func (c *checker) checkRowSlots(r *embeddingRecord) error {
	m, err := embeddingSlots(c.tx, r)
	if err != nil {
		return err
	}
	slots := c.slots[r.GraphID]
	if slots == nil {
		return nil
	}
	if c.graphs[r.GraphID].Version == r.GraphVersion && len(m.Empty) != len(slots.Empty) {
		return fault.Record("%d empty slots, and its graph has %d", len(m.Empty), len(slots.Empty))
	}
	for _, slot := range m.Empty {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("slot %d is empty, but not in its graph", slot)
		}
	}
	return nil
}
