package columnfile

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// errShort means that a page has fewer bytes than its values need.
func errShort() error { return damaged("a page ends before its last value") }

// decodeRuns fills dst with integers of width bits from the hybrid encoding of runs and
// bit-packed values, which stores levels and dictionary indexes. A run that is longer than
// dst is truncated.
func decodeRuns[T byte | uint32](dst []T, data []byte, width int) error {
	for done := 0; done < len(dst); {
		head, size := binary.Uvarint(data)
		if size <= 0 {
			return errShort()
		}
		data = data[size:]
		if head&1 == 0 {
			n, err := repeat(dst[done:], data, head>>1, (width+7)/8)
			if err != nil {
				return err
			}
			done += n
			data = data[(width+7)/8:]
			continue
		}
		values := uint64(len(dst) - done)
		if groups := head >> 1; groups < (values+7)/8 {
			values = 8 * groups
		}
		packed := (int(values)*width + 7) / 8
		if packed > len(data) {
			return errShort()
		}
		unpack(dst[done:done+int(values)], data[:packed], width)
		done += int(values)
		data = data[min(uint64(len(data)), head>>1*uint64(width)):]
	}
	return nil
}

// repeat fills the beginning of dst with copies of one value, which is read from data, and
// returns their number.
func repeat[T byte | uint32](dst []T, data []byte, count uint64, size int) (int, error) {
	if size > len(data) {
		return 0, errShort()
	}
	var value uint64
	for i := range size {
		value |= uint64(data[i]) << (8 * i)
	}
	n := int(min(count, uint64(len(dst))))
	for i := range n {
		dst[i] = T(value)
	}
	return n, nil
}

// unpack reads integers of width bits, the lowest bit first.
func unpack[T byte | uint32](dst []T, data []byte, width int) {
	var buffer uint64
	held, at := 0, 0
	mask := uint64(1)<<width - 1
	for i := range dst {
		for held < width {
			buffer |= uint64(data[at]) << held
			at++
			held += 8
		}
		dst[i] = T(buffer & mask)
		buffer >>= width
		held -= width
	}
}

// decodeDeltas fills dst from the encoding DELTA_BINARY_PACKED, and returns the bytes after
// it.
func decodeDeltas(dst []int64, data []byte) ([]byte, error) {
	var head [4]uint64 // values per block, parts per block, number of values, first value
	for i := range head {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errShort()
		}
		head[i], data = n, data[size:]
	}
	block, parts := head[0], head[1]
	const most = 1 << 20
	if block == 0 || block > most || parts == 0 || parts > block || block%parts != 0 || block/parts%8 != 0 {
		return nil, damaged("a page has blocks of %d deltas in %d parts", block, parts)
	}
	if head[2] != uint64(len(dst)) {
		return nil, damaged("a page has %d deltas for %d values", head[2], len(dst))
	}
	value := unzigzag(head[3])
	if len(dst) > 0 {
		dst[0] = value
	}
	for done := 1; done < len(dst); {
		least, size := binary.Uvarint(data)
		if size <= 0 || uint64(len(data)-size) < parts {
			return nil, errShort()
		}
		widths := data[size : size+int(parts)]
		data = data[size+int(parts):]
		for _, width := range widths {
			if done >= len(dst) {
				break
			}
			bytes := int(block/parts) / 8 * int(width)
			if width > 64 || bytes > len(data) {
				return nil, errShort()
			}
			n := min(int(block/parts), len(dst)-done)
			value = addDeltas(dst[done:done+n], data[:bytes], int(width), value, unzigzag(least))
			done += n
			data = data[bytes:]
		}
	}
	return data, nil
}

// addDeltas fills dst with the running sums of a value and the deltas of one part of a
// block.
func addDeltas(dst []int64, data []byte, width int, value, least int64) int64 {
	at := 0 // bits
	for i := range dst {
		var delta uint64
		for got := 0; got < width; {
			take := min(8-at%8, width-got)
			delta |= uint64(data[at/8]>>(at%8)) & (1<<take - 1) << got
			got += take
			at += take
		}
		value += least + int64(delta)
		dst[i] = value
	}
	return value
}

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// plainNumbers fills ints or floats from little-endian numbers.
func (c *cursor) plainNumbers(v *values, data []byte, n int) error {
	size := c.width()
	if n > len(data)/size {
		return errShort()
	}
	return c.numbers(v, n, func(i int) uint64 {
		if size == 4 {
			return uint64(binary.LittleEndian.Uint32(data[4*i:]))
		}
		return binary.LittleEndian.Uint64(data[8*i:])
	})
}

// splitNumbers does the same from BYTE_STREAM_SPLIT: the first bytes of all values, then
// the second bytes of all values, and so on.
func (c *cursor) splitNumbers(v *values, data []byte, n int) error {
	size := c.width()
	if len(data)/size < n {
		return errShort()
	}
	stride := len(data) / size
	return c.numbers(v, n, func(i int) (bits uint64) {
		for b := range size {
			bits |= uint64(data[b*stride+i]) << (8 * b)
		}
		return bits
	})
}

// numbers converts n numbers from their bits.
func (c *cursor) numbers(v *values, n int, at func(i int) uint64) (err error) {
	if c.leaf.item == Float || c.leaf.item == Double {
		v.floats, err = grow(c.file, v.floats, n)
		for i := range v.floats {
			if c.width() == 4 {
				v.floats[i] = float64(math.Float32frombits(uint32(at(i))))
			} else {
				v.floats[i] = math.Float64frombits(at(i))
			}
		}
		return err
	}
	v.ints, err = grow(c.file, v.ints, n)
	for i := range v.ints {
		v.ints[i] = c.integer(at(i))
	}
	return err
}

func (c *cursor) integer(bits uint64) int64 {
	switch {
	case c.width() == 8:
		return int64(bits)
	case c.leaf.unsigned:
		return int64(uint32(bits))
	}
	return int64(int32(bits))
}

// plainTexts finds n texts, each of which follows its length.
func (c *cursor) plainTexts(v *values, data []byte, n int) (err error) {
	if n > len(data)/4 {
		return errShort()
	}
	if v.spans, err = grow(c.file, v.spans, n); err != nil {
		return err
	}
	v.data = data
	at := 0
	for i := range v.spans {
		if len(data)-at < 4 {
			return errShort()
		}
		length := binary.LittleEndian.Uint32(data[at:])
		at += 4
		if uint64(length) > uint64(len(data)-at) {
			return errShort()
		}
		v.spans[i] = span{uint32(at), length}
		at += int(length)
	}
	return nil
}

// deltaTexts finds n texts that follow the list of their lengths.
func (c *cursor) deltaTexts(v *values, data []byte, n int) (err error) {
	if v.ints, err = grow(c.file, v.ints, n); err != nil {
		return err
	}
	if data, err = decodeDeltas(v.ints, data); err != nil {
		return err
	}
	if v.spans, err = grow(c.file, v.spans, n); err != nil {
		return err
	}
	v.data = data
	at := int64(0)
	for i, length := range v.ints {
		if length < 0 || length > int64(len(data))-at {
			return errShort()
		}
		v.spans[i] = span{uint32(at), uint32(length)}
		at += length
	}
	return nil
}

// bools reads n values of one bit.
func (c *cursor) bools(v *values, data []byte, n int, runs bool) (err error) {
	if c.indexes, err = grow(c.file, c.indexes, n); err != nil {
		return err
	}
	switch {
	case runs && len(data) < 4:
		return errShort()
	case runs:
		err = decodeRuns(c.indexes, data[4:], 1)
	case n > 8*len(data):
		return errShort()
	default:
		unpack(c.indexes, data, 1)
	}
	if err == nil {
		v.ints, err = grow(c.file, v.ints, n)
	}
	for i := range v.ints {
		v.ints[i] = int64(c.indexes[i])
	}
	return err
}

// bitsFor is the number of bits of a level of at most most.
func bitsFor(most int) int { return bits.Len(uint(most)) }

// frontTexts builds n texts, each of which begins with a prefix of the previous one. They
// may take far more bytes than the page, so the memory limit bounds them.
func (c *cursor) frontTexts(v *values, data []byte, n int) (err error) {
	if v.ints, err = grow(c.file, v.ints, 2*n); err != nil {
		return err
	}
	same, rest := v.ints[:n], v.ints[n:]
	if data, err = decodeDeltas(same, data); err != nil {
		return err
	}
	if data, err = decodeDeltas(rest, data); err != nil {
		return err
	}
	before, left, total := int64(0), int64(len(data)), int64(0)
	for i := range same {
		if same[i] < 0 || same[i] > before || rest[i] < 0 || rest[i] > left {
			return errShort()
		}
		before = same[i] + rest[i]
		left -= rest[i]
		if total += before; total > math.MaxInt32 {
			return limited("the texts of a page have more than %d bytes", math.MaxInt32)
		}
	}
	if c.texts, err = grow(c.file, c.texts, int(total)); err != nil {
		return err
	}
	if v.spans, err = grow(c.file, v.spans, n); err != nil {
		return err
	}
	v.data = c.texts
	last, at := []byte(nil), 0
	for i := range same {
		text := c.texts[at : at+int(same[i]+rest[i])]
		copy(text, last[:same[i]])
		copy(text[same[i]:], data[:rest[i]])
		data = data[rest[i]:]
		v.spans[i] = span{uint32(at), uint32(len(text))}
		at += len(text)
		last = text
	}
	return nil
}
