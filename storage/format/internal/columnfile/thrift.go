package columnfile

import "encoding/binary"

// Limits of a record of Thrift's compact protocol.
const (
	maxThriftDepth = 32      // nesting depth of records; Parquet has seven levels
	maxThriftItems = 1 << 20 // items of all lists; a file of 1,000 columns and 1,000 row groups has as many
)

// The types of Thrift's compact protocol. The type of a field that is a boolean has its
// value.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// readThrift reads the record at the beginning of data, and returns its length in bytes.
// No text or list that it allocates is longer than the record, all lists together have at
// most maxThriftItems items, and nothing is nested deeper than maxThriftDepth. whole is
// false if data ends before the record does.
//
// Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
func readThrift(data []byte, into fields) (size int, whole bool, err error) {
	r := thriftReader{data: data}
	r.fields(into)
	switch {
	case r.reason != "":
		return 0, true, damaged("%s", r.reason)
	case r.short:
		return 0, false, nil
	}
	return r.at, true, nil
}

// fields takes the fields of a record. It reads the value of a field by a method of the
// reader, which skips values of other types, or skips it.
type fields func(r *thriftReader, id int64, kind byte)

// thriftReader reads the values of a record. After a fault it reads zeros.
type thriftReader struct {
	data   []byte
	at     int
	depth  int
	items  int
	short  bool   // data ends too early
	reason string // of a fault
}

func (r *thriftReader) failed() bool { return r.short || r.reason != "" }

// bytes reads n bytes, and returns nothing if there are fewer.
func (r *thriftReader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)-r.at) {
		r.short = true
		return nil
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at]
}

func (r *thriftReader) one() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *thriftReader) varint() uint64 {
	n, size := binary.Uvarint(r.data[r.at:])
	switch {
	case size == 0:
		r.short = true
	case size < 0:
		r.reason = "an integer of the metadata has more than 64 bits"
	default:
		r.at += size
		return n
	}
	return 0
}

func (r *thriftReader) fields(take fields) {
	if r.depth == maxThriftDepth {
		r.reason = "the metadata are nested too deeply"
	}
	r.depth++
	for id := int64(0); !r.failed(); {
		head := r.one()
		if head == 0 || r.failed() {
			break
		}
		if id += int64(head >> 4); head>>4 == 0 {
			id = unzigzag(r.varint())
		}
		take(r, id, head&15)
	}
	r.depth--
}

func (r *thriftReader) skip(kind byte) {
	if kind != thriftTrue && kind != thriftFalse {
		r.skipItem(kind)
	}
}

// skipItem skips an item of a list, where a boolean takes one byte.
func (r *thriftReader) skipItem(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		r.one()
	case thriftI16, thriftI32, thriftI64:
		r.varint()
	case thriftDouble:
		r.bytes(8)
	case thriftUUID:
		r.bytes(16)
	case thriftBinary:
		r.bytes(r.varint())
	case thriftList, thriftSet:
		size, item := r.listHead()
		r.skipItems(size, item)
	case thriftMap:
		r.skipPairs()
	case thriftStruct:
		r.fields(func(r *thriftReader, _ int64, kind byte) { r.skip(kind) })
	default:
		r.reason = "the metadata have a value of an unknown type"
	}
}

// skipItems skips items one level deeper, so that lists of lists have bounded depth.
func (r *thriftReader) skipItems(size int, kinds ...byte) {
	r.depth++
	if r.depth > maxThriftDepth {
		r.reason = "the metadata are nested too deeply"
	}
	for range size {
		for _, kind := range kinds {
			if r.failed() {
				break
			}
			r.skipItem(kind)
		}
	}
	r.depth--
}

func (r *thriftReader) skipPairs() {
	if size := r.count(r.varint()); size > 0 {
		kinds := r.one()
		r.skipItems(size, kinds>>4, kinds&15)
	}
}

// listHead reads the number and the type of the items of a list.
func (r *thriftReader) listHead() (size int, kind byte) {
	head := r.one()
	n := uint64(head >> 4)
	if n == 15 {
		n = r.varint()
	}
	return r.count(n), head & 15
}

// count adds the items of a list, each of which takes at least one byte, and returns 0 if
// they are too many.
func (r *thriftReader) count(size uint64) int {
	switch {
	case size > uint64(maxThriftItems-r.items):
		r.reason = "the lists of the metadata have too many items"
	case size > uint64(len(r.data)-r.at):
		r.short = true
	}
	if r.failed() {
		return 0
	}
	r.items += int(size)
	return int(size)
}

func (r *thriftReader) integer(kind byte) int64 {
	switch kind {
	case thriftByte:
		return int64(int8(r.one()))
	case thriftI16, thriftI32, thriftI64:
		return unzigzag(r.varint())
	}
	r.skip(kind)
	return 0
}

func (r *thriftReader) text(kind byte) string {
	if kind == thriftBinary {
		return string(r.bytes(r.varint()))
	}
	r.skip(kind)
	return ""
}

// record reads a record, and reports whether there is one.
func (r *thriftReader) record(kind byte, take fields) bool {
	if kind != thriftStruct {
		r.skip(kind)
		return false
	}
	r.fields(take)
	return true
}

func readRecords[T any](r *thriftReader, kind byte, take func(into *T) fields) []T {
	if kind != thriftList {
		r.skip(kind)
		return nil
	}
	size, item := r.listHead()
	if item != thriftStruct {
		r.skipItems(size, item)
		return nil
	}
	list := make([]T, size)
	for i := range list {
		if r.failed() {
			break
		}
		r.fields(take(&list[i]))
	}
	return list
}
