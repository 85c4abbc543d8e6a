package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/sample"
	"heavytail/storage/internal/tree"
)

// inObject runs f in a transaction on a store with one object.
func inObject(t *testing.T, f func(t *tree.Tx, object uint64) error) {
	t.Helper()
	db := newStore(t, nil)
	unlock, err := db.file.LockWriter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	rollback := errors.New("rolled back")
	err = db.file.Update(context.Background(), func(t *tree.Tx) error {
		object, err := t.NewObject(tree.GraphParts[:]...)
		if err == nil {
			err = f(t, object)
		}
		if err == nil {
			err = rollback
		}
		return err
	})
	if err != rollback {
		t.Fatal(err)
	}
}

// listEntries reads a whole block list, and fails where a block is too large.
func listEntries[E any](t *testing.T, p tree.Part, l *block.List[E]) (entries []E, blocks int) {
	t.Helper()
	for b := p.BlockOf(l.Prefix, l.Prefix); b.Key != nil; b = p.After(l.Prefix, b.Key) {
		before := len(entries)
		var err error
		if entries, err = l.Open(p.Seed, entries, b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(l.Key(entries[before]), b.Key) {
			t.Fatalf("block %x starts with the entry of %x", b.Key, l.Key(entries[before]))
		}
		if len(b.Key)+len(b.Record) > block.MaxBlock && len(entries)-before > 1 {
			t.Fatalf("block %x of %d bytes", b.Key, len(b.Record))
		}
		blocks++
	}
	return entries, blocks
}

// tryEdits applies random batches of edits to a block list and to a sorted
// slice, which must agree.
func tryEdits[E any](t *testing.T, x *tree.Tx, p tree.Part, l *block.List[E], random *rand.Rand, rounds int, draw func() E, equal func(a, b E) bool) {
	t.Helper()
	var want []E
	for round := range rounds {
		batch := make([]block.Edit[E], 1+random.IntN(1+random.IntN(200)))
		for i := range batch {
			batch[i] = block.Edit[E]{Entry: draw(), Remove: random.IntN(10) < 3+4*(round/20%2)} // grows, then shrinks
		}
		slices.SortStableFunc(batch, func(a, b block.Edit[E]) int { return l.Compare(a.Entry, b.Entry) })
		batch = slices.CompactFunc(batch, func(a, b block.Edit[E]) bool { return l.Compare(a.Entry, b.Entry) == 0 })
		if err := graphs.EditBlocks(x, p, l, batch); err != nil {
			t.Fatal(err)
		}
		for _, e := range batch {
			at, found := slices.BinarySearchFunc(want, e.Entry, l.Compare)
			switch {
			case found && e.Remove:
				want = slices.Delete(want, at, at+1)
			case found:
				want[at] = e.Entry
			case !e.Remove:
				want = slices.Insert(want, at, e.Entry)
			}
		}
		got, blocks := listEntries(t, p, l)
		if !slices.EqualFunc(got, want, equal) {
			t.Fatalf("round %d: %d entries, want %d, or others", round, len(got), len(want))
		}
		if bytesOf, least := listBytes(p, l); blocks > 4 && bytesOf < least*blocks {
			t.Fatalf("round %d: %d bytes in %d blocks", round, bytesOf, blocks)
		}
	}
}

// listBytes is the size of a block list, and what a block should have on
// average at least.
func listBytes[E any](p tree.Part, l *block.List[E]) (total, least int) {
	for b := p.BlockOf(l.Prefix, l.Prefix); b.Key != nil; b = p.After(l.Prefix, b.Key) {
		total += len(b.Key) + len(b.Record)
	}
	return total, block.MaxBlock / 4
}

func TestEditBlocks_IDs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := keysOf(sample.Keys(3000))
	inObject(t, func(x *tree.Tx, object uint64) error {
		p, err := x.Part(object, block.IDsName)
		if err != nil {
			return err
		}
		draw := func() block.IDEntry {
			return block.IDEntry{Key: keys.At(uint32(random.IntN(keys.Len()))), Slot: random.Uint32N(1 << 20)}
		}
		tryEdits(t, x, p, block.IDList, random, 120, draw, func(a, b block.IDEntry) bool { return bytes.Equal(a.Key, b.Key) && a.Slot == b.Slot })
		return nil
	})
}

func TestEditBlocks_EmptySlots(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	inObject(t, func(x *tree.Tx, object uint64) error {
		p, err := x.OpenPart(object, block.EmptyName)
		if err != nil {
			return err
		}
		draw := func() uint32 { return random.Uint32N(1 << (5 + random.IntN(14))) }
		tryEdits(t, x, p, block.SlotList, random, 120, draw, func(a, b uint32) bool { return a == b })
		return nil
	})
}

// placeOf is a place of its own for each number, in order: with slots for ever fewer numbers, and arcs of
// ever more sources.
func placeOf[P block.Place](i uint32) P {
	if _, arc := any(P(0)).(block.Arc); arc {
		return P(block.NewArc(i/7*3+i%3, i/7*3+i%3+1+i*i%900))
	}
	return P(i)
}

// Two attributes are stored in one part and do not affect each other.
func TestEditBlocks_Values(t *testing.T) {
	testEditValues[uint32](t)
	testEditValues[block.Arc](t)
}

func testEditValues[P block.Place](t *testing.T) {
	for kind := Text; kind <= Boolean; kind++ {
		random := rand.New(rand.NewPCG(uint64(kind), 4))
		inObject(t, func(x *tree.Tx, object uint64) error {
			p, err := x.OpenPart(object, block.ValuePart[P]())
			if err != nil {
				return err
			}
			other := block.ValueList[P](6, Integer)
			if err := graphs.EditBlocks(x, p, other, []block.Edit[block.PlaceValue[P]]{{Entry: block.PlaceValue[P]{Place: placeOf[P](1), Value: IntegerValue(7)}}}); err != nil {
				return err
			}
			l := block.ValueList[P](5, kind)
			draw := func() block.PlaceValue[P] {
				v := Value{}
				for v.IsMissing() {
					v = anyValue(random, kind)
				}
				return block.PlaceValue[P]{Place: placeOf[P](random.Uint32N(1 << (5 + random.IntN(10)))), Value: v}
			}
			tryEdits(t, x, p, l, random, 60, draw, func(a, b block.PlaceValue[P]) bool { return a == b })
			if entries, blocks := listEntries(t, p, other); blocks != 1 || len(entries) != 1 || entries[0].Value.Integer() != 7 {
				t.Errorf("%v: the other attribute has %v", kind, entries)
			}
			return nil
		})
	}
}

// Keys that are added and taken away in batches of all sizes are found by key
// and by slot.
func TestTx_AddRemoveVertices(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	all := keysOf(sample.Keys(2500))
	inObject(t, func(x *tree.Tx, object uint64) error {
		r := &graphs.Record{Object: object}
		slotsOf := make(map[string]uint32)
		for next := 0; next < all.Len(); {
			var keys [][]byte
			for range 1 + random.IntN(1+random.IntN(600)) {
				if next < all.Len() {
					keys = append(keys, bytes.Clone(all.At(uint32(next))))
					next++
				}
			}
			before := r.Slots
			slots, err := graphs.AddVertices(x, r, keys)
			if err != nil {
				return err
			}
			for i, key := range keys {
				if slots[i] != uint32(before)+uint32(i) {
					return fmt.Errorf("slot %d for key %d of a batch from %d on", slots[i], i, before)
				}
				slotsOf[string(key)] = slots[i]
			}
			var victims []block.IDEntry
			for key, slot := range slotsOf {
				if random.IntN(12) == 0 {
					victims = append(victims, block.IDEntry{Key: []byte(key), Slot: slot})
					delete(slotsOf, key)
				}
			}
			slices.SortFunc(victims, func(a, b block.IDEntry) int { return int(a.Slot) - int(b.Slot) })
			if err := graphs.RemoveVertices(x, r, victims); err != nil {
				return err
			}
			if err := compareSlots(x, r, slotsOf, &all); err != nil {
				return err
			}
		}
		return nil
	})
}

// compareSlots compares what a graph says of all keys with a map.
func compareSlots(x *tree.Tx, r *graphs.Record, want map[string]uint32, all *block.KeySet) error {
	var keys [][]byte
	for i := range uint32(all.Len()) {
		keys = append(keys, all.At(i))
	}
	keys = append(keys, []byte("nobody"), []byte{1}, []byte("\xf4\x8f\xbf\xbf"))
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	slots, err := graphs.SlotsOfKeys(x, r, keys)
	if err != nil {
		return err
	}
	var live []uint32
	for i, key := range keys {
		slot, found := want[string(key)]
		if found != (slots[i] != block.NoVertex) || (found && slots[i] != slot) {
			return fmt.Errorf("key %q has slot %d, want %d, %t", key, slots[i], slot, found)
		}
		if found {
			live = append(live, slot)
		}
	}
	slices.Sort(live)
	names, err := graphs.KeysOfSlots(x, r, live)
	if err != nil {
		return err
	}
	m, err := graphs.SlotsOf(x, r)
	if err != nil {
		return err
	}
	table := m.Table()
	for v, slot := range live {
		if want[names[v]] != slot {
			return fmt.Errorf("slot %d has key %q", slot, names[v])
		}
		if got, found := m.Vertex(slot); !found || int(got) != v || m.Slot(uint32(v)) != slot || (table != nil && int(table[slot]) != v) {
			return fmt.Errorf("slot %d is vertex %d, %t, want %d", slot, got, found, v)
		}
	}
	for _, slot := range m.Empty {
		if _, found := m.Vertex(slot); found || table[slot] != block.NoVertex {
			return fmt.Errorf("empty slot %d has a vertex", slot)
		}
	}
	if m.Vertices() != len(live) || uint64(len(live)) != r.Vertices {
		return fmt.Errorf("%d vertices, want %d", m.Vertices(), len(live))
	}
	return nil
}

// The blocks of a column after changes in place equal those that are made from the same
// values in order, from any starting block.
func TestNextValueBlock(t *testing.T) {
	testNextValueBlock(t, func(i uint32) uint32 { return i })
	// A graph with hubs, vertices of one edge, and vertices without any.
	var edges []csr.Edge
	for v := range uint32(2500) {
		edges = append(edges, csr.Edge{U: v % 3, V: v + 3}, csr.Edge{U: v / 2 * 2, V: (v*v + 1) % 2503})
	}
	g, err := csr.FromEdges(2503, edges)
	if err != nil {
		t.Fatal(err)
	}
	var arcs []block.Arc
	order := g.Order()
	for i := range g.Edges() {
		arcs = append(arcs, block.NewArc(order.Ends(i)))
	}
	testNextValueBlock(t, func(i uint32) block.Arc { return arcs[i] })
}

func testNextValueBlock[P block.Place](t *testing.T, placeOf func(i uint32) P) {
	const n = 4000
	for kind := Text; kind <= Boolean; kind++ {
		random := rand.New(rand.NewPCG(uint64(kind), 8))
		c := NewColumn(Attribute{Name: "a", Type: kind}, n)
		var edits []block.Edit[block.PlaceValue[P]]
		for v := range uint32(n) {
			if v > 1000 && v < 2000 {
				continue
			}
			x := anyValue(random, kind)
			if err := c.Set(v, x); err != nil {
				t.Fatal(err)
			}
			if !x.IsMissing() {
				edits = append(edits, block.Edit[block.PlaceValue[P]]{Entry: block.PlaceValue[P]{Place: placeOf(v), Value: x}})
			}
		}
		inObject(t, func(x *tree.Tx, object uint64) error {
			p, err := x.OpenPart(object, block.ValuePart[P]())
			if err != nil {
				return err
			}
			if err := graphs.EditBlocks(x, p, block.ValueList[P](3, kind), edits); err != nil {
				return err
			}
			cursor := p.Bucket.Cursor()
			wantKey, want := cursor.First()
			blocks, total := 0, 0
			for from := uint32(0); from < n; {
				key, record, next := block.NextValueBlock(3, c, from, placeOf)
				if next <= from {
					return fmt.Errorf("%v: from %d on to %d", kind, from, next)
				}
				if from = next; key == nil {
					break
				}
				if !bytes.Equal(key, wantKey) || !bytes.Equal(record[block.ChecksumSize:], want[block.ChecksumSize:]) {
					return fmt.Errorf("%v: block %x of %d bytes, want %x of %d bytes", kind, key, len(record), wantKey, len(want))
				}
				wantKey, want = cursor.Next()
				blocks++
				total += len(record)
			}
			if wantKey != nil {
				return fmt.Errorf("%v: block %x is missing", kind, wantKey)
			}
			t.Logf("%s of %v: %d values in %d blocks, %.2f bytes each", block.ValuePart[P](), kind, len(edits), blocks, float64(total)/float64(len(edits)))
			return nil
		})
	}
}

// FuzzAttributeBlock: what decodes is in order and is encoded back to the same
// bytes.
func FuzzAttributeBlock(f *testing.F) {
	for kind := Text; kind <= Boolean; kind++ {
		random := rand.New(rand.NewPCG(uint64(kind), 9))
		c := NewColumn(Attribute{Name: "a", Type: kind}, 300)
		for v := range uint32(300) {
			if err := c.Set(v, anyValue(random, kind)); err != nil {
				f.Fatal(err)
			}
		}
		key, record, _ := block.NextValueBlock(2, c, 0, placeOf[uint32])
		f.Add(byte(kind), key, record[block.ChecksumSize:])
		key, record, _ = block.NextValueBlock(2, c, 0, placeOf[block.Arc])
		f.Add(byte(kind), key, record[block.ChecksumSize:])
	}
	f.Add(byte(Text), []byte{0, 2, 0, 0, 0, 0}, []byte{1, 2, 0, 1, 2, 'a', 2, 'a'})
	f.Fuzz(func(t *testing.T, kind byte, key, payload []byte) {
		tryValueBlock(t, Type(kind%4)+1, key, payload, func(slot uint32) bool { return slot < block.MaxVertices })
		tryValueBlock(t, Type(kind%4)+1, key, payload, func(a block.Arc) bool {
			return a.Source() != a.Target() && max(a.Source(), a.Target()) < block.MaxVertices
		})
	})
}

func tryValueBlock[P block.Place](t *testing.T, kind Type, key, payload []byte, valid func(place P) bool) {
	t.Helper()
	l := block.ValueList[P](2, kind)
	entries, err := l.Decode(nil, key, payload)
	if err != nil {
		if !errors.Is(err, fault.ErrRecord) {
			t.Error(err)
		}
		return
	}
	for i, e := range entries {
		if e.Value.IsMissing() || !valid(e.Place) || (i > 0 && entries[i-1].Place >= e.Place) {
			t.Fatalf("entry %d: %v", i, e)
		}
	}
	record, count := l.Encode(entries, 1<<30)
	if count != len(entries) || !bytes.Equal(record[block.ChecksumSize:], payload) {
		t.Fatalf("%d values are encoded back as %x, were %x", len(entries), record[block.ChecksumSize:], payload)
	}
}

// FuzzSlotBlock: what decodes ascends and is encoded back to the same bytes.
func FuzzSlotBlock(f *testing.F) {
	record, _ := block.EncodeSlots([]uint32{3, 4, 5, 9, 300, 301, 70_000}, block.MaxBlock)
	f.Add(block.Key32(3), record[block.ChecksumSize:])
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		slots, err := block.DecodeSlots(nil, key, payload)
		if err != nil {
			if !errors.Is(err, fault.ErrRecord) {
				t.Error(err)
			}
			return
		}
		if !slices.IsSorted(slots) || len(slices.Compact(slices.Clone(slots))) != len(slots) {
			t.Fatalf("%v", slots)
		}
		record, count := block.EncodeSlots(slots, 1<<30)
		if count != len(slots) || !bytes.Equal(record[block.ChecksumSize:], payload) || !bytes.Equal(block.Key32(slots[0]), key) {
			t.Fatalf("%d slots are encoded back as %x, were %x", len(slots), record[block.ChecksumSize:], payload)
		}
	})
}

// A text of the greatest length has a block of its own and is read back.
func TestValueList_LongText(t *testing.T) {
	inObject(t, func(x *tree.Tx, object uint64) error {
		p, err := x.OpenPart(object, block.AttrsName)
		if err != nil {
			return err
		}
		l := block.ValueList[uint32](1, Text)
		want := []block.PlaceValue[uint32]{{Place: 3, Value: TextValue("short")}, {Place: 4, Value: TextValue(strings.Repeat("x", block.MaxText))}, {Place: 5, Value: TextValue("short")}, {Place: 9, Value: TextValue("")}}
		for _, e := range want {
			if err := graphs.EditBlocks(x, p, l, []block.Edit[block.PlaceValue[uint32]]{{Entry: e}}); err != nil {
				return err
			}
		}
		if got, _ := listEntries(t, p, l); !slices.Equal(got, want) {
			t.Errorf("%d values, want %d", len(got), len(want))
		}
		return nil
	})
}

// TestTx_DeleteRange deletes a given range over many pages, and ends with its context.
func TestTx_DeleteRange(t *testing.T) {
	inObject(t, func(x *tree.Tx, object uint64) error {
		p, err := x.Part(object, block.KeysName)
		if err != nil {
			return err
		}
		const records = 5000
		for i := range uint32(records) {
			if err := p.Put(block.Key32(i), make([]byte, 200)); err != nil {
				return err
			}
		}
		below := func(key []byte) bool { return bytes.Compare(key, block.Key32(4000)) < 0 }
		cancelled, cancel := context.WithCancel(x.Ctx)
		cancel()
		other := *x
		other.Ctx = cancelled
		if err := other.DeleteRange(p, block.Key32(1000), below); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if err := x.DeleteRange(p, block.Key32(1000), below); err != nil {
			return err
		}
		i, cursor := uint32(0), p.Bucket.Cursor()
		for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
			if i == 1000 {
				i = 4000
			}
			if !bytes.Equal(key, block.Key32(i)) {
				t.Fatalf("key %x where %d should be", key, i)
			}
			i++
		}
		if i != records {
			t.Errorf("the last key is %d", i-1)
		}
		return nil
	})
}
