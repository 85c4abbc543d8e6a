package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// Limits of a record of Thrift's compact protocol.
const (
	maxDepth = 32      // nesting depth of records; Parquet has seven levels
	maxItems = 1 << 20 // items of all lists; a file of 1,000 columns and 1,000 row groups has as many
)

// recordSize returns the length of the record at the beginning of data after walking through
// it, since the library allocates by the lengths that texts and lists state. No text or list of a
// record that it accepts is longer than the record, all lists together have at most maxItems
// items, and nothing is nested deeper than maxDepth. whole is false if data ends before the
// record does.
//
// Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
func recordSize(data []byte) (size int, whole bool, err error) {
	w := walker{data: data}
	w.record()
	if w.reason != "" {
		return 0, true, damaged("%s", w.reason)
	}
	return w.at, !w.short, nil
}

// walker walks through the values of a record until its first fault.
type walker struct {
	data   []byte
	at     int
	depth  int
	items  uint64
	short  bool   // data ends too early
	reason string // of a fault
}

func (w *walker) failed() bool { return w.short || w.reason != "" }

func (w *walker) skip(n uint64) {
	if n > uint64(len(w.data)-w.at) {
		w.short = true
		return
	}
	w.at += int(n)
}

func (w *walker) byte() byte {
	if w.skip(1); w.failed() {
		return 0
	}
	return w.data[w.at-1]
}

func (w *walker) varint() uint64 {
	n, size := binary.Uvarint(w.data[w.at:])
	switch {
	case size == 0:
		w.short = true
	case size < 0:
		w.reason = "an integer of the metadata has more than 64 bits"
	default:
		w.at += size
		return n
	}
	return 0
}

func (w *walker) record() {
	if w.depth++; w.depth > maxDepth {
		w.reason = "the metadata are nested too deeply"
	}
	for !w.failed() {
		head := w.byte()
		if head == 0 {
			break
		}
		if head>>4 == 0 {
			w.varint() // the number of the field
		}
		if kind := thrift.Type(head & 15); kind != thrift.TRUE && kind != thrift.FALSE {
			w.value(kind)
		}
	}
	w.depth--
}

// value walks through the value of a field that is no boolean, or through an item of a list, where
// a boolean takes one byte.
func (w *walker) value(kind thrift.Type) {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		w.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		w.varint()
	case thrift.DOUBLE:
		w.skip(8)
	case thrift.UUID:
		w.skip(16)
	case thrift.BINARY:
		w.skip(w.varint())
	case thrift.LIST, thrift.SET:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.list(n, thrift.Type(head&15))
	case thrift.MAP:
		if n := w.varint(); n > 0 {
			kinds := w.byte()
			w.list(n, thrift.Type(kinds>>4), thrift.Type(kinds&15))
		}
	case thrift.STRUCT:
		w.record()
	default:
		w.reason = "the metadata have a value of an unknown type"
	}
}

// list walks through n items, each of which has values of these types.
func (w *walker) list(n uint64, kinds ...thrift.Type) {
	if w.depth++; w.depth > maxDepth {
		w.reason = "the metadata are nested too deeply"
	}
	if n > uint64(len(w.data)-w.at) {
		w.short = true
	}
	if w.items += n; w.items > maxItems {
		w.reason = "the lists of the metadata are too long"
	}
	for ; n > 0 && !w.failed(); n-- {
		for _, kind := range kinds {
			w.value(kind)
		}
	}
	w.depth--
}

// padding is how many more values than a page needs its runs may have: some writers fill their
// last group of bit-packed values.
const padding = 512

// checkRuns returns an error if runs of values of width bits do not have n values, since the
// library allocates by the lengths that runs state.
//
// Source: https://github.com/apache/parquet-format/blob/master/Encodings.md
func checkRuns(data []byte, width, n int) error {
	all := uint64(0)
	for len(data) > 0 {
		head, size := binary.Uvarint(data)
		if size <= 0 {
			return errShort()
		}
		data = data[size:]
		take, values := uint64(width+7)/8, head>>1
		if head&1 == 1 {
			take, values = head>>1*uint64(width), head>>1*8
		}
		// Both bounds are far below an overflow: all is at most n and the padding, and width 32.
		if head>>1 > uint64(n+padding) || all+values > uint64(n+padding) {
			return damaged("a page has more values in runs than its %d", n)
		}
		all += values
		if take > uint64(len(data)) {
			return errShort()
		}
		data = data[take:]
	}
	if all < uint64(n) {
		return errShort()
	}
	return nil
}

// widthOf is the number of bits of levels up to most.
func widthOf(most int) int { return bits.Len(uint(most)) }

// plainTexts returns the bytes of n texts, each of which follows its length.
func plainTexts(data []byte, n int) ([]byte, error) {
	at := 0
	for range n {
		if len(data)-at < 4 {
			return nil, errShort()
		}
		length := binary.LittleEndian.Uint32(data[at:])
		if at += 4; uint64(length) > uint64(len(data)-at) {
			return nil, errShort()
		}
		at += int(length)
	}
	return data[:at], nil
}

// checkDeltas walks through a block of deltas of n numbers of at most width bits, and returns the
// bytes after it.
func checkDeltas(data []byte, width, n int) (rest []byte, err error) {
	var head [4]uint64 // size of a block, parts of a block, numbers, first number
	for i := range head {
		x, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errShort()
		}
		head[i], data = x, data[size:]
	}
	const maxBlock = 1 << 16 // numbers; writers have 128 to 1,024
	switch {
	case head[2] != uint64(n):
		return nil, damaged("a page has %d deltas instead of %d", head[2], n)
	case head[0] == 0 || head[0] > maxBlock || head[1] == 0 || head[0]%head[1] != 0 || head[0]/head[1]%32 != 0:
		return nil, damaged("a page has blocks of %d deltas in %d parts", head[0], head[1])
	}
	parts, each := int(head[1]), int(head[0]/head[1])
	for left := n - 1; left > 0; {
		_, size := binary.Uvarint(data)
		if size <= 0 || len(data)-size < parts {
			return nil, errShort()
		}
		widths := data[size : size+parts]
		data = data[size+parts:]
		for _, w := range widths {
			if left <= 0 {
				break // the widths of parts that are not there may be any
			}
			left -= each
			take := each * int(w) / 8
			if left <= 0 {
				take = min(take, len(data)) // some writers leave the end out
			}
			if int(w) > width || take > len(data) {
				return nil, errShort()
			}
			data = data[take:]
		}
	}
	return data, nil
}
