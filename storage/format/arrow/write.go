package arrow

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"heavytail/storage/format/internal/columnfile"
)

const (
	defaultBatch = 4 << 20 // bytes of values of a batch
	batchRows    = 1 << 16 // rows of a batch, at most
	maxText      = 1 << 30 // bytes of one text
)

// writer is a columnfile.Writer.
type writer struct {
	out     io.Writer
	stream  bool
	columns []columnWriter
	entries []columnfile.Entry
	limit   int64 // bytes of a batch
	bytes   int64 // of the present batch
	rows    int
	at      int64   // bytes written
	blocks  []place // of the batches of a file
	build   *flatbuffers.Builder
	err     error // of the first write that failed
}

// columnWriter collects the values of a column in the form in which they are written.
type columnWriter struct {
	columnfile.Column
	set     bool
	missing int64
	valid   []byte
	offsets []byte // of texts or lists
	ends    []byte // offsets of the texts in lists
	data    []byte
	items   int // of all lists
}

func createFile(out io.Writer, columns []columnfile.Column, entries []columnfile.Entry, opts columnfile.WriteOptions) columnfile.Writer {
	return create(out, false, columns, entries, opts)
}

func createStream(out io.Writer, columns []columnfile.Column, entries []columnfile.Entry, opts columnfile.WriteOptions) columnfile.Writer {
	return create(out, true, columns, entries, opts)
}

// create begins a file with the schema.
func create(out io.Writer, stream bool, columns []columnfile.Column, entries []columnfile.Entry, opts columnfile.WriteOptions) *writer {
	w := &writer{out: out, stream: stream, entries: entries, limit: cmp.Or(opts.RowGroup, defaultBatch), build: flatbuffers.NewBuilder(1 << 10)}
	for _, c := range columns {
		w.columns = append(w.columns, columnWriter{Column: c})
	}
	w.begin()
	if !stream {
		w.write([]byte(magic + "\x00\x00"))
	}
	w.message(messageSchema, w.schema(), 0)
	return w
}

func (w *writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(data)
		w.at += int64(len(data))
	}
}

// begin begins a batch.
func (w *writer) begin() {
	w.rows, w.bytes = 0, 0
	for i := range w.columns {
		c := &w.columns[i]
		c.missing, c.items, c.valid, c.data = 0, 0, c.valid[:0], c.data[:0]
		c.offsets, c.ends = append(c.offsets[:0], 0, 0, 0, 0), append(c.ends[:0], 0, 0, 0, 0)
	}
}

func (w *writer) add(column, size int) *columnWriter {
	w.bytes += int64(size)
	c := &w.columns[column]
	c.set = true
	return c
}

func (w *writer) Text(column int, text []byte) {
	if len(text) > maxText && w.err == nil {
		w.err = fmt.Errorf("the column %q has a text of %d bytes, and the limit is %d", w.columns[column].Name, len(text), maxText)
		return
	}
	c := w.add(column, 4+len(text))
	c.data = append(c.data, text...)
	if c.Kind == columnfile.TextList {
		c.items++
		c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.data)))
	}
}

func (w *writer) Integer(column int, x int64) {
	c := w.add(column, 8)
	if c.Kind == columnfile.Days || c.Kind == columnfile.Number {
		c.data = binary.LittleEndian.AppendUint32(c.data, uint32(x))
	} else {
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(x))
	}
}

func (w *writer) Float(column int, x float32) {
	c := w.add(column, 4)
	c.data = binary.LittleEndian.AppendUint32(c.data, math.Float32bits(x))
}

func (w *writer) Double(column int, x float64) {
	c := w.add(column, 8)
	c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(x))
}

func (w *writer) Boolean(column int, x bool) {
	c := w.add(column, 1)
	c.data = setBit(c.data, w.rows, x)
}

func (w *writer) Floats(column int, list []float32) {
	c := w.add(column, 4*len(list))
	c.items += len(list)
	for _, x := range list {
		c.data = binary.LittleEndian.AppendUint32(c.data, math.Float32bits(x))
	}
}

// setBit sets the bit i of bits that end before it.
func setBit(bits []byte, i int, x bool) []byte {
	if i%8 == 0 {
		bits = append(bits, 0)
	}
	if x {
		bits[i/8] |= 1 << (i % 8)
	}
	return bits
}

func (w *writer) EndRow() error {
	for i := range w.columns {
		c := &w.columns[i]
		list := c.Kind.IsList()
		if !c.set {
			if !list && !c.Optional && w.err == nil {
				w.err = fmt.Errorf("a row has no value of the column %q", c.Name)
			}
			c.missing++
			w.bytes++
			switch c.Kind {
			case columnfile.Boolean:
				c.data = setBit(c.data, w.rows, false)
			case columnfile.Days, columnfile.Number, columnfile.Float:
				c.data = append(c.data, make([]byte, 4)...)
			case columnfile.Integer, columnfile.Double, columnfile.Millis:
				c.data = append(c.data, make([]byte, 8)...)
			}
		}
		if c.Length > 0 && c.items != (w.rows+1)*c.Length && w.err == nil {
			w.err = fmt.Errorf("a list of the column %q has another length than %d", c.Name, c.Length)
		}
		c.valid = setBit(c.valid, w.rows, c.set || list)
		if list {
			c.missing = 0
			c.offsets = binary.LittleEndian.AppendUint32(c.offsets, uint32(c.items))
		} else if c.Kind == columnfile.Text {
			c.offsets = binary.LittleEndian.AppendUint32(c.offsets, uint32(len(c.data)))
		}
		c.set = false
	}
	if w.rows++; w.rows == batchRows || w.bytes >= w.limit {
		w.batch()
	}
	return w.err
}

func (w *writer) Close() error {
	if w.rows > 0 {
		w.batch()
	}
	w.write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}) // the end of the messages
	if !w.stream {
		w.footer()
	}
	return w.err
}

// buffers are the buffers of a column and of its items, in their order.
func (c *columnWriter) buffers() [][]byte {
	valid := c.valid
	if c.missing == 0 {
		valid = nil
	}
	switch {
	case c.Kind == columnfile.Text:
		return [][]byte{valid, c.offsets, c.data}
	case c.Length > 0:
		return [][]byte{valid, nil, c.data}
	case c.Kind == columnfile.FloatList:
		return [][]byte{valid, c.offsets, nil, c.data}
	case c.Kind == columnfile.TextList:
		return [][]byte{valid, c.offsets, nil, c.ends, c.data}
	}
	return [][]byte{valid, c.data}
}

// batch writes the rows since the last batch.
func (w *writer) batch() {
	var nodes, places []int64
	var bodies [][]byte
	size := int64(0)
	for i := range w.columns {
		c := &w.columns[i]
		nodes = append(nodes, int64(w.rows), c.missing)
		if c.Kind.IsList() {
			nodes = append(nodes, int64(c.items), 0)
		}
		for _, body := range c.buffers() {
			places = append(places, size, int64(len(body)))
			bodies = append(bodies, body)
			size += padded(int64(len(body)))
		}
	}
	b := w.build
	n, p := w.structs(nodes, 2), w.structs(places, 2)
	b.StartObject(5)
	b.PrependInt64Slot(0, int64(w.rows), 0)
	b.PrependUOffsetTSlot(1, n, 0)
	b.PrependUOffsetTSlot(2, p, 0)
	block := place{meta: w.at, size: size}
	block.head = w.message(messageRows, b.EndObject(), size)
	for _, body := range bodies {
		w.write(body)
		w.write(make([]byte, padded(int64(len(body)))-int64(len(body))))
	}
	w.blocks = append(w.blocks, block)
	w.begin()
}

// padded rounds up to a multiple of 8.
func padded(size int64) int64 { return (size + 7) &^ 7 }

// structs adds a vector of structures of 64-bit numbers, each of size numbers.
func (w *writer) structs(numbers []int64, size int) flatbuffers.UOffsetT {
	w.build.StartVector(8*size, len(numbers)/size, 8)
	for _, x := range slices.Backward(numbers) {
		w.build.PrependInt64(x)
	}
	return w.build.EndVector(len(numbers) / size)
}

// message writes the metadata of a message, whose body has size bytes, and returns the number of its bytes with
// those of its length.
func (w *writer) message(kind byte, header flatbuffers.UOffsetT, size int64) int {
	b := w.build
	b.StartObject(5)
	b.PrependInt16Slot(0, version5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, size, 0)
	b.Finish(b.EndObject())
	data := b.FinishedBytes()
	length := padded(int64(len(data)))
	w.write(binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(length)))
	w.write(data)
	w.write(make([]byte, length-int64(len(data))))
	b.Reset()
	return int(8 + length)
}

// footer writes the table of contents of a file.
func (w *writer) footer() {
	b := w.build
	schema := w.schema()
	var blocks []int64
	for _, p := range w.blocks {
		blocks = append(blocks, p.meta, int64(p.head), p.size)
	}
	none, batches := w.structs(nil, 3), w.structs(blocks, 3)
	b.StartObject(5)
	b.PrependInt16Slot(0, version5, 0)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, none, 0)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.Finish(b.EndObject())
	data := b.FinishedBytes()
	w.write(data)
	w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), magic...))
}

// schema adds a schema.
func (w *writer) schema() flatbuffers.UOffsetT {
	var fields, entries []flatbuffers.UOffsetT
	for i := range w.columns {
		fields = append(fields, w.field(w.columns[i].Column))
	}
	b := w.build
	for _, e := range w.entries {
		key, text := b.CreateString(e.Key), b.CreateString(e.Text)
		b.StartObject(2)
		b.PrependUOffsetTSlot(0, key, 0)
		b.PrependUOffsetTSlot(1, text, 0)
		entries = append(entries, b.EndObject())
	}
	list, metadata := w.offsets(fields), w.offsets(entries)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	b.PrependUOffsetTSlot(2, metadata, 0)
	return b.EndObject()
}

// offsets adds a vector of offsets.
func (w *writer) offsets(list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	w.build.StartVector(4, len(list), 4)
	for _, x := range slices.Backward(list) {
		w.build.PrependUOffsetT(x)
	}
	return w.build.EndVector(len(list))
}

// field adds the description of a column.
func (w *writer) field(c columnfile.Column) flatbuffers.UOffsetT {
	number, t := w.typeOf(c)
	var children []flatbuffers.UOffsetT
	switch c.Kind {
	case columnfile.FloatList:
		children = append(children, w.field(columnfile.Column{Name: "item", Kind: columnfile.Float}))
	case columnfile.TextList:
		children = append(children, w.field(columnfile.Column{Name: "item", Kind: columnfile.Text}))
	}
	b := w.build
	name, list := b.CreateString(c.Name), w.offsets(children)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, c.Optional, false)
	b.PrependByteSlot(2, number, 0)
	b.PrependUOffsetTSlot(3, t, 0)
	b.PrependUOffsetTSlot(5, list, 0)
	return b.EndObject()
}

// typeOf adds the type of a column, and returns its number.
func (w *writer) typeOf(c columnfile.Column) (byte, flatbuffers.UOffsetT) {
	b := w.build
	zone := flatbuffers.UOffsetT(0)
	if c.Kind == columnfile.Millis {
		zone = b.CreateString("UTC")
	}
	number := byte(typeUtf8)
	b.StartObject(4)
	switch c.Kind {
	case columnfile.Boolean:
		number = typeBool
	case columnfile.Integer:
		number = typeInt
		b.PrependInt32Slot(0, 64, 0)
		b.PrependBoolSlot(1, true, false)
	case columnfile.Number:
		number = typeInt
		b.PrependInt32Slot(0, 32, 0)
	case columnfile.Float, columnfile.Double:
		number = typeFloatingPoint
		b.PrependInt16Slot(0, int16(c.Kind-columnfile.Float)+1, 0) // single or double precision
	case columnfile.Millis:
		number = typeTimestamp
		b.PrependInt16Slot(0, 1, 0)
		b.PrependUOffsetTSlot(1, zone, 0)
	case columnfile.Days:
		number = typeDate
		b.PrependInt16Slot(0, 0, 1)
	case columnfile.FloatList, columnfile.TextList:
		number = typeList
		if c.Length > 0 {
			number = typeFixedSizeList
			b.PrependInt32Slot(0, int32(c.Length), 0)
		}
	}
	return number, b.EndObject()
}
