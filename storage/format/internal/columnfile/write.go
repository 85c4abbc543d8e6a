package columnfile

import (
	"cmp"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Entry is a key of the metadata of a file with its text.
type Entry struct{ Key, Text string }

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
	// batchRows is the number of rows that are passed to the library at a time: enough to
	// make the cost of a call negligible, and at most 64 KiB of values for a column.
	batchRows = 1024
	// batchBytes of texts and lists also end a batch, for rows that are long.
	batchBytes = 1 << 20
	// dictionaryBytes is the size beyond which a column of texts continues without a
	// dictionary.
	dictionaryBytes = 1 << 20
)

// Writer writes a file: for each row a value for each column, by number, and then
// EndRow. A column that gets no value is missing, which only an optional column may be.
// It holds a row group in memory.
type Writer struct {
	out     *parquet.GenericWriter[any]
	columns []Column
	batch   [][]parquet.Value
	set     []bool // columns that have a value in the present row
	texts   []byte // of the batch
	rows    int    // of the batch
	bytes   int    // of the batch
	group   int64  // bytes of the row group
	limit   int64
}

// NewWriter begins a file of columns of the kinds Boolean, Integer, Float, Double, Text,
// Millis, Days, Number, TextList and FloatList, whose lists are of 32-bit floats. Pages are
// compressed by zstd. Columns and entries stay in their order; the same rows give the same bytes.
func NewWriter(out io.Writer, columns []Column, entries []Entry, opts WriteOptions) *Writer {
	options := []parquet.WriterOption{
		parquet.NewSchema("rows", newRecord(columns)),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.CreatedBy("heavytail", "1", "parquet-go"),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.DataPageStatistics(true),
	}
	for _, e := range entries {
		options = append(options, parquet.KeyValueMetadata(e.Key, e.Text))
	}
	for _, c := range columns {
		if c.Kind == FloatList { // bounds of coordinates are of no use to readers
			options = append(options, parquet.SkipPageBounds(c.Name, "list", "element"))
		}
	}
	return &Writer{
		out: parquet.NewGenericWriter[any](out, options...), columns: columns, batch: make([][]parquet.Value, len(columns)),
		set: make([]bool, len(columns)), limit: cmp.Or(opts.RowGroup, defaultRowGroup),
	}
}

// put adds a value of the present row.
func (w *Writer) put(column int, v parquet.Value, size int) {
	w.set[column] = true
	def := 0
	if w.columns[column].Optional {
		def = 1
	}
	w.batch[column] = append(w.batch[column], v.Level(0, def, column))
	w.bytes += size
}

// Text sets the value of a column of texts, which it copies.
func (w *Writer) Text(column int, text []byte) {
	start := len(w.texts)
	w.texts = append(w.texts, text...)
	w.put(column, parquet.ByteArrayValue(w.texts[start:]), 4+len(text))
}

// Integer sets the value of a column of integers, dates, timestamps or numbers without a sign.
func (w *Writer) Integer(column int, x int64) {
	if kind := w.columns[column].Kind; kind == Days || kind == Number {
		w.put(column, parquet.Int32Value(int32(x)), 4)
		return
	}
	w.put(column, parquet.Int64Value(x), 8)
}

// Float sets the value of a column of 32-bit floats.
func (w *Writer) Float(column int, x float32) { w.put(column, parquet.FloatValue(x), 4) }

// Double sets the value of a column of 64-bit floats.
func (w *Writer) Double(column int, x float64) { w.put(column, parquet.DoubleValue(x), 8) }

// Boolean sets the value of a column of truth values.
func (w *Writer) Boolean(column int, x bool) { w.put(column, parquet.BooleanValue(x), 1) }

// Floats sets the value of a column of lists, which must not be empty.
func (w *Writer) Floats(column int, list []float32) {
	w.set[column] = true
	for i, x := range list {
		w.batch[column] = append(w.batch[column], parquet.FloatValue(x).Level(min(i, 1), 1, column))
	}
	w.bytes += 4 * len(list)
}

// Item adds a text, which it copies, to the list of a column of lists of texts. A list without
// items is empty.
func (w *Writer) Item(column int, text []byte) {
	start, level := len(w.texts), 0
	if w.set[column] {
		level = 1
	}
	w.set[column] = true
	w.texts = append(w.texts, text...)
	w.batch[column] = append(w.batch[column], parquet.ByteArrayValue(w.texts[start:]).Level(level, 1, column))
	w.bytes += 4 + len(text)
}

// EndRow ends a row.
func (w *Writer) EndRow() error {
	for i, set := range w.set {
		if !set {
			w.batch[i] = append(w.batch[i], parquet.NullValue().Level(0, 0, i))
		}
		w.set[i] = false
	}
	if w.rows++; w.rows < batchRows && w.bytes < batchBytes {
		return nil
	}
	return w.flush()
}

// flush passes the batch to the library, and ends a row group that is full.
func (w *Writer) flush() error {
	for i, column := range w.out.ColumnWriters() {
		if _, err := column.WriteRowValues(w.batch[i]); err != nil {
			return err
		}
		w.batch[i] = w.batch[i][:0]
	}
	w.group += int64(w.bytes)
	w.rows, w.bytes, w.texts = 0, 0, w.texts[:0]
	if w.group < w.limit {
		return nil
	}
	w.group = 0
	return w.out.Flush()
}

// Close writes what is left and the footer. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.out.Close()
}

// record is the root of a schema. The one of the library would sort the columns by name.
type record struct {
	parquet.Group
	fields []parquet.Field
}

func (r record) Fields() []parquet.Field { return r.fields }

// field is a column of a record.
type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value is for rows that are Go values. The rows here are not.
func (field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func newRecord(columns []Column) record {
	r := record{Group: parquet.Group{}}
	for _, c := range columns {
		node := newNode(c.Kind)
		if c.Optional {
			node = parquet.Optional(node)
		}
		r.Group[c.Name] = node
		r.fields = append(r.fields, field{node, c.Name})
	}
	return r
}

func newNode(k Kind) parquet.Node {
	switch k {
	case Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case Integer:
		return parquet.Int(64)
	case Number:
		return parquet.Uint(32)
	case Float:
		return parquet.Leaf(parquet.FloatType)
	case Double:
		return parquet.Leaf(parquet.DoubleType)
	case Millis:
		return parquet.Timestamp(parquet.Millisecond)
	case Days:
		return parquet.Date()
	case FloatList:
		return parquet.List(parquet.Leaf(parquet.FloatType))
	case TextList:
		return parquet.List(newNode(Text))
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}
