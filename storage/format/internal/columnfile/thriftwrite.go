package columnfile

import "encoding/binary"

// thriftWriter writes records of Thrift's compact protocol. The fields of a record must
// come in the order of their numbers.
type thriftWriter struct {
	data []byte
	last int // the field before, in the present record
}

func (w *thriftWriter) field(id int, kind byte) {
	w.data = append(w.data, byte(id-w.last)<<4|kind)
	w.last = id
}

func (w *thriftWriter) i32(id int, x int64) {
	w.field(id, thriftI32)
	w.data = binary.AppendVarint(w.data, x)
}

func (w *thriftWriter) i64(id int, x int64) {
	w.field(id, thriftI64)
	w.data = binary.AppendVarint(w.data, x)
}

func (w *thriftWriter) flag(id int, x bool) {
	if x {
		w.field(id, thriftTrue)
	} else {
		w.field(id, thriftFalse)
	}
}

func (w *thriftWriter) text(id int, text string) {
	w.field(id, thriftBinary)
	w.textItem(text)
}

func (w *thriftWriter) textItem(text string) {
	w.data = binary.AppendUvarint(w.data, uint64(len(text)))
	w.data = append(w.data, text...)
}

// record writes a field that is a record, whose fields are written by fields.
func (w *thriftWriter) record(id int, fields func()) {
	w.field(id, thriftStruct)
	w.item(fields)
}

// item writes a record of a list, or one that is no field.
func (w *thriftWriter) item(fields func()) {
	last := w.last
	w.last = 0
	fields()
	w.data = append(w.data, 0)
	w.last = last
}

// list begins a list, whose items must follow.
func (w *thriftWriter) list(id int, kind byte, size int) {
	w.field(id, thriftList)
	if size < 15 {
		w.data = append(w.data, byte(size)<<4|kind)
		return
	}
	w.data = binary.AppendUvarint(append(w.data, 15<<4|kind), uint64(size))
}
