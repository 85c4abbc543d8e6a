package block

import (
	"cmp"
	"encoding/binary"
	"math"

	"heavytail/storage/internal/fault"
)

// An attribute block holds values of one attribute for ascending slots. Its key
// is the number of the attribute and the first slot, big-endian. Its record is
//
//	type   1 byte   of the attribute
//	count  2 bytes  values, little-endian, at least 1
//	slots           runs; see decodeRuns
//	values          one after the other:
//	    text        uvarint 2 × length and the bytes, or, where the block has the
//	                same text before, 2 × its number among the different ones + 1
//	    integer     uvarint of its zigzag
//	    float       8 bytes, little-endian
//	    boolean     a bit, from the lowest up; the last byte is filled with zeros
//
// A block with its key has at most MaxBlock bytes, unless it consists of one longer text. A
// missing value takes no space. Equal values have the same encoding.
const (
	AttrKeySize   = 2 + 4
	attrBlockHead = ChecksumSize + 1 + 2
)

// AttrKey is the key of an attribute block.
func AttrKey(attribute uint16, slot uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, attribute), slot)
}

// SlotValue is a slot with its value.
type SlotValue struct {
	Slot  uint32
	Value Value // of the type of the list
}

// ValueList is the list of the values of an attribute, for changing blocks in place.
func ValueList(id uint16, kind Type) *List[SlotValue] {
	return &List[SlotValue]{
		Prefix:  binary.BigEndian.AppendUint16(nil, id),
		Key:     func(e SlotValue) []byte { return AttrKey(id, e.Slot) },
		Compare: func(a, b SlotValue) int { return cmp.Compare(a.Slot, b.Slot) },
		Encode: func(entries []SlotValue, room int) ([]byte, int) {
			e := newValueEncoder(kind, room)
			for _, entry := range entries {
				if !e.add(entry.Slot, entry.Value) {
					break
				}
			}
			return e.record(), e.slots.count
		},
		Decode: func(dst []SlotValue, key, payload []byte) ([]SlotValue, error) {
			err := DecodeValues(kind, key, payload, func(slot uint32, v Value) error {
				dst = append(dst, SlotValue{slot, CloneValue(v)})
				return nil
			})
			return dst, err
		},
	}
}

type valueEncoder struct {
	kind   Type
	room   int
	slots  runEncoder
	values []byte
	texts  map[string]int // number of each distinct text
}

func newValueEncoder(kind Type, room int) *valueEncoder {
	e := &valueEncoder{kind: kind, room: room - AttrKeySize - attrBlockHead}
	if kind == Text {
		e.texts = make(map[string]int)
	}
	return e
}

// add appends a value of the encoder's type and reports whether it fits; the first value always
// fits.
func (e *valueEncoder) add(slot uint32, v Value) bool {
	if n := e.slots.count; n > 0 && (n == math.MaxUint16 || e.slots.sizeWith(slot)+e.sizeWith(v) > e.room) {
		return false
	}
	switch e.kind {
	case Text:
		number, known := e.texts[v.text]
		if known {
			e.values = binary.AppendUvarint(e.values, uint64(number)<<1|1)
			break
		}
		e.texts[v.text] = len(e.texts)
		e.values = binary.AppendUvarint(e.values, uint64(len(v.text))<<1)
		e.values = append(e.values, v.text...)
	case Integer:
		e.values = binary.AppendUvarint(e.values, zigzag(int64(v.bits)))
	case Float:
		e.values = binary.LittleEndian.AppendUint64(e.values, v.bits)
	case Boolean:
		if e.slots.count%8 == 0 {
			e.values = append(e.values, 0)
		}
		e.values[len(e.values)-1] |= byte(v.bits) << (e.slots.count % 8)
	}
	e.slots.add(slot)
	return true
}

// sizeWith returns the size of the values including one more.
func (e *valueEncoder) sizeWith(v Value) int {
	size := len(e.values)
	switch e.kind {
	case Text:
		if number, known := e.texts[v.text]; known {
			return size + uvarintSize(uint64(number)<<1|1)
		}
		return size + uvarintSize(uint64(len(v.text))<<1) + len(v.text)
	case Integer:
		return size + uvarintSize(zigzag(int64(v.bits)))
	case Float:
		return size + 8
	}
	return e.slots.count/8 + 1
}

func (e *valueEncoder) record() []byte {
	b := make([]byte, attrBlockHead, attrBlockHead+e.slots.sizeWith(e.slots.last+1)+len(e.values))
	b[ChecksumSize] = byte(e.kind)
	binary.LittleEndian.PutUint16(b[ChecksumSize+1:], uint16(e.slots.count))
	return append(e.slots.appendTo(b), e.values...)
}

// NextValueBlock encodes the block that starts with the first value at or after slot from, in a
// column that is indexed by slot. It returns the block's key, its unsealed record, and the slot
// to continue from. If there is no such value, it returns no key and the length of the column.
// The end of a block depends only on its first slot.
func NextValueBlock(attribute uint16, c *Column, from uint32) (key, record []byte, next uint32) {
	n := uint32(c.Len())
	from = min(from, n)
	for from < n && c.IsMissing(from) {
		from++
	}
	if from == n {
		return nil, nil, n
	}
	e := newValueEncoder(c.Type, MaxBlock)
	next = from
	for next < n && (c.IsMissing(next) || e.add(next, c.At(next))) {
		next++
	}
	return AttrKey(attribute, from), e.record(), next
}

// DecodeValues calls yield with every value of an attribute block, in ascending order of slots.
// A text aliases the payload.
func DecodeValues(kind Type, key, payload []byte, yield func(slot uint32, v Value) error) error {
	if len(key) != AttrKeySize || len(payload) < attrBlockHead-ChecksumSize {
		return fault.Record("attribute block with a key of %d and a record of %d bytes", len(key), len(payload))
	}
	if Type(payload[0]) != kind {
		return fault.Record("block of %v values, and the attribute is %v", Type(payload[0]), kind)
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	if count == 0 {
		return fault.Record("attribute block without values")
	}
	runs, size, err := decodeRuns(nil, binary.BigEndian.Uint32(key[2:]), count, payload[3:])
	if err != nil {
		return err
	}
	d := valueDecoder{kind: kind, b: payload[3+size:]}
	for _, run := range runs {
		for i := range uint32(run.n) {
			v, err := d.next()
			if err != nil {
				return err
			}
			if err := yield(run.first+i, v); err != nil {
				return err
			}
		}
	}
	if len(d.b) != 0 || d.bits != 0 {
		return fault.Record("%d bytes after the values", len(d.b))
	}
	return nil
}

// valueDecoder reads values one after the other.
type valueDecoder struct {
	kind  Type
	b     []byte
	texts []string // distinct texts so far
	known map[string]bool
	bits  byte // booleans of the last byte that were not yet returned
	left  int
}

func (d *valueDecoder) next() (Value, error) {
	switch d.kind {
	case Text:
		return d.text()
	case Integer:
		z, size := uvarint(d.b)
		if size == 0 {
			return Value{}, fault.Record("integer")
		}
		d.b = d.b[size:]
		return IntegerValue(unzigzag(z)), nil
	case Float:
		if len(d.b) < 8 {
			return Value{}, fault.Record("float is cut off")
		}
		bits := binary.LittleEndian.Uint64(d.b)
		d.b = d.b[8:]
		if f := math.Float64frombits(bits); !IsFinite(f) || (f == 0 && bits != 0) {
			return Value{}, fault.Record("float %v", f)
		}
		return Value{kind: Float, bits: bits}, nil
	}
	if d.left == 0 {
		if len(d.b) == 0 {
			return Value{}, fault.Record("booleans are cut off")
		}
		d.bits, d.left, d.b = d.b[0], 8, d.b[1:]
	}
	v := BooleanValue(d.bits&1 != 0)
	d.bits >>= 1
	d.left--
	return v, nil
}

func (d *valueDecoder) text() (Value, error) {
	head, size := uvarint(d.b)
	number := head >> 1
	switch {
	case size == 0:
		return Value{}, fault.Record("text")
	case head&1 != 0:
		if number >= uint64(len(d.texts)) {
			return Value{}, fault.Record("text %d of %d", number, len(d.texts))
		}
		d.b = d.b[size:]
		return TextValue(d.texts[number]), nil
	case number > uint64(len(d.b)-size):
		return Value{}, fault.Record("text of %d bytes is cut off", number)
	}
	v := TextValue(TextOf(d.b[size : size+int(number)]))
	if err := CheckValue(v); err != nil {
		return Value{}, fault.Record("%v", err)
	}
	if d.known[v.text] {
		return Value{}, fault.Record("text that the block has before")
	}
	if d.known == nil {
		d.known = make(map[string]bool)
	}
	d.known[v.text] = true
	d.texts = append(d.texts, v.text)
	d.b = d.b[size+int(number):]
	return v, nil
}
