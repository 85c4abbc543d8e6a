package format

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// writeBuffer is the size of a writer's buffer: large enough that the cost of system calls and
// of calls of the compressor cannot be measured.
const writeBuffer = 1 << 18

// writeCheck is the number of edges or vertices between two checks of the context: well below
// 10 ms.
const writeCheck = 1 << 14

// Graph is the input of the writers of graphs. Its functions are called from one goroutine.
type Graph struct {
	Vertices int       // they are numbered from 0
	Key      AppendKey // must be set
	// Directed chooses that edges have a direction, from Source to Target. Edges then yields one
	// between two vertices for each direction that there is.
	Directed bool
	// Edges yields each edge once. It is iterated once, and twice by WriteEdges and WriteCSV if there are
	// EdgeColumns.
	Edges iter.Seq[NumberedEdge]
	// Neighbors returns the neighbours of a vertex, and in a weighted graph the weights
	// of the edges to them. WriteMETIS needs it, and no other writer.
	Neighbors func(v uint32) (neighbors []uint32, weights []float32)
	// Weighted and Timed choose whether edges are written with their weights and their times.
	Weighted, Timed bool
	// Times is the form in which times are written.
	Times TimeForm
	// Columns are the attributes of the vertices. One without a type is Text.
	Columns []Column
	// Value appends the value that a vertex has in a column: the bytes of a Text, or the text
	// in strconv's form of any other type. ok is false if the value is missing. Value may be
	// nil if there are no columns.
	Value func(dst []byte, column int, v uint32) (value []byte, ok bool)
	// EdgeColumns are the attributes of the edges other than weight and time. One without a type is Text.
	EdgeColumns []Column
	// EdgeValue appends the value that an edge has in a column of EdgeColumns, as Value does. edge is the number
	// of the edge in the order in which Edges yields them, from 0; it does not decrease within an iteration.
	// EdgeValue may be nil if there are no such columns.
	EdgeValue func(dst []byte, column, edge int) (value []byte, ok bool)
}

// NumberedEdge is an edge between two vertices of a Graph.
type NumberedEdge struct {
	Source, Target uint32
	Weight         float32 // finite and positive
	Time           int64
	Timed          bool // it has a time
}

// CSVOptions configure how CSV is written.
type CSVOptions struct {
	// Spreadsheet puts an apostrophe before every key, name and text that a spreadsheet could
	// interpret as a formula: those that begin with = + - @, a tab or a carriage return.
	// Reading them back does not remove the apostrophe.
	Spreadsheet bool
	// Neo4j writes the headers of Neo4j's import tool. Edges have the columns ":START_ID",
	// ":END_ID", ":TYPE" (always EDGE), "weight:float" and "time"; vertices have "vertex:ID"
	// (":ID" if an attribute is called key) and each attribute with its type, except a text
	// attribute ":LABEL", which has none. Dates are written as date-times. Read reads all of
	// this back.
	Neo4j bool
}

// guard appends a text, preceded by the apostrophe if the options require one.
func (o CSVOptions) guard(dst []byte, text []byte) []byte {
	if o.Spreadsheet && len(text) > 0 {
		switch text[0] {
		case '=', '+', '-', '@', '\t', '\r':
			dst = append(dst, '\'')
		}
	}
	return append(dst, text...)
}

// output buffers the written bytes and checks the context at intervals. After a failed write, the
// error of which finish and tick return, it does nothing more; so callers need not check each write.
type output struct {
	*bufio.Writer
	ctx  context.Context
	seen int
}

func newOutput(ctx context.Context, w io.Writer) *output {
	return &output{Writer: bufio.NewWriterSize(w, writeBuffer), ctx: ctx}
}

// tick counts an edge or a vertex, and at intervals returns the error of the context or of an
// earlier write.
func (o *output) tick() error {
	if o.seen++; o.seen%writeCheck != 0 {
		return nil
	}
	if err := o.ctx.Err(); err != nil {
		return err
	}
	_, err := o.Write(nil)
	return err
}

// finish writes out the buffer, unless there was an error, which it returns.
func (o *output) finish(err error) error {
	if err != nil {
		return err
	}
	if err := o.ctx.Err(); err != nil {
		return err // the output may be incomplete for the same reason
	}
	return o.Flush()
}

// each calls f for all vertices.
func (o *output) each(vertices int, f func(v uint32) error) error {
	for v := range vertices {
		if err := o.tick(); err != nil {
			return err
		}
		if err := f(uint32(v)); err != nil {
			return err
		}
	}
	return nil
}

// graphWriter is the part that the writers of graphs as text share.
type graphWriter struct {
	*output
	g       *Graph
	scratch []byte // the last key or value
	edge    int    // the number of the edge being written
}

func newGraphWriter(ctx context.Context, w io.Writer, g *Graph) graphWriter {
	return graphWriter{output: newOutput(ctx, w), g: g}
}

// vertices writes the text that node appends for each vertex.
func (w *graphWriter) vertices(node func(dst []byte, v uint32) ([]byte, error)) error {
	var text []byte
	return w.each(w.g.Vertices, func(v uint32) (err error) {
		text, err = node(text[:0], v)
		w.Write(text)
		return err
	})
}

// edges writes the text that edge appends for each edge.
func (w *graphWriter) edges(edge func(dst []byte, e NumberedEdge) ([]byte, error)) error {
	var text []byte
	w.edge = -1
	for e := range w.g.Edges {
		w.edge++
		err := w.tick()
		if err == nil {
			text, err = edge(text[:0], e)
		}
		if err != nil {
			return err
		}
		w.Write(text)
	}
	return nil
}

// elements writes all vertices, then all edges, each followed by its given closing text, and
// ends the output.
func (w *graphWriter) elements(node func([]byte, uint32) ([]byte, error), behindNodes string, edge func([]byte, NumberedEdge) ([]byte, error), behindEdges string) error {
	if err := w.vertices(node); err != nil {
		return err
	}
	w.WriteString(behindNodes)
	if err := w.edges(edge); err != nil {
		return err
	}
	w.WriteString(behindEdges)
	return w.finish(nil)
}

// value is Graph.value; the bytes are valid until the next key or value.
func (w *graphWriter) value(column int, v uint32) (value []byte, ok bool, err error) {
	value, ok, err = w.g.value(w.scratch, column, v)
	w.scratch = value
	return value, ok, err
}

// edgeValue is value for an attribute of the edge that is being written.
func (w *graphWriter) edgeValue(column int, e NumberedEdge) (value []byte, ok bool, err error) {
	value, ok, err = w.g.edgeValue(w.scratch, column, w.edge, e)
	w.scratch = value
	return value, ok, err
}

// appendWeight appends the shortest text that reads back as the weight of an edge.
func appendWeight(dst []byte, e NumberedEdge) ([]byte, error) {
	start := len(dst)
	dst = strconv.AppendFloat(dst, float64(e.Weight), 'g', -1, 32)
	if _, ok := parseWeight(dst[start:]); !ok {
		return nil, fmt.Errorf("edge between vertices %d and %d: %w: %s", e.Source, e.Target, ErrValue, weightFault(dst[start:]))
	}
	return dst, nil
}

// writing adds to an error what was written.
func writing(what string, err error) error {
	if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

// value returns the value of a vertex after checking it against the type of its column. It
// converts a value whose form would have a narrower type: a Float without a point or an
// exponent gets ".0".
func (g *Graph) value(scratch []byte, column int, v uint32) (value []byte, ok bool, err error) {
	value, ok = g.Value(scratch[:0], column, v)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.Columns[column].Type, value)
	if reason != "" {
		return value, false, g.valueError(column, v, reason)
	}
	return value, true, nil
}

// edgeValue is value for an attribute of an edge.
func (g *Graph) edgeValue(scratch []byte, column, edge int, e NumberedEdge) (value []byte, ok bool, err error) {
	value, ok = g.EdgeValue(scratch[:0], column, edge)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.EdgeColumns[column].Type, value)
	if reason != "" {
		return value, false, g.edgeError(column, e, reason)
	}
	return value, true, nil
}

// checkedValue returns the form in which a value of a type is written, or the reason why it cannot be.
func checkedValue(kind Type, value []byte) (_ []byte, reason string) {
	reason = valueFault(kind, value)
	if f := fault.OfEncoding(value); f.Found() {
		reason = f.Reason
	}
	if reason == "" && kind == Float && decimal.IsInteger(value) {
		value = append(value, ".0"...)
	}
	return value, reason
}

func (g *Graph) valueError(column int, v uint32, reason string) error {
	return &ValueError{Key: string(g.Key(nil, v)), Attribute: g.Columns[column].Name, Reason: reason}
}

func (g *Graph) edgeError(column int, e NumberedEdge, reason string) error {
	return &ValueError{Key: string(g.Key(nil, e.Source)), Target: string(g.Key(nil, e.Target)), Attribute: g.EdgeColumns[column].Name, Reason: reason}
}

// checkColumns refuses names of attributes that a reader could not distinguish, and those for which fit
// returns a reason; it may be nil.
func checkColumns(columns []Column, fit func(name string) string) error {
	known := map[string]bool{}
	for _, c := range columns {
		switch f := fault.OfEncoding([]byte(c.Name)); {
		case f.Found():
			return nameError(c.Name, f.Reason)
		case c.Name == "" || known[c.Name]:
			return nameError(c.Name, "the name is empty or taken")
		}
		if fit != nil {
			if reason := fit(c.Name); reason != "" {
				return nameError(c.Name, reason)
			}
		}
		known[c.Name] = true
	}
	return nil
}

// checkEdgeColumns is checkColumns for attributes of edges, none of which has the name of a role.
func (g *Graph) checkEdgeColumns(fit func(name string) string) error {
	return checkColumns(g.EdgeColumns, func(name string) string {
		switch {
		case name == delimited.Weight.String() || name == delimited.Time.String():
			return "the weight and the time of an edge have these names"
		case fit != nil:
			return fit(name)
		}
		return ""
	})
}

// memberFault returns the reason why an attribute of an edge cannot be one of several values under their names, as in JSON.
func memberFault(name string) string {
	if name == "source" || name == "target" || name == edgeID {
		return "the ends and the id of an edge have these names"
	}
	return ""
}

// named reports whether an attribute of edges has a usual name of a role.
func (g *Graph) named(r delimited.Role) bool {
	return slices.ContainsFunc(g.EdgeColumns, func(c Column) bool { return delimited.UsualRole(c.Name) == r })
}

// claimed reports whether the graph has no values of a role, and a reader would take those of an attribute
// for them, because of its name. Then the role is written without values.
func (g *Graph) claimed(r delimited.Role) bool {
	has := g.Weighted
	if r == delimited.Time {
		has = g.Timed
	}
	return !has && g.named(r)
}

func nameError(name, reason string) error {
	return fmt.Errorf("attribute %s: %w: %s", excerpt.Of([]byte(name)), ErrValue, reason)
}

// AppendKey appends the key of vertex v to dst and returns the extended slice, like
// storage.Snapshot.AppendKey, so that writing does not allocate per key.
type AppendKey func(dst []byte, v uint32) []byte

// checkKey returns the reason why no text can contain a key, even in quotes, or "".
func checkKey(key []byte) string {
	switch {
	case len(key) == 0:
		return "it is empty"
	case len(key) > defaultMaxKey:
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(key), defaultMaxKey)
	case bytes.IndexByte(key, 0) >= 0:
		return "it holds a NUL"
	case !utf8.Valid(key):
		return "it is not valid UTF-8"
	}
	return ""
}

// checkVectorKey returns the reason why a text of keys separated by blanks cannot contain a
// key, or "".
func checkVectorKey(key []byte) string {
	switch {
	case len(key) == 0:
		return "it is empty"
	case !utf8.Valid(key):
		return "it is not valid UTF-8"
	case bytes.IndexByte(key, 0) >= 0 || bytes.IndexFunc(key, unicode.IsSpace) >= 0:
		return "it holds white space or a NUL, which separates keys there"
	}
	return ""
}

// checked appends the key of a vertex. A check that gives a reason against it makes a *KeyError.
func (key AppendKey) checked(dst []byte, v uint32, checks ...func(key []byte) string) ([]byte, error) {
	start := len(dst)
	dst = key(dst, v)
	for _, check := range checks {
		if reason := check(dst[start:]); reason != "" {
			return nil, &KeyError{string(dst[start:]), reason}
		}
	}
	return dst, nil
}

// isWord reports whether a key is one word to every reader of lists separated by whitespace: it
// has no white space of any script, nothing that looks like a comment (to networkx a # anywhere
// begins one), and no character that could separate columns or enclose a field.
func isWord(key []byte) bool {
	if len(key) == 0 || delimited.IsComment(key[0]) {
		return false
	}
	for _, r := range string(key) {
		if r <= ' ' || r == 0x7f || unicode.IsSpace(r) || strings.ContainsRune(`,;|"#`, r) {
			return false
		}
	}
	return true
}

// appendName appends the name of a column as a CSV field, in quotes also where a reader that looks
// for the separator could find another in it, or a bracket around several.
func appendName(dst, name []byte) []byte {
	if bytes.ContainsAny(name, ";|()[]") {
		return quote(dst, name)
	}
	return appendQuoted(dst, name)
}

// appendQuoted appends a text that is not empty as a CSV field, with quotes if it needs them.
func appendQuoted(dst, key []byte) []byte {
	first, last := key[0], key[len(key)-1]
	if !delimited.IsComment(first) && !delimited.IsBlank(first) && !delimited.IsBlank(last) && !bytes.ContainsAny(key, ",\"\t\r\n") {
		return append(dst, key...)
	}
	return quote(dst, key)
}

// quote appends a text in quotes, in which those of the text are doubled.
func quote(dst, key []byte) []byte {
	dst = append(dst, '"')
	for _, c := range key {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
