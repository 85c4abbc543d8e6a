package block

import (
	"cmp"
	"encoding/binary"
	"math"
	"unsafe"

	"heavytail/storage/internal/fault"
)

// A value belongs to a place: the slot of a vertex, or the arc of an edge. Values of vertices and
// those of edges are in parts of their own and have the same form.
//
// An attribute block holds values of one attribute for ascending places. Its key is the number of
// the attribute and the first place, big-endian. Its record is
//
//	type   1 byte   of the attribute
//	count  2 bytes  values, little-endian, at least 1
//	places          of vertices: runs of slots, see decodeRuns; of edges: groups of arcs, see ArcBlock
//	values          one after the other:
//	    text        uvarint 2 × length and the bytes, or, where the block has the
//	                same text before, 2 × its number among the different ones + 1
//	    integer     uvarint of its zigzag
//	    float       8 bytes, little-endian
//	    boolean     a bit, from the lowest up; the last byte is filled with zeros
//
// A block with its key has at most MaxBlock bytes, unless it consists of one longer text. A
// missing value takes no space. Equal values have the same encoding.
const attrBlockHead = ChecksumSize + 1 + 2

// Place is the slot of a vertex or the arc of an edge.
type Place interface{ uint32 | Arc }

// placeSize is the number of bytes of a place in a key.
func placeSize[P Place]() int { return int(unsafe.Sizeof(P(0))) }

// ValuePart is the name of the part that has the values of vertices or of edges.
func ValuePart[P Place]() []byte {
	if placeSize[P]() == 8 {
		return EdgeAttrsName
	}
	return AttrsName
}

// AttrKey is the key of an attribute block.
func AttrKey[P Place](attribute uint16, place P) []byte {
	key := binary.BigEndian.AppendUint16(nil, attribute)
	if placeSize[P]() == 8 {
		return binary.BigEndian.AppendUint64(key, uint64(place))
	}
	return binary.BigEndian.AppendUint32(key, uint32(place))
}

// IsAttrKey reports whether a key has the length of those of the attribute blocks of vertices or of
// edges.
func IsAttrKey[P Place](key []byte) bool { return len(key) == 2+placeSize[P]() }

// PlaceOfKey is the first place of the block under a key for which IsAttrKey holds.
func PlaceOfKey[P Place](key []byte) P {
	if placeSize[P]() == 8 {
		return P(binary.BigEndian.Uint64(key[2:]))
	}
	return P(binary.BigEndian.Uint32(key[2:]))
}

// PlaceValue is a place with its value.
type PlaceValue[P Place] struct {
	Place P
	Value Value // of the type of the list
}

// ValueList is the list of the values of an attribute, for changing blocks in place.
func ValueList[P Place](id uint16, kind Type) *List[PlaceValue[P]] {
	return &List[PlaceValue[P]]{
		Prefix:  binary.BigEndian.AppendUint16(nil, id),
		Key:     func(e PlaceValue[P]) []byte { return AttrKey(id, e.Place) },
		Compare: func(a, b PlaceValue[P]) int { return cmp.Compare(a.Place, b.Place) },
		Encode: func(entries []PlaceValue[P], room int) ([]byte, int) {
			e := newValueEncoder[P](kind, room)
			for _, entry := range entries {
				if !e.add(entry.Place, entry.Value) {
					break
				}
			}
			return e.record(), e.count
		},
		Decode: func(dst []PlaceValue[P], key, payload []byte) ([]PlaceValue[P], error) {
			err := DecodeValues(kind, key, payload, func(place P, v Value) error {
				dst = append(dst, PlaceValue[P]{place, CloneValue(v)})
				return nil
			})
			return dst, err
		},
	}
}

// placeEncoder encodes ascending places, one at a time.
type placeEncoder[P Place] interface {
	sizeWith(place P) int // of the encoding including one more
	add(place P)
	appendTo(dst []byte) []byte
}

// arcGroups encodes arcs as an arc block does.
type arcGroups struct {
	arcs  []ArcValue
	meter arcMeter
}

func (g *arcGroups) sizeWith(a Arc) int {
	grown := g.meter
	grown.add(ArcValue{Arc: a})
	return grown.groups
}

func (g *arcGroups) add(a Arc) {
	g.arcs = append(g.arcs, ArcValue{Arc: a})
	g.meter.add(ArcValue{Arc: a})
}

func (g *arcGroups) appendTo(dst []byte) []byte { return appendGroups(dst, g.arcs) }

type valueEncoder[P Place] struct {
	kind   Type
	room   int
	count  int
	places placeEncoder[P]
	values []byte
	texts  map[string]int // number of each distinct text
}

func newValueEncoder[P Place](kind Type, room int) *valueEncoder[P] {
	var places any = new(runEncoder)
	if placeSize[P]() == 8 {
		places = new(arcGroups)
	}
	e := &valueEncoder[P]{kind: kind, room: room - 2 - placeSize[P]() - attrBlockHead, places: places.(placeEncoder[P])}
	if kind == Text {
		e.texts = make(map[string]int)
	}
	return e
}

// add appends a value of the encoder's type and reports whether it fits; the first value always
// fits.
func (e *valueEncoder[P]) add(place P, v Value) bool {
	if e.count > 0 && (e.count == math.MaxUint16 || e.places.sizeWith(place)+e.sizeWith(v) > e.room) {
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
		if e.count%8 == 0 {
			e.values = append(e.values, 0)
		}
		e.values[len(e.values)-1] |= byte(v.bits) << (e.count % 8)
	}
	e.places.add(place)
	e.count++
	return true
}

// sizeWith returns the size of the values including one more.
func (e *valueEncoder[P]) sizeWith(v Value) int {
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
	return e.count/8 + 1
}

func (e *valueEncoder[P]) record() []byte {
	b := make([]byte, attrBlockHead, attrBlockHead+2*e.count+16+len(e.values))
	b[ChecksumSize] = byte(e.kind)
	binary.LittleEndian.PutUint16(b[ChecksumSize+1:], uint16(e.count))
	return append(e.places.appendTo(b), e.values...)
}

// NextValueBlock encodes the block that starts with the first value at or after number from, in a
// column of the values of ascending places: that of number i is placeOf(i), which is called with
// numbers that do not descend. It returns the block's key, its unsealed record, and the number to continue
// from. If there is no such value, it returns no key and the length of the column. The end of a
// block depends only on its first place.
func NextValueBlock[P Place](attribute uint16, c *Column, from uint32, placeOf func(i uint32) P) (key, record []byte, next uint32) {
	n := uint32(c.Len())
	from = min(from, n)
	for from < n && c.IsMissing(from) {
		from++
	}
	if from == n {
		return nil, nil, n
	}
	e, first := newValueEncoder[P](c.Type, MaxBlock), placeOf(from)
	e.add(first, c.At(from))
	next = from + 1
	for next < n && (c.IsMissing(next) || e.add(placeOf(next), c.At(next))) {
		next++
	}
	return AttrKey(attribute, first), e.record(), next
}

// DecodeValues calls yield with every value of an attribute block, in ascending order of places.
// A text aliases the payload.
func DecodeValues[P Place](kind Type, key, payload []byte, yield func(place P, v Value) error) error {
	if !IsAttrKey[P](key) || len(payload) < attrBlockHead-ChecksumSize {
		return fault.Record("attribute block with a key of %d and a record of %d bytes", len(key), len(payload))
	}
	if Type(payload[0]) != kind {
		return fault.Record("block of %v values, and the attribute is %v", Type(payload[0]), kind)
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	if count == 0 {
		return fault.Record("attribute block without values")
	}
	runs, rest, err := decodePlaces[P](key[2:], count, payload[3:])
	if err != nil {
		return err
	}
	d := valueDecoder{kind: kind, b: rest}
	for _, run := range runs {
		for i := range run.n {
			v, err := d.next()
			if err != nil {
				return err
			}
			if err := yield(run.first+P(i), v); err != nil {
				return err
			}
		}
	}
	if len(d.b) != 0 || d.bits != 0 {
		return fault.Record("%d bytes after the values", len(d.b))
	}
	return nil
}

// decodePlaces returns the places of a block, of which the first is known, and the bytes behind them.
func decodePlaces[P Place](first []byte, count int, b []byte) (runs []placeRun[P], rest []byte, err error) {
	if placeSize[P]() == 4 {
		slots, size, err := decodeRuns(nil, binary.BigEndian.Uint32(first), count, b)
		return any(slots).([]placeRun[P]), b[size:], err
	}
	arcs, rest, err := decodeGroups(nil, ArcOfKey(first), count, b)
	runs = make([]placeRun[P], len(arcs))
	for i, a := range arcs {
		runs[i] = placeRun[P]{P(a), 1}
	}
	return runs, rest, err
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
