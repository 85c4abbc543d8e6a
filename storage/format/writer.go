package format

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

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/internal/excerpt"
)

// writeBuffer is the size of a writer's buffer: large enough that the cost of system calls and
// of calls of the compressor cannot be measured.
const writeBuffer = 1 << 18

// writeCheck is the number of edges or vertices between two checks of the context: well below
// 10 ms.
const writeCheck = 1 << 14

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

// value is valueIn; the bytes are valid until the next key or value.
func (w *graphWriter) value(column int, v uint32) (value []byte, ok bool, err error) {
	value, ok, err = valueIn(w.g, w.scratch, column, v)
	w.scratch = value
	return value, ok, err
}

// edgeValue is value for an attribute of the edge that is being written.
func (w *graphWriter) edgeValue(column int, e NumberedEdge) (value []byte, ok bool, err error) {
	value, ok, err = edgeValueIn(w.g, w.scratch, column, w.edge, e)
	w.scratch = value
	return value, ok, err
}

// appendWeight appends the shortest text that reads back as the weight of an edge.
func appendWeight(dst []byte, e NumberedEdge) ([]byte, error) {
	start := len(dst)
	dst = strconv.AppendFloat(dst, float64(e.Weight), 'g', -1, 32)
	if _, ok := figure.Weight(dst[start:]); !ok {
		return nil, fmt.Errorf("edge between vertices %d and %d: %w: %s", e.Source, e.Target, ErrValue, figure.WeightFault(dst[start:]))
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

// valueIn returns the value of a vertex after checking it against the type of its column. It
// converts a value whose form would have a narrower type: a Float without a point or an
// exponent gets ".0".
func valueIn(g *Graph, scratch []byte, column int, v uint32) (value []byte, ok bool, err error) {
	value, ok = g.Value(scratch[:0], column, v)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.Columns[column].Type, value)
	if reason != "" {
		return value, false, valueError(g, column, v, reason)
	}
	return value, true, nil
}

// edgeValueIn is valueIn for an attribute of an edge.
func edgeValueIn(g *Graph, scratch []byte, column, edge int, e NumberedEdge) (value []byte, ok bool, err error) {
	value, ok = g.EdgeValue(scratch[:0], column, edge)
	if !ok {
		return value, false, nil
	}
	value, reason := checkedValue(g.EdgeColumns[column].Type, value)
	if reason != "" {
		return value, false, edgeError(g, column, e, reason)
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

func valueError(g *Graph, column int, v uint32, reason string) error {
	return &ValueError{Key: string(g.Key(nil, v)), Attribute: g.Columns[column].Name, Reason: reason}
}

func edgeError(g *Graph, column int, e NumberedEdge, reason string) error {
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
func checkEdgeColumns(columns []Column, fit func(name string) string) error {
	return checkColumns(columns, func(name string) string {
		switch {
		case !delimited.IsAttribute(name):
			return "the weight and the time of an edge have these names"
		case fit != nil:
			return fit(name)
		}
		return ""
	})
}

// memberFault returns the reason why an attribute of an edge cannot be one of several values under their names, as in JSON.
func memberFault(name string) string {
	if name == "source" || name == "target" || name == delimited.EdgeID {
		return "the ends and the id of an edge have these names"
	}
	return ""
}

// named reports whether an attribute of edges has a usual name of a role.
func named(g *Graph, r delimited.Role) bool {
	return slices.ContainsFunc(g.EdgeColumns, func(c Column) bool { return delimited.UsualRole(c.Name) == r })
}

// claimed reports whether the graph has no values of a role, and a reader would take those of an attribute
// for them, because of its name. Then the role is written without values.
func claimed(g *Graph, r delimited.Role) bool {
	has := g.Weighted
	if r == delimited.Time {
		has = g.Timed
	}
	return !has && named(g, r)
}

func nameError(name, reason string) error {
	return fmt.Errorf("attribute %s: %w: %s", excerpt.Of([]byte(name)), ErrValue, reason)
}

// maxKey is the largest number of bytes of a key that readers take without an option.
var maxKey = EdgeListOptions{}.withDefaults().MaxKey

// checkKey returns the reason why no text can contain a key, even in quotes, or "".
func checkKey(key []byte) string {
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

// checkedKey appends the key of a vertex. A check that gives a reason against it makes a *KeyError.
func checkedKey(key AppendKey, dst []byte, v uint32, checks ...func(key []byte) string) ([]byte, error) {
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
