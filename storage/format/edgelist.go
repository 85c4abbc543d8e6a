package format

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
)

// WriteEdgeList writes edges without weights and times as WriteEdges does, in
// the order of the sequence, between vertices below n.
func WriteEdgeList(ctx context.Context, w io.Writer, n int, key AppendKey, edges iter.Seq2[uint32, uint32]) error {
	return WriteEdges(ctx, w, Graph{Vertices: n, Key: key, Edges: func(yield func(NumberedEdge) bool) {
		for u, v := range edges {
			if !yield(NumberedEdge{Source: u, Target: v}) {
				return
			}
		}
	}})
}

// WriteEdges writes the edges of a graph, one per line, with weights if the graph is weighted
// and times if it is timed. Vertices without edges are not written, nor are attributes.
//
// If every key is one word, a line is "u v", "u v weight", "u v time" or "u v weight time",
// below a comment that names the columns; the line of an edge without a time has no time
// column. Otherwise the text is CSV, as WriteCSV writes it. Read with zero options reads the
// same edges back in both cases; most other tools read the first form, too. A key that is
// empty, longer than 1024 bytes, not UTF-8 or that contains NUL gives a *KeyError. WriteEdges
// calls Key once per vertex and twice per edge.
func WriteEdges(ctx context.Context, w io.Writer, g Graph) error {
	words, err := allWords(ctx, g.Vertices, g.Key)
	if err == nil {
		e := edgeWriter{output: newOutput(ctx, w), g: &g, words: words}
		err = e.write()
	}
	return writing("edge list", err)
}

// WriteCSV writes the edges of a graph as CSV under the header "source,target[,weight][,time]".
// Keys are quoted where CSV requires it and may contain line breaks. The time field of an edge
// without a time is empty. See WriteEdges.
func WriteCSV(ctx context.Context, w io.Writer, g Graph, opts CSVOptions) error {
	if opts.Neo4j && g.Times != TimeNumbers {
		g.Times = TimeClocks // a column has one type
	}
	e := edgeWriter{output: newOutput(ctx, w), g: &g, csv: opts}
	return writing("CSV of edges", e.write())
}

type edgeWriter struct {
	*output
	g       *Graph
	words   bool
	csv     CSVOptions
	scratch []byte
	guarded []byte
}

func (e *edgeWriter) write() error {
	separator := byte(',')
	if e.words {
		separator = ' '
	}
	e.Write(e.header(separator))
	var line []byte
	err := e.edges(e.g, func(edge NumberedEdge) (err error) {
		line, err = e.appendLine(line[:0], edge, separator)
		e.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return e.finish()
}

// header keeps a reader from taking the first edge for a header.
func (e *edgeWriter) header(separator byte) []byte {
	names := []string{"source", "target", "weight", "time"}
	switch {
	case e.words:
		names[0] = "# source"
	case e.csv.Neo4j:
		names = []string{neo4jStart, neo4jEnd + "," + neo4jType, "weight:float", "time:long"}
		if e.g.Times != TimeNumbers {
			names[3] = "time:datetime"
		}
	}
	var header []byte
	for i, has := range []bool{true, true, e.g.Weighted, e.g.Timed} {
		if has {
			header = append(append(header, names[i]...), separator)
		}
	}
	header[len(header)-1] = '\n'
	return header
}

func (e *edgeWriter) appendLine(line []byte, edge NumberedEdge, separator byte) ([]byte, error) {
	var err error
	if e.words {
		line = append(e.g.Key(line, edge.Source), separator)
		line = e.g.Key(line, edge.Target)
	} else if line, err = e.appendKeys(line, edge, separator); err != nil {
		return nil, err
	}
	if e.g.Weighted {
		if line, err = appendWeight(append(line, separator), edge.Weight); err != nil {
			return nil, fmt.Errorf("edge between vertices %d and %d: %w", edge.Source, edge.Target, err)
		}
	}
	if e.g.Timed {
		if edge.Timed || !e.words {
			line = append(line, separator)
		}
		if edge.Timed {
			line = e.g.Times.Append(line, edge.Time)
		}
	}
	return append(line, '\n'), nil
}

// appendWeight appends the shortest text that reads back as the same float32.
func appendWeight(dst []byte, weight float32) ([]byte, error) {
	start := len(dst)
	dst = strconv.AppendFloat(dst, float64(weight), 'g', -1, 32)
	if _, ok := parseWeight(dst[start:]); !ok {
		return nil, fmt.Errorf("%w: %s", ErrValue, weightFault(dst[start:]))
	}
	return dst, nil
}

func (e *edgeWriter) appendKeys(line []byte, edge NumberedEdge, separator byte) ([]byte, error) {
	line, err := e.csv.appendKey(line, e.g, edge.Source, &e.scratch, &e.guarded)
	if err == nil {
		line, err = e.csv.appendKey(append(line, separator), e.g, edge.Target, &e.scratch, &e.guarded)
	}
	if e.csv.Neo4j {
		line = append(line, ",EDGE"...)
	}
	return line, err
}

func (o CSVOptions) appendKey(line []byte, g *Graph, v uint32, scratch, guarded *[]byte) ([]byte, error) {
	*scratch = g.Key((*scratch)[:0], v)
	if reason := checkKey(*scratch); reason != "" {
		return nil, &KeyError{string(*scratch), reason}
	}
	*guarded = o.guard((*guarded)[:0], *scratch)
	return appendQuoted(line, *guarded), nil
}

// allWords reports whether every key can be written in a list separated by spaces.
func allWords(ctx context.Context, n int, key AppendKey) (bool, error) {
	var scratch []byte
	for v := range n {
		if v%writeCheck == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		scratch = key(scratch[:0], uint32(v))
		if !isWord(scratch) || checkKey(scratch) != "" {
			return false, nil
		}
	}
	return true, nil
}
