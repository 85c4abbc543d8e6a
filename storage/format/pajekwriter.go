package format

import (
	"bytes"
	"context"
	"io"
	"strconv"
)

// WritePajek writes a graph as a network of Pajek: all vertices with their keys as labels, then
// all edges, with their weights if the graph is weighted. Attributes and times are not written.
// Read reads the rest back. A key with a double quote, a backslash or a line break, which a
// label cannot contain, gives a *KeyError, and so does a key that WriteEdges refuses.
func WritePajek(ctx context.Context, w io.Writer, g Graph) error {
	p := pajekWriter{newGraphWriter(ctx, w, &g)}
	return writing("Pajek", p.write())
}

type pajekWriter struct{ graphWriter }

func (p *pajekWriter) write() error {
	p.Write(append(strconv.AppendInt([]byte("*Vertices "), int64(p.g.Vertices), 10), '\n'))
	return p.elements(p.appendVertex, "*Edges\n", p.appendEdge, "")
}

func (p *pajekWriter) appendVertex(line []byte, v uint32) ([]byte, error) {
	line = append(strconv.AppendInt(line, int64(v)+1, 10), ` "`...)
	line, err := p.g.Key.checked(line, v, checkKey, labelFault)
	return append(line, "\"\n"...), err
}

// labelFault returns the reason why a label cannot contain a key, or "".
func labelFault(key []byte) string {
	if bytes.ContainsAny(key, "\"\\\r\n") {
		return "it holds a double quote, a backslash or a line break, which a label cannot"
	}
	return ""
}

func (p *pajekWriter) appendEdge(line []byte, e NumberedEdge) (_ []byte, err error) {
	line = append(strconv.AppendInt(line, int64(e.Source)+1, 10), ' ')
	line = strconv.AppendInt(line, int64(e.Target)+1, 10)
	if p.g.Weighted {
		line, err = appendWeight(append(line, ' '), e)
	}
	return append(line, '\n'), err
}
