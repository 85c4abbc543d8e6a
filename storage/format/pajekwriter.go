package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
)

// WritePajek writes a graph as a network of Pajek: all vertices with their keys as labels, then
// all edges, with their weights if the graph is weighted. Attributes and times are not written.
// Read reads the rest back. A key with a double quote, a backslash or a line break, which a
// label cannot contain, gives a *KeyError, and so does a key that WriteEdges refuses.
func WritePajek(ctx context.Context, w io.Writer, g Graph) error {
	p := pajekWriter{output: newOutput(ctx, w), g: &g}
	return writing("Pajek", p.write())
}

type pajekWriter struct {
	*output
	g       *Graph
	scratch []byte
}

func (p *pajekWriter) write() error {
	line := append(strconv.AppendInt([]byte("*Vertices "), int64(p.g.Vertices), 10), '\n')
	p.Write(line)
	err := p.each(p.g.Vertices, func(v uint32) error {
		p.scratch = p.g.Key(p.scratch[:0], v)
		reason := checkKey(p.scratch)
		if reason == "" && bytes.ContainsAny(p.scratch, "\"\\\r\n") {
			reason = "it holds a double quote, a backslash or a line break, which a label cannot"
		}
		if reason != "" {
			return &KeyError{string(p.scratch), reason}
		}
		line = append(strconv.AppendInt(line[:0], int64(v)+1, 10), ` "`...)
		line = append(append(line, p.scratch...), "\"\n"...)
		p.Write(line)
		return nil
	})
	if err != nil {
		return err
	}
	p.WriteString("*Edges\n")
	err = p.edges(p.g, func(e NumberedEdge) (err error) {
		line = append(strconv.AppendInt(line[:0], int64(e.Source)+1, 10), ' ')
		line = strconv.AppendInt(line, int64(e.Target)+1, 10)
		if p.g.Weighted {
			if line, err = appendWeight(append(line, ' '), e.Weight); err != nil {
				return fmt.Errorf("edge between vertices %d and %d: %w", e.Source, e.Target, err)
			}
		}
		p.Write(append(line, '\n'))
		return nil
	})
	if err != nil {
		return err
	}
	return p.finish()
}
