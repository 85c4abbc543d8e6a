package columnfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// WriteOptions configure a Writer. The zero value has the usual settings.
type WriteOptions struct {
	// RowGroup is about how many bytes of values, before compression, become a row group;
	// 0 means 64 MiB. A writer holds a row group in memory, compressed, until it is full;
	// readers that work in parallel or skip rows do so by row groups, and each has its
	// own dictionaries.
	RowGroup int64
}

const (
	defaultRowGroup = 64 << 20
	// pageWindow is how far back compression looks for equal bytes: as far as most pages
	// reach. The encoder takes memory of twice this size.
	pageWindow = 1 << 20
	// createdBy changes when the bytes of the same rows do.
	createdBy = "heavytail version 2"
)

// Writer writes a file: for each row a value for each column, by number, and then
// EndRow. A column that gets no value is missing, which only an optional column may be, or
// an empty list. It holds a row group in memory, compressed.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	columns []*columnWriter
	entries []Entry
	limit   int64 // bytes of a row group
	pages   pageWriter

	rows, bytes int64 // of the row group
	all         int64 // rows of the row groups before
	groups      int
	meta        thriftWriter // their records
	err         error        // of the first write that failed
}

// NewWriter begins a file of columns of the kinds Boolean, Integer, Float, Double, Text,
// Millis, Days, Number, TextList and FloatList, whose lists are of 32-bit floats. Pages are
// compressed by zstd. Columns and entries stay in their order; the same rows give the same bytes.
func NewWriter(out io.Writer, columns []Column, entries []Entry, opts WriteOptions) *Writer {
	w := &Writer{out: out, entries: entries, limit: cmp.Or(opts.RowGroup, defaultRowGroup)}
	w.pages.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), // options without errors
		zstd.WithWindowSize(pageWindow))
	for _, c := range columns {
		w.columns = append(w.columns, newColumnWriter(c))
	}
	return w
}

// value begins a value of the present row that takes size bytes.
func (w *Writer) value(column, size int) *columnWriter {
	w.bytes += int64(size)
	c := w.columns[column]
	c.enter(1)
	return c
}

// Text sets the value of a column of texts, which it copies.
func (w *Writer) Text(column int, text []byte) { w.value(column, 4+len(text)).text(text) }

// Integer sets the value of a column of integers, dates, timestamps or numbers without a sign.
func (w *Writer) Integer(column int, x int64) { w.value(column, 8).number(x) }

// Float sets the value of a column of 32-bit floats.
func (w *Writer) Float(column int, x float32) { w.value(column, 4).float(float64(x)) }

// Double sets the value of a column of 64-bit floats.
func (w *Writer) Double(column int, x float64) { w.value(column, 8).float(x) }

// Boolean sets the value of a column of truth values.
func (w *Writer) Boolean(column int, x bool) {
	c := w.value(column, 1)
	if x {
		c.number(1)
	} else {
		c.number(0)
	}
}

// Floats sets the value of a column of lists.
func (w *Writer) Floats(column int, list []float32) {
	for _, x := range list {
		c := w.value(column, 4)
		c.plain = binary.LittleEndian.AppendUint32(c.plain, math.Float32bits(x)) // bounds of coordinates are of no use to readers
	}
}

// Item adds a text, which it copies, to the list of a column of lists of texts. A list without
// items is empty.
func (w *Writer) Item(column int, text []byte) { w.Text(column, text) }

// EndRow ends a row.
func (w *Writer) EndRow() error {
	for _, c := range w.columns {
		if !c.set {
			if !c.levels() {
				return fmt.Errorf("a row has no value of the column %q", c.name)
			}
			w.bytes++
			c.enter(0)
			c.bounds.missing++
		}
		c.set = false
		c.rows++
		if c.full() {
			c.endPage(&w.pages)
		}
	}
	if w.rows++; w.bytes >= w.limit {
		w.endGroup()
	}
	return w.err
}

func (w *Writer) endGroup() {
	start, plain := max(w.at, int64(len(magic))), int64(0)
	w.groups++
	w.meta.item(func() {
		w.meta.list(1, thriftStruct, len(w.columns))
		for _, c := range w.columns {
			c.endChunk(&w.pages)
			at := max(w.at, int64(len(magic)))
			w.meta.item(func() { c.write(&w.meta, at) })
			for _, page := range c.pages {
				w.write(page)
			}
			plain += c.plainSize
			c.reset()
		}
		w.meta.i64(2, plain)
		w.meta.i64(3, w.rows)
		w.meta.i64(5, start)
		w.meta.i64(6, w.at-start)
	})
	w.all += w.rows
	w.rows, w.bytes = 0, 0
}

// write writes bytes, after the magic number at the beginning of the file. After an error
// it does nothing more.
func (w *Writer) write(data []byte) {
	if w.at == 0 {
		data = append([]byte(magic), data...)
	}
	if w.err == nil {
		_, w.err = w.out.Write(data)
		w.at += int64(len(data))
	}
}

// Close writes what is left and the footer. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.rows > 0 {
		w.endGroup()
	}
	var footer thriftWriter
	footer.item(func() { w.writeMetadata(&footer) })
	footer.data = binary.LittleEndian.AppendUint32(footer.data, uint32(len(footer.data)))
	w.write(append(footer.data, magic...))
	return w.err
}

func (w *Writer) writeMetadata(t *thriftWriter) {
	t.i32(1, 2) // version of the format
	elements := []element{{name: "rows", repetition: repetitionNone, children: int64(len(w.columns)), converted: convertedNone}}
	for _, c := range w.columns {
		elements = append(elements, c.elements()...)
	}
	t.list(2, thriftStruct, len(elements))
	for _, e := range elements {
		t.item(func() { e.write(t) })
	}
	t.i64(3, w.all)
	t.list(4, thriftStruct, w.groups)
	t.data = append(t.data, w.meta.data...)
	t.list(5, thriftStruct, len(w.entries))
	for _, e := range w.entries {
		t.item(func() { t.text(1, e.Key); t.text(2, e.Text) })
	}
	t.text(6, createdBy)
	t.list(7, thriftStruct, len(w.columns))
	for range w.columns {
		t.item(func() { t.record(1, func() {}) }) // bounds are in the usual order of the type
	}
}

func (e *element) write(t *thriftWriter) {
	if e.leaf {
		t.i32(1, int64(e.physical))
	}
	if e.repetition != repetitionNone {
		t.i32(3, e.repetition)
	}
	t.text(4, e.name)
	if !e.leaf {
		t.i32(5, e.children)
	}
	if e.converted != convertedNone {
		t.i32(6, e.converted)
	}
	if e.logical == logicalNone {
		return
	}
	t.record(10, func() {
		t.record(int(e.logical), func() {
			switch e.logical {
			case logicalInteger:
				t.field(1, thriftByte)
				t.data = append(t.data, byte(e.bits))
				t.flag(2, e.signed)
			case logicalTimestamp:
				t.flag(1, true) // in UTC
				t.record(2, func() { t.record(int(e.unit), func() {}) })
			}
		})
	})
}
