package storage

import (
	"encoding/binary"
	"fmt"

	"heavytail/storage/csr"
)

// checkEmpty verifies that the slots without a key are the empty ones.
func checkEmpty(keys *keySet, slots *slotMap) error {
	empty := slots.empty
	for slot := range uint32(keys.len()) {
		listed := len(empty) > 0 && empty[0] == slot
		if hasKey := len(keys.at(slot)) > 0; hasKey == listed {
			return badRecord("slot %d has the key %q, and is listed as empty: %t", slot, clip(string(keys.at(slot))), listed)
		}
		if listed {
			empty = empty[1:]
		}
	}
	return nil
}

// checkNoEdges verifies that empty slots have no edges.
func checkNoEdges(g *csr.Graph, slots *slotMap) error {
	for _, slot := range slots.empty {
		if g.Degree(slot) > 0 {
			return badRecord("empty slot %d has %d edges", slot, g.Degree(slot))
		}
	}
	return nil
}

const remedyAttribute = "drop the attribute and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"

// checkAttributes verifies every attribute: the types of its blocks, that the
// slots of its values ascend and hold vertices, and the number of its values;
// and that every block belongs to an attribute.
func (c *checker) checkAttributes(where string, r *graphRecord, slots *slotMap) error {
	vertices := slots.table()
	prefixes := make(map[string]bool)
	for _, a := range r.Attributes {
		prefixes[string(binary.BigEndian.AppendUint16(nil, a.ID))] = true
		err := c.try(fmt.Sprintf("%s, attribute %q", where, a.Name), remedyAttribute, func() error {
			_, err := c.tx.readColumn(r, a, slots.vertices(), vertices)
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.try(where+", attributes", remedyAttribute, func() error {
		p, found, err := c.tx.findPart(r.Object, attrsName)
		if err != nil || !found {
			return err
		}
		cursor := p.bucket.Cursor()
		for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
			if len(key) != attrKeySize || !prefixes[string(key[:2])] {
				return badRecord("block %x belongs to no attribute", key)
			}
		}
		return nil
	})
}

// checkChange verifies that an entry of the change log names slots of the graph,
// and as deleted only empty ones.
func (c *checker) checkChange(r *graphRecord, version uint64, entry *change) error {
	for _, list := range [][]uint32{entry.edges, entry.values, entry.deleted} {
		if n := len(list); n > 0 && uint64(list[n-1]) >= r.Slots {
			return badRecord("version %d changes slot %d of %d", version, list[n-1], r.Slots)
		}
	}
	slots := c.slots[r.ID]
	if slots == nil {
		return nil
	}
	for _, slot := range entry.deleted {
		if _, found := slots.vertex(slot); found {
			return badRecord("version %d deletes slot %d, which is not empty", version, slot)
		}
	}
	return nil
}

// checkRowSlots verifies the empty slots of an embedding: they are empty in its
// graph too, and all of them where both are of one version.
func (c *checker) checkRowSlots(r *embeddingRecord) error {
	m, err := c.tx.embeddingSlots(r)
	if err != nil {
		return err
	}
	slots := c.slots[r.GraphID]
	if slots == nil {
		return nil
	}
	if c.graphs[r.GraphID].Version == r.GraphVersion && len(m.empty) != len(slots.empty) {
		return badRecord("%d empty slots, and its graph has %d", len(m.empty), len(slots.empty))
	}
	for _, slot := range m.empty {
		if _, found := slots.vertex(slot); found {
			return badRecord("slot %d is empty, but not in its graph", slot)
		}
	}
	return nil
}
