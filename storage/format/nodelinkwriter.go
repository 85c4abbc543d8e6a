package format

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
)

// WriteNodeLink writes a graph as node-link JSON, as networkx and d3 read it: all vertices with
// their attributes, then all edges as links, with their weights if the graph is weighted and
// their times if it is timed. Missing values are not written. Read reads the same graph back,
// except that an attribute without any value is lost. It accepts the same keys as WriteEdges;
// an attribute called id gives an error.
func WriteNodeLink(ctx context.Context, w io.Writer, g Graph) error {
	j := jsonWriter{graphWriter: newGraphWriter(ctx, w, &g)}
	return writing("JSON", j.write())
}

type jsonWriter struct {
	graphWriter
	names [][]byte // of the columns, as JSON
	some  bool     // a link was written
}

func (j *jsonWriter) write() error {
	if err := j.g.checkColumns(); err != nil {
		return err
	}
	for _, c := range j.g.Columns {
		if c.Name == "id" {
			return nameError(c.Name, "the key of a node has this name")
		}
		j.names = append(j.names, append(appendJSONText([]byte(", "), []byte(c.Name)), ": "...))
	}
	j.WriteString(`{"directed": false, "multigraph": false, "graph": {}, "nodes": [`)
	return j.elements(j.appendNode, "\n], \"links\": [", j.appendLink, "\n]}\n")
}

func (j *jsonWriter) appendKey(dst []byte, v uint32) (_ []byte, err error) {
	j.scratch, err = j.g.Key.checked(j.scratch[:0], v, checkKey)
	return appendJSONText(dst, j.scratch), err
}

// appendItem begins an item of a list.
func appendItem(dst []byte, first bool, start string) []byte {
	if !first {
		dst = append(dst, ',')
	}
	return append(append(dst, '\n'), start...)
}

func (j *jsonWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := j.appendKey(appendItem(dst, v == 0, `{"id": `), v)
	if err != nil {
		return nil, err
	}
	for i, c := range j.g.Columns {
		value, ok, err := j.value(i, v)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		dst = append(dst, j.names[i]...)
		if typeOr(c.Type) == Text {
			dst = appendJSONText(dst, value)
		} else {
			dst = appendJSONNumber(dst, value)
		}
	}
	return append(dst, '}'), nil
}

func (j *jsonWriter) appendLink(dst []byte, e NumberedEdge) ([]byte, error) {
	dst, err := j.appendKey(appendItem(dst, !j.some, `{"source": `), e.Source)
	if j.some = true; err != nil {
		return nil, err
	}
	if dst, err = j.appendKey(append(dst, `, "target": `...), e.Target); err != nil {
		return nil, err
	}
	if j.g.Weighted {
		dst = append(dst, `, "weight": `...)
		start := len(dst)
		if dst, err = appendWeight(dst, e); err != nil {
			return nil, err
		}
		if isInteger(dst[start:]) {
			dst = append(dst, ".0"...) // otherwise Python reads an int
		}
	}
	if j.g.Timed && e.Timed {
		dst = append(dst, `, "time": `...)
		j.scratch = j.g.Times.Append(j.scratch[:0], e.Time)
		if isInteger(j.scratch) {
			dst = append(dst, j.scratch...)
		} else {
			dst = appendJSONText(dst, j.scratch)
		}
	}
	return append(dst, '}'), nil
}

// appendJSONNumber appends a number or a boolean. Numbers that strconv reads but JSON does not
// allow, such as .5, are written in another form.
func appendJSONNumber(dst, value []byte) []byte {
	if json.Valid(value) {
		return append(dst, value...)
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return strconv.AppendInt(dst, n, 10)
	}
	x, _ := strconv.ParseFloat(string(value), 64) // Graph.value has checked it
	start := len(dst)
	if dst = strconv.AppendFloat(dst, x, 'g', -1, 64); isInteger(dst[start:]) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendJSONText appends a text in quotes, with only the escapes that JSON requires.
func appendJSONText(dst, text []byte) []byte {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	e.Encode(string(text)) // encoding a string cannot fail
	return append(dst, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
