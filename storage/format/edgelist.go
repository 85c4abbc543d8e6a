package format

import (
	"context"
	"io"
	"iter"
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
		e := edgeWriter{csvWriter: csvWriter{graphWriter: newGraphWriter(ctx, w, &g)}, words: words}
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
	e := edgeWriter{csvWriter: csvWriter{graphWriter: newGraphWriter(ctx, w, &g), csv: opts}}
	return writing("CSV of edges", e.write())
}

// csvWriter is the part that the writers of CSV share.
type csvWriter struct {
	graphWriter
	csv     CSVOptions
	guarded []byte
}

// appendKey appends the key of a vertex as a field.
func (c *csvWriter) appendKey(line []byte, v uint32) (_ []byte, err error) {
	if c.scratch, err = c.g.Key.checked(c.scratch[:0], v, checkKey); err != nil {
		return nil, err
	}
	c.guarded = c.csv.guard(c.guarded[:0], c.scratch)
	return appendQuoted(line, c.guarded), nil
}

type edgeWriter struct {
	csvWriter
	words     bool
	separator byte
}

func (e *edgeWriter) write() error {
	e.separator = ','
	if e.words {
		e.separator = ' '
	}
	e.Write(e.header())
	return e.finish(e.edges(e.appendLine))
}

// header keeps a reader from taking the first edge for a header.
func (e *edgeWriter) header() []byte {
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
			header = append(append(header, names[i]...), e.separator)
		}
	}
	header[len(header)-1] = '\n'
	return header
}

func (e *edgeWriter) appendLine(line []byte, edge NumberedEdge) ([]byte, error) {
	var err error
	if e.words {
		line = append(e.g.Key(line, edge.Source), e.separator)
		line = e.g.Key(line, edge.Target)
	} else if line, err = e.appendKeys(line, edge); err != nil {
		return nil, err
	}
	if e.g.Weighted {
		if line, err = appendWeight(append(line, e.separator), edge); err != nil {
			return nil, err
		}
	}
	if e.g.Timed {
		if edge.Timed || !e.words {
			line = append(line, e.separator)
		}
		if edge.Timed {
			line = e.g.Times.Append(line, edge.Time)
		}
	}
	return append(line, '\n'), nil
}

func (e *edgeWriter) appendKeys(line []byte, edge NumberedEdge) ([]byte, error) {
	line, err := e.appendKey(line, edge.Source)
	if err == nil {
		line, err = e.appendKey(append(line, ','), edge.Target)
	}
	if e.csv.Neo4j {
		line = append(line, ",EDGE"...)
	}
	return line, err
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
