package columnar

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// Note is an entry of a columnar file's metadata, such as the name of the graph from which the
// file was made.
type Note struct{ Key, Text string }

func entries(notes []Note) []columnfile.Entry {
	list := make([]columnfile.Entry, len(notes))
	for i, n := range notes {
		list[i] = columnfile.Entry(n)
	}
	return list
}

// WriteEdges writes the edges of a graph as a columnar file: columns source and target of texts,
// weight of 32-bit floats if the graph is weighted, time if it has times, and the attributes of edges. A time and a value may be
// missing; the metadata of a directed graph say so under the key "heavytail.directed". Times are integers, or timestamps in milliseconds in UTC if format.Graph.Times asks for
// dates. Pages of Parquet are compressed with zstd, and one row group of 64 MiB is in memory; buffers of
// Arrow are not compressed, and one batch of 4 MiB is in memory.
// It refuses the same keys as rowtext.WriteEdges, and a date whose milliseconds do not fit an int64
// gives format.ErrValue, and so does an attribute called source, target or id.
func WriteEdges(ctx context.Context, w io.Writer, form format.Columnar, g format.Graph, notes []Note) error {
	return writing.Error(form.Title()+" of edges", writeEdgesColumnar(writing.NewOutput(ctx, w), form, g, notes))
}

func writeEdgesColumnar(out *writing.Output, form format.Columnar, g format.Graph, notes []Note) error {
	if err := writing.CheckEdgeColumns(g.EdgeColumns, writing.MemberFault); err != nil {
		return err
	}
	meta := entries(notes)
	if g.Directed {
		meta = append(meta, directedEntry)
	}
	columns := []columnfile.Column{{Name: "source", Kind: columnfile.Text}, {Name: "target", Kind: columnfile.Text}}
	weight, time := -1, -1
	if g.Weighted {
		weight = len(columns)
		columns = append(columns, columnfile.Column{Name: "weight", Kind: columnfile.Float})
	} else if writing.Claimed(&g, delimited.Weight) {
		columns = append(columns, columnfile.Column{Name: "weight", Kind: columnfile.Float, Optional: true})
	}
	if g.Timed || writing.Claimed(&g, delimited.Time) {
		time = len(columns)
		kind := columnfile.Millis
		if g.Times == format.TimeNumbers {
			kind = columnfile.Integer
		}
		columns = append(columns, columnfile.Column{Name: "time", Kind: kind, Optional: true})
	}
	attributes := len(columns)
	for _, c := range g.EdgeColumns {
		columns = append(columns, columnfile.Column{Name: c.Name, Kind: columnKind(c.Type), Optional: true})
	}
	p := newColumnarWriter(out, form, columns, meta, g.Key)
	edge := -1
	var scratch []byte
	for e := range g.Edges {
		edge++
		if err := p.vertex(0, e.Source); err != nil {
			return err
		}
		if err := p.vertex(1, e.Target); err != nil {
			return err
		}
		if g.Weighted {
			if !(e.Weight > 0) || math.IsInf(float64(e.Weight), 0) {
				return fmt.Errorf("edge between vertices %d and %d: %w: weight %v", e.Source, e.Target, format.ErrValue, e.Weight)
			}
			p.w.Float(weight, e.Weight)
		}
		if g.Timed && e.Timed {
			if err := p.time(time, e.Time, g.Times); err != nil {
				return err
			}
		}
		for i, c := range g.EdgeColumns {
			value, there, err := writing.EdgeValue(&g, scratch, i, edge, e)
			if err != nil {
				return err
			}
			if scratch = value; there {
				p.attribute(attributes+i, c.Type, value)
			}
		}
		if err := p.end(); err != nil {
			return err
		}
	}
	return p.close()
}

// columnarWriter writes rows about vertices.
type columnarWriter struct {
	*writing.Output
	w       columnfile.Writer
	key     format.AppendKey
	scratch []byte
}

func newColumnarWriter(out *writing.Output, form format.Columnar, columns []columnfile.Column, meta []columnfile.Entry, key format.AppendKey) *columnarWriter {
	return &columnarWriter{Output: out, w: columnfile.NewWriter(columnfile.Form(form), out, columns, meta, columnfile.WriteOptions{}), key: key}
}

// vertex sets a column to the key of a vertex.
func (p *columnarWriter) vertex(column int, v uint32) (err error) {
	if p.scratch, err = writing.CheckedKey(p.key, p.scratch[:0], v, writing.CheckKey); err == nil {
		p.w.Text(column, p.scratch)
	}
	return err
}

func (p *columnarWriter) time(column int, at int64, form format.TimeForm) error {
	if form != format.TimeNumbers {
		if at > math.MaxInt64/1000 || at < math.MinInt64/1000 {
			return fmt.Errorf("%w: time %d has too many milliseconds", format.ErrValue, at)
		}
		at *= 1000
	}
	p.w.Integer(column, at)
	return nil
}

func (p *columnarWriter) end() error {
	if err := p.w.EndRow(); err != nil {
		return err
	}
	return p.Tick()
}

func (p *columnarWriter) close() error {
	if err := p.Ctx.Err(); err != nil {
		return err
	}
	return p.Finish(p.w.Close())
}

// WriteVertices writes the vertices of a graph with their attributes as a columnar file, in the
// order of their numbers: a column vertex of texts (called key or node if an attribute is
// called vertex), and a column for each attribute, whose values may be missing: texts, 64-bit
// integers, 64-bit floats or booleans. graphfile.Read with format.LayoutVertices reads the same back. It refuses
// the same keys and values as rowtext.WriteVertices.
func WriteVertices(ctx context.Context, w io.Writer, form format.Columnar, g format.Graph, notes []Note) error {
	return writing.Error(form.Title()+" of vertices", writeVerticesColumnar(writing.NewOutput(ctx, w), form, g, notes))
}

func writeVerticesColumnar(out *writing.Output, form format.Columnar, g format.Graph, notes []Note) error {
	if err := writing.CheckColumns(g.Columns, nil); err != nil {
		return err
	}
	name := freeName(g.Columns, writing.VertexHeader, writing.KeyHeader, "node", "id")
	if name == "" {
		return fmt.Errorf("%w: attributes are called vertex, key, node and id, and no name is left for the column of keys", format.ErrValue)
	}
	columns := []columnfile.Column{{Name: name, Kind: columnfile.Text}}
	for _, c := range g.Columns {
		columns = append(columns, columnfile.Column{Name: c.Name, Kind: columnKind(c.Type), Optional: true})
	}
	p := newColumnarWriter(out, form, columns, entries(notes), g.Key)
	var scratch []byte
	for v := range uint32(g.Vertices) {
		if err := p.vertex(0, v); err != nil {
			return err
		}
		for i, c := range g.Columns {
			value, there, err := writing.Value(&g, scratch, i, v)
			if err != nil {
				return err
			}
			if scratch = value; there {
				p.attribute(i+1, c.Type, value)
			}
		}
		if err := p.end(); err != nil {
			return err
		}
	}
	return p.close()
}

// freeName returns the first of the names that no column has.
func freeName(taken []format.Column, names ...string) string {
	for _, name := range names {
		if !slices.ContainsFunc(taken, func(c format.Column) bool { return c.Name == name }) {
			return name
		}
	}
	return ""
}

func columnKind(t format.Type) columnfile.Kind {
	switch t {
	case format.Integer:
		return columnfile.Integer
	case format.Float:
		return columnfile.Double
	case format.Boolean:
		return columnfile.Boolean
	}
	return columnfile.Text
}

// attribute sets a column to a value that was already checked against its type.
func (p *columnarWriter) attribute(column int, t format.Type, value []byte) {
	switch t {
	case format.Integer:
		x, _ := strconv.ParseInt(string(value), 10, 64)
		p.w.Integer(column, x)
	case format.Float:
		x, _ := strconv.ParseFloat(string(value), 64)
		p.w.Double(column, x)
	case format.Boolean:
		p.w.Boolean(column, string(value) == "true")
	default:
		p.w.Text(column, value)
	}
}

// WriteVectors writes vectors as a columnar file: columns vertex of texts, id of integers, which
// are the numbers of the rows from 0, and vector of lists of 32-bit floats. In Arrow they are lists of
// one length. Parquet has no such lists; the metadata store the length of all lists, dim, under the key
// "heavytail.dim", together with the notes. NaN and infinities give format.ErrNotFinite.
func WriteVectors(ctx context.Context, w io.Writer, form format.Columnar, rows, dim int, key format.AppendKey, row func(i int) []float32, notes []Note) error {
	columns := []columnfile.Column{{Name: writing.VertexHeader, Kind: columnfile.Text}, {Name: "id", Kind: columnfile.Integer}, {Name: "vector", Kind: columnfile.FloatList, Length: dim}}
	meta := append(entries(notes), columnfile.Entry{Key: "heavytail.dim", Text: strconv.Itoa(dim)})
	p := newColumnarWriter(writing.NewOutput(ctx, w), form, columns, meta, key)
	return writing.Error(form.Title()+" of vectors", p.vectors(rows, dim, row))
}

func (p *columnarWriter) vectors(rows, dim int, row func(i int) []float32) error {
	for i := range rows {
		values := row(i)
		if dim == 0 {
			return fmt.Errorf("row %d has %d values instead of %d", i, len(values), dim)
		}
		if err := writing.CheckVector(i, values, dim); err != nil {
			return err
		}
		if err := p.vertex(0, uint32(i)); err != nil {
			return err
		}
		p.w.Integer(1, int64(i))
		p.w.Floats(2, values)
		if err := p.end(); err != nil {
			return err
		}
	}
	return p.close()
}

// WriteWalks writes walks as a columnar file: columns walk of integers, the number of each walk,
// where the first has the number first, and vertices of lists of texts, the keys on its way.
// walk is that of vectorfile.WriteWalks. Keys that rowtext.WriteEdges refuses give a *format.KeyError.
func WriteWalks(ctx context.Context, w io.Writer, form format.Columnar, first int64, walks int, key format.AppendKey, walk func(dst []uint32, i int) []uint32, notes []Note) error {
	columns := []columnfile.Column{{Name: "walk", Kind: columnfile.Integer}, {Name: "vertices", Kind: columnfile.TextList}}
	p := newColumnarWriter(writing.NewOutput(ctx, w), form, columns, entries(notes), key)
	return writing.Error(form.Title()+" of walks", p.walks(first, walks, walk))
}

func (p *columnarWriter) walks(first int64, walks int, walk func(dst []uint32, i int) []uint32) error {
	var path []uint32
	for i := range walks {
		p.w.Integer(0, first+int64(i))
		path = walk(path[:0], i)
		for _, v := range path {
			if err := p.vertex(1, v); err != nil { // an item of the list
				return err
			}
		}
		if err := p.end(); err != nil {
			return err
		}
	}
	return p.close()
}

// Rows writes rows of any values as a columnar file. The types of columns that have none follow
// from the first rows: 64-bit integers, 64-bit floats if all values are numbers and some are
// floats, booleans, and otherwise texts. A column without any value in these rows has type text.
// Any value may be missing. Rows holds the first rows in memory, unless all columns have
// types, and later one row group or batch.
type Rows struct {
	form    format.Columnar
	out     io.Writer
	columns []columnfile.Column
	types   []format.Type // Untyped where it follows from the first rows
	notes   []Note
	first   [][]any
	w       columnfile.Writer // nil while the first rows are collected
}

// typedRows is the number of rows that decide the types of the columns. A column with that many
// missing values at the beginning rarely contains numbers later.
const typedRows = 10_000

// NewRows begins a file with columns of these names, which must be distinct, and of these
// types; nil types are all Untyped. With types, the columns do not depend on the rows, so that
// files of different rows, or of none, have the same ones.
func NewRows(out io.Writer, form format.Columnar, names []string, types []format.Type, notes []Note) *Rows {
	p := &Rows{form: form, out: out, types: types, notes: notes}
	if types == nil {
		p.types = make([]format.Type, len(names))
	}
	for _, name := range names {
		p.columns = append(p.columns, columnfile.Column{Name: name, Optional: true})
	}
	if !slices.Contains(p.types, format.Untyped) {
		p.begin() // without rows it cannot fail
	}
	return p
}

// Row writes a row of strings, int64, float64, bool, and nil for missing values; values of
// other types are written as fmt prints them. A value that does not fit its column's type, once
// that is decided, gives an error that wraps format.ErrValue.
func (p *Rows) Row(values []any) error {
	if p.w != nil {
		return p.put(values)
	}
	p.first = append(p.first, slices.Clone(values))
	if len(p.first) < typedRows {
		return nil
	}
	return p.begin()
}

// Close writes the remaining rows and the footer.
func (p *Rows) Close() error {
	if p.w == nil {
		if err := p.begin(); err != nil {
			return err
		}
	}
	return p.w.Close()
}

// begin decides the types, and writes the first rows.
func (p *Rows) begin() error {
	for i := range p.columns {
		t := p.types[i]
		if t == format.Untyped {
			for _, row := range p.first {
				t = t.Or(typeOfValue(row[i]))
			}
		}
		p.columns[i].Kind = columnKind(typed.OrText(t))
	}
	p.w = columnfile.NewWriter(columnfile.Form(p.form), p.out, p.columns, entries(p.notes), columnfile.WriteOptions{})
	for _, row := range p.first {
		if err := p.put(row); err != nil {
			return err
		}
	}
	p.first = nil
	return nil
}

func typeOfValue(v any) format.Type {
	switch v.(type) {
	case nil:
		return format.Untyped
	case int64:
		return format.Integer
	case float64:
		return format.Float
	case bool:
		return format.Boolean
	}
	return format.Text
}

// put writes a row of columns whose types are known.
func (p *Rows) put(values []any) error {
	for i, value := range values {
		switch v := value.(type) {
		case nil:
			continue
		case int64:
			if p.columns[i].Kind == columnfile.Integer {
				p.w.Integer(i, v)
				continue
			}
			if p.columns[i].Kind == columnfile.Double {
				p.w.Double(i, float64(v))
				continue
			}
		case float64:
			if p.columns[i].Kind == columnfile.Double {
				p.w.Double(i, v)
				continue
			}
		case bool:
			if p.columns[i].Kind == columnfile.Boolean {
				p.w.Boolean(i, v)
				continue
			}
		}
		if p.columns[i].Kind != columnfile.Text {
			return fmt.Errorf("write %s: column %s: %w: %s comes after values of the type %s", p.form.Title(), excerpt.Of([]byte(p.columns[i].Name)), format.ErrValue, excerpt.Of(fmt.Append(nil, value)), p.columns[i].Kind)
		}
		p.w.Text(i, appendValue(nil, value))
	}
	return p.w.EndRow()
}

// appendValue appends a value as text from which it can be read back.
func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(dst, v...)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	return fmt.Append(dst, value)
}
