package rowtext

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
)

// WriteEdgeList writes edges without weights and times as WriteEdges does, in
// the order of the sequence, between vertices below n.
func WriteEdgeList(ctx context.Context, w io.Writer, n int, key format.AppendKey, edges iter.Seq2[uint32, uint32]) error {
	return WriteEdges(ctx, w, format.Graph{Vertices: n, Key: key, Edges: func(yield func(format.NumberedEdge) bool) {
		for u, v := range edges {
			if !yield(format.NumberedEdge{Source: u, Target: v}) {
				return
			}
		}
	}})
}

// WriteEdges writes the edges of a graph, one per line, with weights if the graph is weighted
// and times if it is timed. Vertices without edges are not written, nor are their attributes. A comment "# Directed
// graph" begins the list of a directed graph.
//
// If every key is one word and edges have no attributes, a line is "u v", "u v weight", "u v time" or "u v weight time",
// below a comment that names the columns; the line of an edge without a time has no time
// column. Otherwise the text is CSV, as WriteCSV writes it. graphfile.Read with zero options reads the
// same edges back in both cases; most other tools read the first form, too. A key that is
// empty, longer than 1024 bytes, not UTF-8 or that contains NUL gives a *format.KeyError. WriteEdges
// calls Key once per vertex and twice per edge.
func WriteEdges(ctx context.Context, w io.Writer, g format.Graph) error {
	words, err := allWords(ctx, g.Vertices, g.Key)
	if err == nil {
		e := edgeWriter{csvWriter: csvWriter{GraphWriter: writing.NewGraphWriter(ctx, w, &g)}, words: words && len(g.EdgeColumns) == 0, says: g.Directed}
		err = e.write()
	}
	return writing.Error("edge list", err)
}

// WriteCSV writes the edges of a graph as CSV under the header "source,target[,weight][,time]" and the
// names of the attributes of edges. Keys are quoted where CSV requires it and may contain line breaks. The time field of
// an edge without a time is empty, and so is a missing value. A name has its type behind it where WriteVertices
// writes one, and where a reader could take the column for another one. That a graph is directed is not written: see
// WriteEdges and format.Options.Directed.
func WriteCSV(ctx context.Context, w io.Writer, g format.Graph, opts CSVOptions) error {
	if opts.Neo4j && g.Times != format.TimeNumbers {
		g.Times = format.TimeClocks // a column has one type
	}
	e := edgeWriter{csvWriter: csvWriter{GraphWriter: writing.NewGraphWriter(ctx, w, &g), csv: opts}}
	return writing.Error("CSV of edges", e.write())
}

type edgeWriter struct {
	csvWriter
	words     bool
	says      bool // a comment says that the graph is directed
	relation  int  // the attribute that Neo4j's type is, or PlaceNone
	separator byte

	weights, times bool // there is a column of them
}

func (e *edgeWriter) write() error {
	e.separator = ','
	if e.words {
		e.separator = ' '
	}
	if err := writing.CheckEdgeColumns(e.G.EdgeColumns, nil); err != nil {
		return err
	}
	// Names in Neo4j's headers have their types behind them in any case, so that only a column of its own keeps a
	// reader from taking an attribute for the weight or the time.
	e.weights = e.G.Weighted || e.csv.Neo4j && writing.Claimed(e.G, delimited.Weight)
	e.times = e.G.Timed || e.csv.Neo4j && writing.Claimed(e.G, delimited.Time)
	e.relation = reading.PlaceNone
	if e.csv.Neo4j {
		e.relation = slices.IndexFunc(e.G.EdgeColumns, func(c format.Column) bool { return c.Name == neo4jType && typed.OrText(c.Type) == format.Text })
	}
	if e.says {
		e.WriteString(directedComment)
	}
	names, err := e.names()
	if err != nil {
		return err
	}
	e.Write(append(append(e.header(), names...), '\n'))
	return e.Finish(e.Edges(e.appendLine))
}

// directedComment is the line above the edges of a directed graph.
const directedComment = "# Directed graph\n"

// names returns the names of the attributes, each behind a separator.
func (e *edgeWriter) names() (line []byte, err error) {
	if len(e.G.EdgeColumns) == 0 {
		return nil, nil
	}
	var stated []bool
	if !e.csv.Neo4j {
		if stated, err = e.statedTypes(); err != nil {
			return nil, err
		}
	}
	for i, c := range e.G.EdgeColumns {
		e.guarded = guard(e.csv, e.guarded[:0], []byte(c.Name))
		switch {
		case i == e.relation:
			continue
		case e.csv.Neo4j:
			e.guarded = append(append(e.guarded, ':'), typed.Name(c.Type)...)
		case stated[i]:
			e.guarded = append(append(e.guarded, ':'), typed.OrText(c.Type)...)
		}
		line = writing.AppendName(append(line, e.separator), e.guarded)
	}
	return line, nil
}

// statedTypes reads all values and reports for each column whether its type is written.
func (e *edgeWriter) statedTypes() ([]bool, error) {
	looks := newTypeLooks(e.G.EdgeColumns)
	for i, c := range e.G.EdgeColumns {
		special := c.Name == delimited.EdgeID || delimited.UsualRole(c.Name) != delimited.Ignored || strings.Contains(c.Name, ":")
		looks.state[i] = looks.state[i] || special
	}
	err := e.Edges(func(_ []byte, edge format.NumberedEdge) ([]byte, error) {
		for i := range e.G.EdgeColumns {
			value, ok, err := e.guardedValue(i, edge)
			if err != nil {
				return nil, err
			}
			if ok {
				looks.see(i, value)
			}
		}
		return nil, nil
	})
	return looks.stated(), err
}

// guardedValue returns the value of an edge as it is written, before quoting.
func (e *edgeWriter) guardedValue(column int, edge format.NumberedEdge) ([]byte, bool, error) {
	value, ok, err := e.EdgeValue(column, edge)
	return e.guardText(e.G.EdgeColumns[column], value, ok), ok, err
}

// header returns the names of the columns that are no attributes. They keep a reader from taking the first edge for a header.
func (e *edgeWriter) header() []byte {
	names := []string{"source", "target", "weight", "time"}
	switch {
	case e.words:
		names[0] = "# source"
	case e.csv.Neo4j:
		names = []string{neo4jStart, neo4jEnd + "," + neo4jType, "weight:float", "time:long"}
		if e.G.Times != format.TimeNumbers {
			names[3] = "time:datetime"
		}
	}
	var header []byte
	for i, has := range []bool{true, true, e.weights, e.times} {
		if has {
			header = append(append(header, names[i]...), e.separator)
		}
	}
	return header[:len(header)-1]
}

func (e *edgeWriter) appendLine(line []byte, edge format.NumberedEdge) ([]byte, error) {
	var err error
	if e.words {
		line = append(e.G.Key(line, edge.Source), e.separator)
		line = e.G.Key(line, edge.Target)
	} else if line, err = e.appendKeys(line, edge); err != nil {
		return nil, err
	}
	if e.weights {
		line = append(line, e.separator)
	}
	if e.G.Weighted {
		if line, err = writing.AppendWeight(line, edge); err != nil {
			return nil, err
		}
	}
	if e.times {
		if edge.Timed || !e.words {
			line = append(line, e.separator)
		}
		if e.G.Timed && edge.Timed {
			line = e.G.Times.Append(line, edge.Time)
		}
	}
	for i := range e.G.EdgeColumns {
		if i == e.relation {
			continue
		}
		value, ok, err := e.guardedValue(i, edge)
		if err != nil {
			return nil, err
		}
		line = appendField(append(line, e.separator), value, ok)
	}
	return append(line, '\n'), nil
}

func (e *edgeWriter) appendKeys(line []byte, edge format.NumberedEdge) ([]byte, error) {
	line, err := e.appendKey(line, edge.Source)
	if err == nil {
		line, err = e.appendKey(append(line, ','), edge.Target)
	}
	if err != nil || !e.csv.Neo4j {
		return line, err
	}
	line = append(line, ',')
	if e.relation != reading.PlaceNone {
		value, ok, err := e.guardedValue(e.relation, edge)
		if err != nil || ok && len(value) > 0 {
			return appendField(line, value, ok), err
		}
	}
	return append(line, neo4jEdge...), nil
}

// allWords reports whether every key can be written in a list separated by spaces.
func allWords(ctx context.Context, n int, key format.AppendKey) (bool, error) {
	var scratch []byte
	for v := range n {
		if v%writing.CheckEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		scratch = key(scratch[:0], uint32(v))
		if !writing.IsWord(scratch) || writing.CheckKey(scratch) != "" {
			return false, nil
		}
	}
	return true, nil
}
