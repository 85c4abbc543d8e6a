package graphs

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// slotOf returns the slot of the vertex with the given key, and whether there is
// one. It reads the one block that can hold it.
func slotOf(t *tree.Tx, r *Record, key []byte) (slot uint32, found bool, err error) {
	if r.Object == 0 {
		return 0, false, nil
	}
	p, err := t.Part(r.Object, block.IDsName)
	if err != nil {
		return 0, false, err
	}
	b := p.BlockOf(nil, key)
	if b.Key == nil {
		return 0, false, nil
	}
	payload, err := p.Seed.Open(b.Key, b.Record)
	if err != nil {
		return 0, false, err
	}
	slot, found, err = block.FindID(b.Key, payload, key)
	if err == nil && found && uint64(slot) >= r.Slots {
		err = fault.Record("slot %d of %d", slot, r.Slots)
	}
	return slot, found && err == nil, err
}

// SlotOfVertex is slotOf for a vertex that must exist. Errors name the graph.
func SlotOfVertex(t *tree.Tx, r *Record, graph, key string) (uint32, error) {
	slot, found, err := slotOf(t, r, block.BytesOf(key))
	if err == nil && !found {
		err = &fault.NotFoundError{Kind: "vertex", Name: key}
	}
	return slot, fault.Corrupt(t.Path, DescribeGraph(graph)+", ids", err)
}

// SlotsOfKeys returns the slot of each key, block.NoVertex where there is none. It
// reads each block that can hold one of them once.
func SlotsOfKeys(t *tree.Tx, r *Record, keys [][]byte) ([]uint32, error) {
	slots := make([]uint32, len(keys))
	for i := range slots {
		slots[i] = block.NoVertex
	}
	if r.Object == 0 || len(keys) == 0 {
		return slots, nil
	}
	p, err := t.Part(r.Object, block.IDsName)
	if err != nil {
		return nil, err
	}
	order, err := orderOf(t, keys)
	if err != nil {
		return nil, err
	}
	for len(order) > 0 {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		b := p.BlockOf(nil, keys[order[0]])
		if b.Key == nil {
			return slots, nil
		}
		here := len(order) // those before the next block
		if next := p.After(nil, b.Key); next.Key != nil {
			here = 1 + sort.Search(len(order)-1, func(i int) bool { return bytes.Compare(keys[order[i+1]], next.Key) >= 0 })
		}
		if err := findInBlock(t, r, p, b, keys, order[:here], slots); err != nil {
			return nil, err
		}
		order = order[here:]
	}
	return slots, nil
}

// orderOf returns the indices of the keys in ascending order of the keys.
func orderOf(t *tree.Tx, keys [][]byte) ([]int, error) {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	return block.MergeSort(t.Ctx, order, func(a, b int) int {
		return cmp.Or(bytes.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
}

// findInBlock enters the slots of the keys that an id block holds.
func findInBlock(t *tree.Tx, r *Record, p tree.Part, b block.Sealed, keys [][]byte, order []int, slots []uint32) error {
	payload, err := p.Seed.Open(b.Key, b.Record)
	if err != nil {
		return err
	}
	return block.FindIDs(b.Key, payload, keys, order, func(i int, slot uint32) error {
		if uint64(slot) >= r.Slots {
			return fault.Record("slot %d of %d", slot, r.Slots)
		}
		slots[i] = slot
		return nil
	})
}

// KeysOfSlots returns the keys of slots in ascending order, all of which must be
// those of vertices.
func KeysOfSlots(t *tree.Tx, r *Record, slots []uint32) ([]string, error) {
	keys, err := KeysIfThere(t, r, slots)
	if err != nil {
		return nil, err
	}
	if at := slices.Index(keys, ""); at >= 0 {
		return nil, fault.Record("slot %d is empty", slots[at])
	}
	return keys, nil
}

// KeysIfThere returns the keys of slots in ascending order, "" for an empty slot. It
// reads each block that holds one of them once, and only as far as the last of them.
func KeysIfThere(t *tree.Tx, r *Record, slots []uint32) ([]string, error) {
	keys := make([]string, 0, len(slots))
	if len(slots) == 0 {
		return keys, nil
	}
	p, err := t.Part(r.Object, block.KeysName)
	if err != nil {
		return nil, err
	}
	for len(keys) < len(slots) {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		before := len(keys)
		b := p.BlockOf(nil, block.Key32(slots[before]))
		if b.Key == nil {
			return nil, fault.Record("no key of slot %d", slots[before])
		}
		payload, err := p.Seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		if keys, err = block.FindKeys(keys, b.Key, payload, slots); err != nil {
			return nil, err
		}
		if len(keys) == before {
			return nil, fault.Record("no key of slot %d", slots[before])
		}
	}
	return keys, nil
}

// AddVertices gives slots to new keys, which are valid, distinct and not in the graph,
// in the order of the list, and counts them in r. A graph without an object gets one.
// It does not copy the keys.
func AddVertices(t *tree.Tx, r *Record, keys [][]byte) ([]uint32, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	if r.Slots+uint64(len(keys)) > block.MaxVertices {
		return nil, fmt.Errorf("more than %d vertices: %w", uint64(block.MaxVertices), fault.ErrLimit)
	}
	if r.Object == 0 {
		var err error
		if r.Object, err = t.NewObject(tree.GraphParts[:]...); err != nil {
			return nil, err
		}
	}
	slots := make([]uint32, len(keys))
	bySlot, byKey := make([]block.Edit[block.KeyEntry], len(keys)), make([]block.Edit[block.IDEntry], len(keys))
	for i, key := range keys {
		slots[i] = uint32(r.Slots) + uint32(i)
		bySlot[i].Entry = block.KeyEntry{Slot: slots[i], Key: key}
	}
	order, err := orderOf(t, keys)
	if err != nil {
		return nil, err
	}
	for at, i := range order {
		byKey[at].Entry = block.IDEntry{Key: keys[i], Slot: slots[i]}
	}
	if err := EditPart(t, r.Object, block.KeysName, block.KeyList, bySlot); err != nil {
		return nil, err
	}
	if err := EditPart(t, r.Object, block.IDsName, block.IDList, byKey); err != nil {
		return nil, err
	}
	r.Slots += uint64(len(keys))
	r.Vertices += uint64(len(keys))
	return slots, nil
}

// RemoveVertices empties the slots of vertices, given in ascending order of the
// slots with their keys, and counts them in r. Their edges and attributes must
// be gone.
func RemoveVertices(t *tree.Tx, r *Record, vertices []block.IDEntry) error {
	if len(vertices) == 0 {
		return nil
	}
	bySlot, empty := make([]block.Edit[block.KeyEntry], len(vertices)), make([]block.Edit[uint32], len(vertices))
	byKey := make([]block.Edit[block.IDEntry], len(vertices))
	for i, v := range vertices {
		bySlot[i].Entry = block.KeyEntry{Slot: v.Slot}
		empty[i].Entry = v.Slot
		byKey[i] = block.Edit[block.IDEntry]{Entry: v, Remove: true}
	}
	byKey, err := block.MergeSort(t.Ctx, byKey, func(a, b block.Edit[block.IDEntry]) int { return bytes.Compare(a.Entry.Key, b.Entry.Key) })
	if err != nil {
		return err
	}
	if err := EditPart(t, r.Object, block.KeysName, block.KeyList, bySlot); err != nil {
		return err
	}
	if err := EditPart(t, r.Object, block.IDsName, block.IDList, byKey); err != nil {
		return err
	}
	if _, err := t.OpenPart(r.Object, block.EmptyName); err != nil {
		return err
	}
	if err := EditPart(t, r.Object, block.EmptyName, block.SlotList, empty); err != nil {
		return err
	}
	r.Vertices -= uint64(len(vertices))
	return nil
}
