package storage

import (
	"cmp"
	"encoding/binary"
	"math"
	"sort"
)

// The vertices of a graph have slots: numbers given once, in the order of
// arrival, and never again. A vertex that is deleted leaves its slot empty, so
// that nothing else has to be renumbered. What is in the file names vertices by
// their slots; a Snapshot numbers the live ones densely, in the order of their
// slots, and without empty slots both numbers are the same.
//
// The empty slots of a graph, and those that its graph had when an embedding was
// made, are blocks of runs in a part of their own, which is there once it is
// needed. The key of a block is its first slot; its record is
//
//	flags  1 byte   zero
//	count  2 bytes  slots, little-endian, at least 1
//	runs            see decodeRuns

// noVertex is what no vertex has as its number.
const noVertex = math.MaxUint32

// slotRun is a run of consecutive slots.
type slotRun struct {
	first uint32
	n     int
}

// Runs of ascending slots, of which the first slot and how many there are is
// known from elsewhere, are
//
//	slots − 1    uvarint
//	gap − 1      uvarint, slots to the next run; left out behind the last one
//
// and so on. A run ends where a slot is left out only, so that there is one
// encoding.

// decodeRuns appends the runs of count slots to dst and returns the bytes that
// they took.
func decodeRuns(dst []slotRun, first uint32, count int, b []byte) (runs []slotRun, size int, err error) {
	next := uint64(first)
	for {
		more, n := uvarint(b[size:])
		if n == 0 || more >= uint64(count) || next+more >= maxVertices {
			return dst, 0, badRecord("run of slots")
		}
		size += n
		dst = append(dst, slotRun{uint32(next), int(more) + 1})
		if count -= int(more) + 1; count == 0 {
			return dst, size, nil
		}
		gap, n := uvarint(b[size:])
		if n == 0 || gap >= maxVertices {
			return dst, 0, badRecord("gap between slots")
		}
		size += n
		next += more + 1 + gap + 1
	}
}

// runEncoder makes the encoding of runs slot by slot.
type runEncoder struct {
	done  []byte // finished runs, and the gap behind them
	run   int    // slots of the last run
	last  uint32 // last slot
	count int    // slots
}

// sizeWith is the size of the encoding with one more slot.
func (e *runEncoder) sizeWith(slot uint32) int {
	if e.count == 0 || slot == e.last+1 {
		return len(e.done) + uvarintSize(uint64(e.run))
	}
	return len(e.done) + uvarintSize(uint64(e.run)-1) + uvarintSize(uint64(slot-e.last)-2) + 1
}

func (e *runEncoder) add(slot uint32) {
	if e.count > 0 && slot != e.last+1 {
		e.done = binary.AppendUvarint(e.done, uint64(e.run)-1)
		e.done = binary.AppendUvarint(e.done, uint64(slot-e.last)-2)
		e.run = 0
	}
	e.run++
	e.count++
	e.last = slot
}

// appendTo appends the whole encoding to dst.
func (e *runEncoder) appendTo(dst []byte) []byte {
	return binary.AppendUvarint(append(dst, e.done...), uint64(e.run)-1)
}

const slotBlockHead = sumSize + 1 + 2

// slotList is the list of empty slots.
var slotList = &blockList[uint32]{
	key:     be32,
	compare: cmp.Compare[uint32],
	encode:  encodeSlots,
	decode:  decodeSlots,
}

func encodeSlots(slots []uint32, room int) (record []byte, count int) {
	e := runEncoder{}
	for _, slot := range slots {
		if e.count == math.MaxUint16 || (e.count > 0 && 4+slotBlockHead+e.sizeWith(slot) > room) {
			break
		}
		e.add(slot)
	}
	record = e.appendTo(make([]byte, slotBlockHead, slotBlockHead+e.sizeWith(e.last+1)))
	binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(e.count))
	return record, e.count
}

func decodeSlots(dst []uint32, key, payload []byte) ([]uint32, error) {
	if len(key) != 4 || len(payload) < slotBlockHead-sumSize || payload[0] != 0 {
		return dst, badRecord("block of empty slots with a key of %d and a record of %d bytes", len(key), len(payload))
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	if count == 0 {
		return dst, badRecord("no empty slots")
	}
	runs, size, err := decodeRuns(nil, binary.BigEndian.Uint32(key), count, payload[3:])
	if err != nil {
		return dst, err
	}
	if size != len(payload)-3 {
		return dst, badRecord("%d bytes after the slots", len(payload)-3-size)
	}
	for _, run := range runs {
		for i := range uint32(run.n) {
			dst = append(dst, run.first+i)
		}
	}
	return dst, nil
}

// slotMap translates between the slots and the vertices of one version.
type slotMap struct {
	slots uint64   // live and empty
	empty []uint32 // ascending
}

// vertex returns the vertex in a slot, and whether there is one.
func (m *slotMap) vertex(slot uint32) (uint32, bool) {
	if uint64(slot) >= m.slots {
		return noVertex, false
	}
	below := sort.Search(len(m.empty), func(i int) bool { return m.empty[i] >= slot })
	if below < len(m.empty) && m.empty[below] == slot {
		return noVertex, false
	}
	return slot - uint32(below), true
}

// slot returns the slot of a vertex.
func (m *slotMap) slot(v uint32) uint32 {
	// Before empty[i] lie empty[i]-i vertices.
	return v + uint32(sort.Search(len(m.empty), func(i int) bool { return m.empty[i]-uint32(i) > v }))
}

// vertices is the number of live slots.
func (m *slotMap) vertices() int { return int(m.slots) - len(m.empty) }

// table returns the vertex of every slot, noVertex for the empty ones, and nil
// where no slot is empty.
func (m *slotMap) table() []uint32 {
	if len(m.empty) == 0 {
		return nil
	}
	table := make([]uint32, m.slots)
	empty := m.empty
	vertex := uint32(0)
	for slot := range table {
		if len(empty) > 0 && empty[0] == uint32(slot) {
			table[slot], empty = noVertex, empty[1:]
			continue
		}
		table[slot] = vertex
		vertex++
	}
	return table
}

// readSlots reads the empty slots of an object, of which there should be n.
func (t *tx) readSlots(object, slots, n uint64) (slotMap, error) {
	m := slotMap{slots: slots}
	if n == 0 {
		return m, nil
	}
	p, err := t.part(object, emptyName)
	if err != nil {
		return m, err
	}
	m.empty = make([]uint32, 0, n)
	err = t.scan(p, func(key, payload []byte) (err error) {
		before := len(m.empty)
		if m.empty, err = decodeSlots(m.empty, key, payload); err != nil {
			return err
		}
		if before > 0 && m.empty[before] <= m.empty[before-1] {
			return badRecord("empty slots do not ascend")
		}
		if last := m.empty[len(m.empty)-1]; uint64(len(m.empty)) > n || uint64(last) >= slots {
			return badRecord("%d empty slots up to %d, where the catalogue says %d of %d", len(m.empty), last, n, slots)
		}
		return nil
	})
	if err == nil && uint64(len(m.empty)) != n {
		err = badRecord("%d empty slots where the catalogue says %d", len(m.empty), n)
	}
	return m, err
}

// slotsOf reads the slots of a graph.
func (t *tx) slotsOf(r *graphRecord) (slotMap, error) {
	return t.readSlots(r.Object, r.Slots, r.Slots-r.Vertices)
}

// openPart returns a part that an object has once it is needed, and makes it.
func (t *tx) openPart(object uint64, name []byte) (part, error) {
	b, err := t.object(object)
	if err != nil {
		return part{}, err
	}
	if b.Bucket(name) == nil {
		if _, err := b.CreateBucket(name); err != nil {
			return part{}, err
		}
	}
	return t.part(object, name)
}

// findPart returns a part that an object may not have, and whether it does.
func (t *tx) findPart(object uint64, name []byte) (p part, found bool, err error) {
	b, err := t.object(object)
	if err != nil || b.Bucket(name) == nil {
		return part{}, false, err
	}
	p, err = t.part(object, name)
	return p, err == nil, err
}
