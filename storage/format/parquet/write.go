package parquet

import (
	"cmp"
	"fmt"
	"io"
	"reflect"

	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"heavytail/storage/format/internal/columnfile"
)

const (
	defaultRowGroup = 64 << 20
	// dictionaryBytes is the size beyond which a column of texts continues without a
	// dictionary.
	dictionaryBytes = 1 << 20
	// createdBy changes when the bytes of the same rows do.
	createdBy = "heavytail version 3"
	// A column passes its values to the library when it has so many of them, or so many bytes.
	batchValues = 1 << 10
	batchBytes  = 64 << 10
)

// writer is a columnfile.Writer.
type writer struct {
	out     *library.GenericWriter[any]
	columns []columnWriter
	limit   int64 // bytes of a row group
	bytes   int64 // of the present row group
	err     error // of the first write that failed
}

// columnWriter collects the values of a column.
type columnWriter struct {
	columnfile.Column
	to     *library.ColumnWriter
	set    bool
	values []library.Value
	texts  []byte // of the values
}

func create(out io.Writer, columns []columnfile.Column, entries []columnfile.Entry, opts columnfile.WriteOptions) columnfile.Writer {
	w := &writer{limit: cmp.Or(opts.RowGroup, defaultRowGroup)}
	var root group
	var vectors [][]string
	for _, c := range columns {
		w.columns = append(w.columns, columnWriter{Column: c})
		node := nodeOf(c.Kind)
		switch {
		case c.Kind.IsList():
			node = library.List(node)
		case c.Optional:
			node = library.Optional(node)
		}
		if c.Kind == columnfile.FloatList {
			vectors = append(vectors, []string{c.Name, "list", "element"})
		}
		root.fields = append(root.fields, field{Node: node, name: c.Name})
	}
	w.err = guarded(func() error {
		w.out = library.NewGenericWriter[any](out, library.NewSchema("rows", root), option(func(config *library.WriterConfig) {
			config.CreatedBy = createdBy
			config.Compression = &zstd.Codec{}
			config.DictionaryMaxBytes = dictionaryBytes
			config.DataPageStatistics = false // they are in the indexes, where texts are cut
			config.SkipPageBounds = vectors   // bounds of coordinates are of no use to readers
			config.KeyValueMetadata = map[string]string{}
			for _, e := range entries {
				config.KeyValueMetadata[e.Key] = e.Text
			}
		}))
		for i, to := range w.out.ColumnWriters() {
			w.columns[i].to = to
		}
		return nil
	})
	return w
}

// option is a library.WriterOption.
type option func(*library.WriterConfig)

func (o option) ConfigureWriter(c *library.WriterConfig) { o(c) }

// group is the root of a schema whose columns stay in their order.
type group struct {
	library.Group
	fields []library.Field
}

func (g group) Fields() []library.Field { return g.fields }

// field is a named node. Its values are written by column, never from a Go value.
type field struct {
	library.Node
	name string
}

func (f field) Name() string { return f.name }

func (f field) Value(base reflect.Value) reflect.Value { return base }

// nodeOf returns how the values of a column, or the items of its lists, are stored.
func nodeOf(k columnfile.Kind) library.Node {
	switch k {
	case columnfile.Boolean:
		return library.Leaf(library.BooleanType)
	case columnfile.Integer:
		return library.Encoded(library.Int(64), &library.Plain)
	case columnfile.Number:
		return library.Encoded(library.Uint(32), &library.Plain)
	case columnfile.Float, columnfile.FloatList:
		return library.Leaf(library.FloatType)
	case columnfile.Double:
		return library.Leaf(library.DoubleType)
	case columnfile.Millis:
		return library.Encoded(library.Timestamp(library.Millisecond), &library.Plain)
	case columnfile.Days:
		return library.Encoded(library.Date(), &library.Plain)
	}
	return library.Encoded(library.String(), &library.RLEDictionary)
}

// add adds a value of size bytes to the present row. A list has one item for each of its values.
func (w *writer) add(column, size int, value library.Value) {
	w.bytes += int64(size)
	c := &w.columns[column]
	switch {
	case c.Kind.IsList() && c.set:
		value = value.Level(1, 1, column)
	case c.Kind.IsList() || c.Optional:
		value = value.Level(0, 1, column)
	}
	c.values = append(c.values, value)
	c.set = true
}

func (w *writer) Text(column int, text []byte) {
	c := &w.columns[column]
	start := len(c.texts)
	c.texts = append(c.texts, text...)
	w.add(column, 4+len(text), library.ByteArrayValue(c.texts[start:]))
}

func (w *writer) Integer(column int, x int64) {
	value := library.Int64Value(x)
	if k := w.columns[column].Kind; k == columnfile.Days || k == columnfile.Number {
		value = library.Int32Value(int32(x))
	}
	w.add(column, 8, value)
}

func (w *writer) Float(column int, x float32) { w.add(column, 4, library.FloatValue(x)) }

func (w *writer) Double(column int, x float64) { w.add(column, 8, library.DoubleValue(x)) }

func (w *writer) Boolean(column int, x bool) { w.add(column, 1, library.BooleanValue(x)) }

func (w *writer) Floats(column int, list []float32) {
	for _, x := range list {
		w.add(column, 4, library.FloatValue(x))
	}
}

func (w *writer) EndRow() error {
	for i := range w.columns {
		c := &w.columns[i]
		if !c.set {
			if !c.Kind.IsList() && !c.Optional {
				return fmt.Errorf("a row has no value of the column %q", c.Name)
			}
			w.bytes++
			c.values = append(c.values, library.NullValue().Level(0, 0, i))
		}
		c.set = false
		if len(c.values) >= batchValues || len(c.texts) >= batchBytes {
			w.pass(c)
		}
	}
	if w.bytes >= w.limit {
		w.endGroup()
	}
	return w.err
}

// call calls the library, unless an earlier call failed.
func (w *writer) call(f func() error) {
	if w.err == nil {
		w.err = guarded(f)
	}
}

// pass passes the values of a column to the library, which copies them.
func (w *writer) pass(c *columnWriter) {
	w.call(func() error {
		_, err := c.to.WriteRowValues(c.values)
		return err
	})
	c.values, c.texts = c.values[:0], c.texts[:0]
}

func (w *writer) endGroup() {
	for i := range w.columns {
		if c := &w.columns[i]; len(c.values) > 0 {
			w.pass(c)
		}
	}
	w.call(w.out.Flush)
	w.bytes = 0
}

func (w *writer) Close() error {
	w.endGroup()
	w.call(w.out.Close)
	return w.err
}
