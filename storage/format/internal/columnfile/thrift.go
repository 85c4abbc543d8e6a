package columnfile

// Limits of a record of Thrift's compact protocol.
const (
	maxThriftDepth = 32      // nesting depth of records; Parquet has seven levels
	maxThriftItems = 1 << 20 // items of all lists; a file of 1,000 columns and 1,000 row groups has as many
)

// The types of Thrift's compact protocol.
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

// checkThrift checks the record at the beginning of data, and returns its length in bytes.
// If it succeeds, no text or list is longer than the record, all lists together have at
// most maxThriftItems items, and nothing is nested deeper than maxThriftDepth: a decoder
// that allocates by the declared lengths then takes bounded memory. whole is false if data
// ends before the record does.
func checkThrift(data []byte) (size int, whole bool, err error) {
	w := thriftWalker{data: data}
	w.record(0)
	switch {
	case w.reason != "":
		return 0, true, damaged("%s", w.reason)
	case w.short:
		return 0, false, nil
	}
	return w.at, true, nil
}

// thriftWalker skips the values of a record. After a fault it does nothing more.
type thriftWalker struct {
	data   []byte
	at     int
	items  int
	short  bool   // data ends too early
	reason string // of a fault
}

func (w *thriftWalker) failed() bool { return w.short || w.reason != "" }

func (w *thriftWalker) skip(n uint64) {
	if n > uint64(len(w.data)-w.at) {
		w.short = true
		return
	}
	w.at += int(n)
}

func (w *thriftWalker) one() byte {
	if w.at == len(w.data) {
		w.short = true
		return 0
	}
	w.at++
	return w.data[w.at-1]
}

func (w *thriftWalker) varint() uint64 {
	n, size := uvarint(w.data[w.at:])
	switch {
	case size == 0:
		w.short = true
	case size < 0:
		w.reason = "an integer of the metadata has more than 64 bits"
	default:
		w.at += size
	}
	return n
}

// record skips the fields of a record.
func (w *thriftWalker) record(depth int) {
	if depth == maxThriftDepth {
		w.reason = "the metadata are nested too deeply"
	}
	for !w.failed() {
		head := w.one()
		if head == 0 || w.failed() {
			return
		}
		if head>>4 == 0 {
			w.varint() // the number of the field
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			w.value(kind, depth)
		}
	}
}

// value skips a value. A boolean takes one byte here, as in lists.
func (w *thriftWalker) value(kind byte, depth int) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		w.varint()
	case thriftDouble:
		w.skip(8)
	case thriftUUID:
		w.skip(16)
	case thriftBinary:
		w.skip(w.varint())
	case thriftList, thriftSet:
		w.list(depth)
	case thriftMap:
		w.pairs(depth)
	case thriftStruct:
		w.record(depth + 1)
	default:
		w.reason = "the metadata have a value of an unknown type"
	}
}

func (w *thriftWalker) list(depth int) {
	head := w.one()
	size := uint64(head >> 4)
	if size == 15 {
		size = w.varint()
	}
	if w.count(size) {
		for range size {
			if w.failed() {
				return
			}
			w.value(head&15, depth+1)
		}
	}
}

func (w *thriftWalker) pairs(depth int) {
	size := w.varint()
	if size == 0 || !w.count(size) {
		return
	}
	kinds := w.one()
	for range size {
		if w.failed() {
			return
		}
		w.value(kinds>>4, depth+1)
		w.value(kinds&15, depth+1)
	}
}

// count adds the items of a list, each of which takes at least one byte.
func (w *thriftWalker) count(size uint64) bool {
	switch {
	case size > uint64(maxThriftItems-w.items):
		w.reason = "the lists of the metadata have too many items"
	case size > uint64(len(w.data)-w.at):
		w.short = true
	}
	w.items += int(min(size, maxThriftItems))
	return !w.failed()
}
