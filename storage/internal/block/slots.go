package block

import (
	"cmp"
	"encoding/binary"
	"math"
	"sort"

	"heavytail/storage/internal/fault"
)

// The vertices of a graph have slots: numbers that are assigned once, in the order of arrival,
// and never reused. A deleted vertex leaves its slot empty, so that no other vertex has to be
// renumbered. The file refers to vertices by slots. A Snapshot numbers the existing vertices
// densely, in the order of their slots; without empty slots both numbers are the same.
//
// The empty slots of a graph, and those that a graph had when an embedding of it was made, are
// stored as blocks of runs in a separate part, which is created when it is first needed. The
// key of a block is its first slot; its record is
//
//	flags  1 byte   zero
//	count  2 bytes  slots, little-endian, at least 1
//	runs            see decodeRuns

// NoVertex is a number that is not used for any vertex.
const NoVertex = math.MaxUint32

// placeRun is n consecutive places.
type placeRun[P ~uint32 | ~uint64] struct {
	first P
	n     int
}

// Ascending slots are encoded as runs. The first slot and the number of slots are known from
// elsewhere. The encoding of the runs is
//
//	slots − 1    uvarint
//	gap − 1      uvarint, slots to the next run; left out behind the last one
//
// and so on. A run always extends to the last consecutive slot, so that there is only one
// encoding.

// decodeRuns appends the runs of count slots to dst and returns the number of bytes read.
func decodeRuns(dst []placeRun[uint32], first uint32, count int, b []byte) (runs []placeRun[uint32], size int, err error) {
	next := uint64(first)
	for {
		more, n := uvarint(b[size:])
		if n == 0 || more >= uint64(count) || next+more >= MaxVertices {
			return dst, 0, fault.Record("run of slots")
		}
		size += n
		dst = append(dst, placeRun[uint32]{uint32(next), int(more) + 1})
		if count -= int(more) + 1; count == 0 {
			return dst, size, nil
		}
		gap, n := uvarint(b[size:])
		if n == 0 || gap >= MaxVertices {
			return dst, 0, fault.Record("gap between slots")
		}
		size += n
		next += more + 1 + gap + 1
	}
}

// runEncoder encodes runs, one slot at a time.
type runEncoder struct {
	done  []byte // finished runs and the gaps after them
	run   int    // slots of the last run
	last  uint32 // last slot
	count int    // slots
}

// sizeWith returns the size of the encoding including one more slot.
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

func (e *runEncoder) appendTo(dst []byte) []byte {
	return binary.AppendUvarint(append(dst, e.done...), uint64(e.run)-1)
}

const slotBlockHead = ChecksumSize + 1 + 2

// SlotList is the list of empty slots.
var SlotList = &List[uint32]{
	Key:     Key32,
	Compare: cmp.Compare[uint32],
	Encode:  EncodeSlots,
	Decode:  DecodeSlots,
}

// EncodeSlots makes the unsealed record of a block of the first of ascending slots: as many as
// fit into room bytes together with the key.
func EncodeSlots(slots []uint32, room int) (record []byte, count int) {
	e := runEncoder{}
	for _, slot := range slots {
		if e.count == math.MaxUint16 || (e.count > 0 && 4+slotBlockHead+e.sizeWith(slot) > room) {
			break
		}
		e.add(slot)
	}
	record = e.appendTo(make([]byte, slotBlockHead, slotBlockHead+e.sizeWith(e.last+1)))
	binary.LittleEndian.PutUint16(record[ChecksumSize+1:], uint16(e.count))
	return record, e.count
}

// DecodeSlots appends the slots of a block to dst.
func DecodeSlots(dst []uint32, key, payload []byte) ([]uint32, error) {
	if len(key) != 4 || len(payload) < slotBlockHead-ChecksumSize || payload[0] != 0 {
		return dst, fault.Record("block of empty slots with a key of %d and a record of %d bytes", len(key), len(payload))
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	if count == 0 {
		return dst, fault.Record("no empty slots")
	}
	runs, size, err := decodeRuns(nil, binary.BigEndian.Uint32(key), count, payload[3:])
	if err != nil {
		return dst, err
	}
	if size != len(payload)-3 {
		return dst, fault.Record("%d bytes after the slots", len(payload)-3-size)
	}
	for _, run := range runs {
		for i := range uint32(run.n) {
			dst = append(dst, run.first+i)
		}
	}
	return dst, nil
}

// SlotMap converts between the slots and the vertices of one version of a graph.
type SlotMap struct {
	Slots uint64   // number of slots, used and empty
	Empty []uint32 // ascending
}

// Vertex returns the vertex in a slot, and whether there is one.
func (m *SlotMap) Vertex(slot uint32) (uint32, bool) {
	if uint64(slot) >= m.Slots {
		return NoVertex, false
	}
	below := sort.Search(len(m.Empty), func(i int) bool { return m.Empty[i] >= slot })
	if below < len(m.Empty) && m.Empty[below] == slot {
		return NoVertex, false
	}
	return slot - uint32(below), true
}

// Slot returns the slot of a vertex.
func (m *SlotMap) Slot(v uint32) uint32 {
	// There are Empty[i]-i vertices before slot Empty[i].
	return v + uint32(sort.Search(len(m.Empty), func(i int) bool { return m.Empty[i]-uint32(i) > v }))
}

// Vertices returns the number of slots that are not empty.
func (m *SlotMap) Vertices() int { return int(m.Slots) - len(m.Empty) }

// Table returns the vertex of every slot, NoVertex for empty slots. It returns nil if no slot
// is empty.
func (m *SlotMap) Table() []uint32 {
	if len(m.Empty) == 0 {
		return nil
	}
	table := make([]uint32, m.Slots)
	empty := m.Empty
	vertex := uint32(0)
	for slot := range table {
		if len(empty) > 0 && empty[0] == uint32(slot) {
			table[slot], empty = NoVertex, empty[1:]
			continue
		}
		table[slot] = vertex
		vertex++
	}
	return table
}
