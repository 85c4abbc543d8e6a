package format

import (
	"context"
	"io"
)

// WriteVertices writes the vertices of a graph with their attributes as CSV: a header
// "vertex,NAME,…", then a record for every vertex in the order of their numbers. Missing values
// are empty fields; quoted texts may contain line breaks.
//
// Read with LayoutVertices reads the same values and types back. To make that possible, a name
// is followed by a colon and the type, as in "zip:text", if a reader could not infer the type
// from the values (see TypeOf and IsMissing): a text attribute all of whose values look like
// numbers or like missing ones, or one of whose values is empty (written "", while a missing value
// is an empty field); any attribute without a single value; and one whose name itself ends in such a
// type. It refuses the same keys as WriteEdges; a value that does not have its attribute's type, or a text with NUL or
// invalid UTF-8, gives a *ValueError. WriteVertices asks for every value twice.
func WriteVertices(ctx context.Context, w io.Writer, g Graph, opts CSVOptions) error {
	t := tableWriter{csvWriter{graphWriter: newGraphWriter(ctx, w, &g), csv: opts}}
	return writing("CSV of vertices", t.write())
}

type tableWriter struct{ csvWriter }

func (t *tableWriter) write() error {
	if err := t.g.checkColumns(); err != nil {
		return err
	}
	line, err := t.header()
	if err != nil {
		return err
	}
	t.Write(append(line, '\n'))
	return t.finish(t.vertices(t.appendRecord))
}

// header returns the names of the columns, with a type where a reader could not infer it.
func (t *tableWriter) header() ([]byte, error) {
	if t.csv.Neo4j {
		return t.neo4jHeader(), nil
	}
	stated, err := t.ambiguousTypes()
	if err != nil {
		return nil, err
	}
	line := []byte(vertexHeader)
	for i, c := range t.g.Columns {
		t.guarded = t.csv.guard(t.guarded[:0], []byte(c.Name))
		if stated[i] {
			t.guarded = append(append(t.guarded, ':'), typeOr(c.Type)...)
		}
		line = appendName(append(line, ','), t.guarded)
	}
	return line, nil
}

func (t *tableWriter) neo4jHeader() []byte {
	line := []byte(vertexHeader + neo4jID)
	for _, c := range t.g.Columns {
		if c.Name == vertexHeader {
			line = []byte(neo4jID)
		}
	}
	for _, c := range t.g.Columns {
		name := c.Name + ":" + typeText(c.Type)
		if c.Name == neo4jLabel && typeOr(c.Type) == Text {
			name = neo4jLabel
		}
		line = appendName(append(line, ','), []byte(name))
	}
	return line
}

// ambiguousTypes reads all values and reports, for each column, whether a reader could not
// infer its type from them.
func (t *tableWriter) ambiguousTypes() ([]bool, error) {
	stated := make([]bool, len(t.g.Columns))
	looks := make([]Type, len(t.g.Columns))
	words := make([]bool, len(t.g.Columns)) // there are words such as NA, which are texts where no other values are
	for i, c := range t.g.Columns {
		_, kind := cutType(c.Name)
		stated[i] = kind != Untyped
	}
	err := t.each(t.g.Vertices, func(v uint32) error {
		for i := range t.g.Columns {
			value, ok, err := t.guardedValue(i, v)
			if err != nil {
				return err
			}
			switch {
			case !ok:
			case len(value) == 0:
				stated[i] = true
			case IsMissing(value):
				words[i] = true
			case looks[i] != Text:
				looks[i] = looks[i].Or(TypeOf(value))
			}
		}
		return nil
	})
	for i, c := range t.g.Columns {
		if words[i] && looks[i] == Untyped {
			looks[i] = Text
		}
		stated[i] = stated[i] || looks[i] != typeOr(c.Type)
	}
	return stated, err
}

// guardedValue returns the value of a vertex as it is written, before quoting.
func (t *tableWriter) guardedValue(column int, v uint32) ([]byte, bool, error) {
	value, ok, err := t.value(column, v)
	if ok && typeOr(t.g.Columns[column].Type) == Text {
		t.guarded = t.csv.guard(t.guarded[:0], value)
		value = t.guarded
	}
	return value, ok, err
}

func (t *tableWriter) appendRecord(line []byte, v uint32) ([]byte, error) {
	line, err := t.appendKey(line, v)
	if err != nil {
		return nil, err
	}
	for i := range t.g.Columns {
		line = append(line, ',')
		value, ok, err := t.guardedValue(i, v)
		switch {
		case err != nil:
			return nil, err
		case !ok:
		case len(value) == 0:
			line = append(line, `""`...)
		default:
			line = appendQuoted(line, value)
		}
	}
	return append(line, '\n'), nil
}
