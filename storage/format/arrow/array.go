package arrow

import (
	"encoding/binary"
	"math"
	"slices"

	"heavytail/storage/format/internal/columnfile"
)

// array has the values of a column in a batch. All that a method reads was checked by load.
type array struct {
	*node
	n       int
	valid   []byte // a bit for each value that is there; nil if all are
	data    []byte // values, views, or the bytes of texts
	offsets []byte
	more    [][]byte // bytes of long texts of views
	child   *array   // items of lists
	values  *dictionary
}

// dictionary has the values to which numbers refer, in the parts in which they came.
type dictionary struct {
	parts []*array
	n     int64 // values
	bytes int64
}

// resolve returns the array and the place in it where the value with the number i is.
func (a *array) resolve(i int) (*array, int) {
	if !a.coded {
		return a, i
	}
	at := a.raw(i)
	for _, part := range a.values.parts {
		if at < int64(part.n) {
			return part.resolve(int(at))
		}
		at -= int64(part.n)
	}
	panic("a number was not checked")
}

func (a *array) missing(i int) bool {
	if a.shape == shapeNone || a.valid != nil && a.valid[i/8]>>(i%8)&1 == 0 {
		return true
	}
	if !a.coded {
		return false
	}
	part, at := a.resolve(i)
	return part.missing(at)
}

// raw is a stored integer of up to 64 bits.
func (a *array) raw(i int) int64 {
	switch {
	case a.width == 1:
		return int64(a.data[i/8] >> (i % 8) & 1)
	case a.width == 8 && a.number == numberUnsigned:
		return int64(a.data[i])
	case a.width == 8:
		return int64(int8(a.data[i]))
	case a.width == 16 && a.number == numberUnsigned:
		return int64(binary.LittleEndian.Uint16(a.data[2*i:]))
	case a.width == 16:
		return int64(int16(binary.LittleEndian.Uint16(a.data[2*i:])))
	case a.width == 32 && a.number == numberUnsigned:
		return int64(binary.LittleEndian.Uint32(a.data[4*i:]))
	case a.width == 32:
		return int64(int32(binary.LittleEndian.Uint32(a.data[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(a.data[8*i:]))
}

func (a *array) integer(i int) int64 {
	a, i = a.resolve(i)
	x := a.raw(i)
	switch {
	case a.unit > 0:
		return x * a.unit
	case a.unit < 0:
		return columnfile.FloorDiv(x, -a.unit)
	}
	return x
}

func (a *array) double(i int) float64 {
	a, i = a.resolve(i)
	switch {
	case a.number == numberDecimal:
		size := a.width / 8
		bytes := slices.Clone(a.data[i*size : (i+1)*size])
		slices.Reverse(bytes)
		return columnfile.Decimal(bytes, a.scale)
	case a.number != numberFloat && a.kind == columnfile.Unsigned:
		return float64(uint64(a.raw(i)))
	case a.number != numberFloat:
		return float64(a.raw(i))
	case a.width == 16:
		return columnfile.Half(binary.LittleEndian.Uint16(a.data[2*i:]))
	case a.width == 32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*i:])))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(a.data[8*i:]))
}

func (a *array) text(i int) []byte {
	a, i = a.resolve(i)
	switch a.shape {
	case shapeTexts:
		return a.data[a.offset(i):a.offset(i+1)]
	case shapeViews:
		text, _ := a.view(i)
		return text
	}
	size := a.width / 8
	return a.data[i*size : (i+1)*size]
}

func (a *array) offset(i int) int64 {
	if a.width == 32 {
		return int64(int32(binary.LittleEndian.Uint32(a.offsets[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(a.offsets[8*i:]))
}

// view returns a text that is in its view if it is short, and else in another buffer; not ok if it is nowhere.
func (a *array) view(i int) (text []byte, ok bool) {
	const inside = 12
	view := a.data[16*i : 16*i+16]
	size := int64(int32(binary.LittleEndian.Uint32(view)))
	if size >= 0 && size <= inside {
		return view[4 : 4+size], true
	}
	buffer, start := binary.LittleEndian.Uint32(view[8:]), int64(int32(binary.LittleEndian.Uint32(view[12:])))
	if size < 0 || start < 0 || uint64(buffer) >= uint64(len(a.more)) || start+size > int64(len(a.more[buffer])) {
		return nil, false
	}
	return a.more[buffer][start : start+size], true
}

// items are the places of the items of a list.
func (a *array) items(i int) (from, to int) {
	if a.shape == shapeFixedList {
		return i * int(a.length), (i + 1) * int(a.length)
	}
	return int(a.offset(i)), int(a.offset(i + 1))
}
