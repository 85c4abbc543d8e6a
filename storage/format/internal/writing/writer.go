package writing

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/internal/excerpt"
)

// WriteBuffer is the size of a writer's buffer: large enough that the cost of system calls and
// of calls of the compressor cannot be measured.
const WriteBuffer = 1 << 18

// CheckEvery is the number of edges or vertices between two checks of the context: well below
// 10 ms.
const CheckEvery = 1 << 14

// Output buffers the written bytes and checks the context at intervals. After a failed write, the
// error of which finish and tick return, it does nothing more; so callers need not check each write.
type Output struct {
	*bufio.Writer
	Ctx  context.Context
	seen int
}

// NewOutput returns an output to a writer.
func NewOutput(ctx context.Context, w io.Writer) *Output {
	return &Output{Writer: bufio.NewWriterSize(w, WriteBuffer), Ctx: ctx}
}

// Tick counts an edge or a vertex, and at intervals returns the error of the context or of an
// earlier write.
func (o *Output) Tick() error {
	if o.seen++; o.seen%CheckEvery != 0 {
		return nil
	}
	if err := o.Ctx.Err(); err != nil {
		return err
	}
	_, err := o.Write(nil)
	return err
}

// Finish writes out the buffer, unless there was an error, which it returns.
func (o *Output) Finish(err error) error {
	if err != nil {
		return err
	}
	if err := o.Ctx.Err(); err != nil {
		return err // the output may be incomplete for the same reason
	}
	return o.Flush()
}

// Each calls f for all vertices.
func (o *Output) Each(vertices int, f func(v uint32) error) error {
	for v := range vertices {
		if err := o.Tick(); err != nil {
			return err
		}
		if err := f(uint32(v)); err != nil {
			return err
		}
	}
	return nil
}

// GraphWriter is the part that the writers of graphs as text share.
type GraphWriter struct {
	*Output
	G       *format.Graph
	Scratch []byte // the last key or value
	Edge    int    // the number of the edge being written
}

// NewGraphWriter returns a writer of a graph.
func NewGraphWriter(ctx context.Context, w io.Writer, g *format.Graph) GraphWriter {
	return GraphWriter{Output: NewOutput(ctx, w), G: g}
}

// Vertices writes the text that node appends for each vertex.
func (w *GraphWriter) Vertices(node func(dst []byte, v uint32) ([]byte, error)) error {
	var text []byte
	return w.Each(w.G.Vertices, func(v uint32) (err error) {
		text, err = node(text[:0], v)
		w.Write(text)
		return err
	})
}

// Edges writes the text that edge appends for each edge.
func (w *GraphWriter) Edges(edge func(dst []byte, e format.NumberedEdge) ([]byte, error)) error {
	var text []byte
	w.Edge = -1
	for e := range w.G.Edges {
		w.Edge++
		err := w.Tick()
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

// Elements writes all vertices, then all edges, each followed by its given closing text, and
// ends the output.
func (w *GraphWriter) Elements(node func([]byte, uint32) ([]byte, error), behindNodes string, edge func([]byte, format.NumberedEdge) ([]byte, error), behindEdges string) error {
	if err := w.Vertices(node); err != nil {
		return err
	}
	w.WriteString(behindNodes)
	if err := w.Edges(edge); err != nil {
		return err
	}
	w.WriteString(behindEdges)
	return w.Finish(nil)
}

// Value is the function Value; the bytes are valid until the next key or value.
func (w *GraphWriter) Value(column int, v uint32) (value []byte, ok bool, err error) {
	value, ok, err = Value(w.G, w.Scratch, column, v)
	w.Scratch = value
	return value, ok, err
}

// EdgeValue is value for an attribute of the edge that is being written.
func (w *GraphWriter) EdgeValue(column int, e format.NumberedEdge) (value []byte, ok bool, err error) {
	value, ok, err = EdgeValue(w.G, w.Scratch, column, w.Edge, e)
	w.Scratch = value
	return value, ok, err
}

// AppendWeight appends the shortest text that reads back as the weight of an edge.
func AppendWeight(dst []byte, e format.NumberedEdge) ([]byte, error) {
	start := len(dst)
	dst = strconv.AppendFloat(dst, float64(e.Weight), 'g', -1, 32)
	if _, ok := figure.Weight(dst[start:]); !ok {
		return nil, fmt.Errorf("edge between vertices %d and %d: %w: %s", e.Source, e.Target, format.ErrValue, figure.WeightFault(dst[start:]))
	}
	return dst, nil
}

// Error adds to an error what was written.
func Error(what string, err error) error {
	if err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

// Value returns the value of a vertex after checking it against the type of its column. It
// converts a value whose form would have a narrower type: a Float without a point or an
// exponent gets ".0".
func Value(g *format.Graph, scratch []byte, column int, v uint32) (value []byte, ok bool, err error) {
	value, ok = g.Value(scratch[:0], column, v)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.Columns[column].Type, value)
	if reason != "" {
		return value, false, ValueError(g, column, v, reason)
	}
	return value, true, nil
}

// EdgeValue is Value for an attribute of an edge.
func EdgeValue(g *format.Graph, scratch []byte, column, edge int, e format.NumberedEdge) (value []byte, ok bool, err error) {
	value, ok = g.EdgeValue(scratch[:0], column, edge)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.EdgeColumns[column].Type, value)
	if reason != "" {
		return value, false, EdgeError(g, column, e, reason)
	}
	return value, true, nil
}

// checkedValue returns the form in which a value of a type is written, or the reason why it cannot be.
func checkedValue(kind format.Type, value []byte) (_ []byte, reason string) {
	reason = typed.Fault(kind, value)
	if f := fault.OfEncoding(value); f.Found() {
		reason = f.Reason
	}
	if reason == "" && kind == format.Float && decimal.IsInteger(value) {
		value = append(value, ".0"...)
	}
	return value, reason
}

// format.ValueError is the error of a value of a vertex that cannot be written.
func ValueError(g *format.Graph, column int, v uint32, reason string) error {
	return &format.ValueError{Key: string(g.Key(nil, v)), Attribute: g.Columns[column].Name, Reason: reason}
}

// EdgeError is format.ValueError for a value of an edge.
func EdgeError(g *format.Graph, column int, e format.NumberedEdge, reason string) error {
	return &format.ValueError{Key: string(g.Key(nil, e.Source)), Target: string(g.Key(nil, e.Target)), Attribute: g.EdgeColumns[column].Name, Reason: reason}
}

// CheckColumns refuses names of attributes that a reader could not distinguish, and those for which fit
// returns a reason; it may be nil.
func CheckColumns(columns []format.Column, fit func(name string) string) error {
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

// CheckEdgeColumns is CheckColumns for attributes of edges, none of which has the name of a role.
func CheckEdgeColumns(columns []format.Column, fit func(name string) string) error {
	return CheckColumns(columns, func(name string) string {
		switch {
		case !delimited.IsAttribute(name):
			return "the weight and the time of an edge have these names"
		case fit != nil:
			return fit(name)
		}
		return ""
	})
}

// MemberFault returns the reason why an attribute of an edge cannot be one of several values under their names, as in JSON.
func MemberFault(name string) string {
	if name == "source" || name == "target" || name == delimited.EdgeID {
		return "the ends and the id of an edge have these names"
	}
	return ""
}

// Named reports whether an attribute of edges has a usual name of a role.
func Named(g *format.Graph, r delimited.Role) bool {
	return slices.ContainsFunc(g.EdgeColumns, func(c format.Column) bool { return delimited.UsualRole(c.Name) == r })
}

// Claimed reports whether the graph has no values of a role, and a reader would take those of an attribute
// for them, because of its name. Then the role is written without values.
func Claimed(g *format.Graph, r delimited.Role) bool {
	has := g.Weighted
	if r == delimited.Time {
		has = g.Timed
	}
	return !has && Named(g, r)
}

func nameError(name, reason string) error {
	return fmt.Errorf("attribute %s: %w: %s", excerpt.Of([]byte(name)), format.ErrValue, reason)
}

// maxKey is the largest number of bytes of a key that readers take without an option.
var maxKey = format.EdgeListOptions{}.WithDefaults().MaxKey

// CheckKey returns the reason why no text can contain a key, even in quotes, or "".
func CheckKey(key []byte) string {
	switch {
	case len(key) == 0:
		return "it is empty"
	case len(key) > maxKey:
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(key), maxKey)
	case bytes.IndexByte(key, 0) >= 0:
		return "it holds a NUL"
	case !utf8.Valid(key):
		return "it is not valid UTF-8"
	}
	return ""
}

// CheckVectorKey returns the reason why a text of keys separated by blanks cannot contain a
// key, or "".
func CheckVectorKey(key []byte) string {
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

// CheckedKey appends the key of a vertex. A check that gives a reason against it makes a *format.KeyError.
func CheckedKey(key format.AppendKey, dst []byte, v uint32, checks ...func(key []byte) string) ([]byte, error) {
	start := len(dst)
	dst = key(dst, v)
	for _, check := range checks {
		if reason := check(dst[start:]); reason != "" {
			return nil, &format.KeyError{Key: string(dst[start:]), Reason: reason}
		}
	}
	return dst, nil
}

// IsWord reports whether a key is one word to every reader of lists separated by whitespace: it
// has no white space of any script, nothing that looks like a comment (to networkx a # anywhere
// begins one), and no character that could separate columns or enclose a field.
func IsWord(key []byte) bool {
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
