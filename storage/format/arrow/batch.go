package arrow

import (
	"encoding/binary"
	"io"
	"math"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/inflate"
)

// batch reads the arrays of a message.
type batch struct {
	file     *file
	place    place
	version  int16
	codec    int8    // noCodec, or of the specification: 0 for frames of LZ4, 1 for zstd
	nodes    []int64 // a length and the number of missing values of each array
	buffers  []int64 // an offset in the body and a length of each buffer
	variadic []int64 // the numbers of buffers of views

	node, buffer, view int // of the next array
}

const noCodec = -1

// newBatch reads the metadata of the rows of a message.
func (f *file) newBatch(p place, version int16, t table) (*batch, error) {
	b := &batch{file: f, place: p, version: version, codec: noCodec}
	b.nodes, b.buffers, b.variadic = t.numbers(1, 2), t.numbers(2, 2), t.numbers(4, 1)
	if compression, ok := t.table(3); ok {
		b.codec = int8(compression.byte(0))
		if b.codec != 0 && b.codec != 1 || compression.byte(1) != 0 {
			return nil, unread("buffers are compressed by the codec %d; LZ4 and zstd are read", b.codec)
		}
	}
	return b, nil
}

// length returns the number of values of the next array, and of those that are missing.
func (b *batch) length() (values, missing int64, err error) {
	if 2*b.node+2 > len(b.nodes) {
		return 0, 0, damaged("a batch has %d arrays, which is fewer than its columns take", len(b.nodes)/2)
	}
	values, missing = b.nodes[2*b.node], b.nodes[2*b.node+1]
	b.node++
	if values < 0 || values > maxRows || missing < 0 || missing > values {
		return 0, 0, damaged("an array has %d values, of which %d are missing", values, missing)
	}
	return values, missing, nil
}

// views returns the number of buffers of the next array of views.
func (b *batch) views() (int, error) {
	if b.view >= len(b.variadic) || b.variadic[b.view] < 0 || b.variadic[b.view] > int64(len(b.buffers)) {
		return 0, damaged("a batch has too few buffers of views")
	}
	b.view++
	return int(b.variadic[b.view-1]), nil
}

// skip passes over an array that is not wanted.
func (b *batch) skip(n *node) error {
	if _, _, err := b.length(); err != nil {
		return err
	}
	switch n.shape {
	case shapeFixed, shapeList:
		b.buffer += 2
	case shapeTexts, shapeListViews:
		b.buffer += 3
	case shapeViews:
		more, err := b.views()
		if err != nil {
			return err
		}
		b.buffer += 2 + more
	case shapeFixedList, shapeStruct, shapeUnion, shapeDenseUnion:
		b.buffer++
		if n.shape == shapeDenseUnion {
			b.buffer++
		}
		if b.version < version5 && (n.shape == shapeUnion || n.shape == shapeDenseUnion) {
			b.buffer++
		}
	}
	for _, child := range n.children {
		if err := b.skip(child); err != nil {
			return err
		}
	}
	return nil
}

// load reads an array, and checks all places and numbers in it.
func (b *batch) load(n *node) (*array, error) {
	values, missing, err := b.length()
	if err != nil {
		return nil, err
	}
	a := &array{node: n, n: int(values)}
	if n.shape == shapeNone {
		return a, nil
	}
	if missing == 0 {
		b.buffer++
	} else if a.valid, err = b.next((values + 7) / 8); err != nil {
		return nil, err
	}
	switch n.shape {
	case shapeFixed:
		if a.data, err = b.next((values*int64(n.width) + 7) / 8); err == nil {
			err = b.checkNumbers(a)
		}
	case shapeTexts:
		if err = b.offsets(a); err == nil {
			if a.data, err = b.next(0); err == nil {
				err = a.checkOffsets(len(a.data))
			}
		}
	case shapeViews:
		err = b.loadViews(a)
	case shapeList:
		if err = b.offsets(a); err == nil {
			if a.child, err = b.load(n.children[0]); err == nil {
				err = a.checkOffsets(a.child.n)
			}
		}
	case shapeFixedList:
		if a.child, err = b.load(n.children[0]); err == nil && int64(a.child.n) < values*n.length {
			err = errShort()
		}
	default:
		err = unread("an array of a type that is not read")
	}
	return a, err
}

// offsets reads the offsets of an array, of which there is one more than values, or none.
func (b *batch) offsets(a *array) (err error) {
	if a.n == 0 {
		a.offsets, err = b.next(0)
		if len(a.offsets)*8 < a.width {
			a.offsets = make([]byte, 8)
		}
		return err
	}
	a.offsets, err = b.next(int64(a.n+1) * int64(a.width/8))
	return err
}

// checkOffsets returns an error if an offset is less than the one before, or above the number of items.
func (a *array) checkOffsets(items int) error {
	last := int64(0)
	for i := range a.n + 1 {
		at := a.offset(i)
		if at < last {
			return damaged("the offsets of its values do not grow")
		}
		last = at
	}
	if last > int64(items) {
		return errShort()
	}
	return nil
}

func (b *batch) loadViews(a *array) (err error) {
	if a.data, err = b.next(16 * int64(a.n)); err != nil {
		return err
	}
	more, err := b.views()
	if err != nil {
		return err
	}
	for range more {
		text, err := b.next(0)
		if err != nil {
			return err
		}
		a.more = append(a.more, text)
	}
	for i := range a.n {
		if _, ok := a.view(i); !ok && !a.missing(i) {
			return errShort()
		}
	}
	return nil
}

// checkNumbers checks that numbers are those of values in a dictionary, and that seconds are so few that
// they can be milliseconds.
func (b *batch) checkNumbers(a *array) error {
	if a.unit > 0 {
		for i := range a.n {
			if x := a.raw(i); !a.missing(i) && (x > math.MaxInt64/a.unit || x < math.MinInt64/a.unit) {
				return unread("a time of %d seconds has too many milliseconds, and is", x)
			}
		}
	}
	if !a.coded {
		return nil
	}
	if a.values = b.file.known[a.id]; a.values == nil {
		a.values = &dictionary{}
	}
	for i := range a.n {
		if a.valid != nil && a.valid[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if at := a.raw(i); at < 0 || at >= a.values.n {
			return damaged("a value has the number %d in a dictionary of %d values", at, a.values.n)
		}
	}
	return nil
}

// next reads the next buffer, which must have at least so many bytes.
func (b *batch) next(least int64) ([]byte, error) {
	if 2*b.buffer+2 > len(b.buffers) {
		return nil, damaged("a batch has %d buffers, which is fewer than its columns take", len(b.buffers)/2)
	}
	offset, size := b.buffers[2*b.buffer], b.buffers[2*b.buffer+1]
	b.buffer++
	if offset < 0 || size < 0 || size > b.place.size || offset > b.place.size-size {
		return nil, damaged("a buffer of %d bytes at byte %d is outside a body of %d bytes", size, offset, b.place.size)
	}
	if size == 0 {
		if least > 0 {
			return nil, errShort()
		}
		return nil, nil
	}
	data, err := b.file.bytes(b.place.body+offset, size)
	if err == nil && b.codec != noCodec {
		data, err = b.file.inflate(data, b.codec)
	}
	if err == nil && int64(len(data)) < least {
		err = errShort()
	}
	return data, err
}

// count counts bytes against the limits.
func (f *file) count(size int64) error {
	if size > f.limits.Memory-f.memory-f.kept {
		return limited("the columns of a batch with their dictionaries take more than %d bytes of memory", f.limits.Memory)
	}
	if size > f.limits.Bytes-f.read {
		return limited("the file has more than %d bytes of values", f.limits.Bytes)
	}
	f.memory += size
	f.read += size
	return nil
}

// bytes reads bytes that are in the file.
func (f *file) bytes(at, size int64) ([]byte, error) {
	if err := f.count(size); err != nil {
		return nil, err
	}
	data := make([]byte, size)
	return data, columnfile.ReadAt(f.in, data, at)
}

// inflate decompresses a buffer, which states its size first.
func (f *file) inflate(raw []byte, codec int8) (data []byte, err error) {
	if len(raw) < 8 {
		return nil, errShort()
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 { // not compressed
		return raw, nil
	}
	const mostLZ4 = 255 // bytes that a byte of LZ4 can become
	if size < 0 || codec == 0 && size > mostLZ4*int64(len(raw)) {
		return nil, damaged("a compressed buffer states %d bytes", size)
	}
	if err := f.count(size); err != nil {
		return nil, err
	}
	n := 0
	if codec == 0 {
		data = make([]byte, size)
		n, err = inflate.LZ4Frame(data, raw)
	} else {
		data, n, err = f.inflateZstd(size, raw)
	}
	if err != nil {
		return nil, damaged("a buffer cannot be decompressed: %v", err)
	}
	if n != len(data) {
		return nil, damaged("a compressed buffer has other bytes than the %d that it states", size)
	}
	return data, nil
}

// inflateZstd decompresses zstd. A size that is much more than that of the data could be damage: then all the memory
// is taken when the first part is there.
func (f *file) inflateZstd(size int64, raw []byte) (data []byte, n int, err error) {
	in, err := f.zstd.Read(size, raw)
	if err != nil {
		return nil, 0, err
	}
	const first = 4 << 20
	data = make([]byte, min(size, first))
	if size > first {
		if n, err = io.ReadFull(in, data); err != nil {
			return nil, n, err
		}
		data = append(make([]byte, 0, size), data...)[:size]
	}
	more, err := inflate.Fill(in, data[n:])
	return data, n + more, err
}
