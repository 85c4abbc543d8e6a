package graphtext

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// matrixMarketMagic begins every file of this format, behind %%. Some programs write one % only, or
// comments above it.
const matrixMarketMagic = "MatrixMarket"

// isBanner reports whether a line is the first one of Matrix Market.
func isBanner(line []byte) bool {
	text := bytes.TrimLeft(line, "% \t")
	return len(line) > 0 && line[0] == '%' && len(text) >= len(matrixMarketMagic) && bytes.EqualFold(text[:len(matrixMarketMagic)], []byte(matrixMarketMagic))
}

// bannerAbove reports whether a comment above the first data line of a text is the first line of
// Matrix Market.
func bannerAbove(text []byte) bool {
	for line := range bytes.FieldsFuncSeq(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
		content := bytes.TrimLeft(line, delimited.Blanks)
		switch {
		case isBanner(content):
			return true
		case len(content) > 0 && !delimited.IsComment(content[0]):
			return false
		}
	}
	return false
}

// matrix reads the coordinate format of Matrix Market as an adjacency matrix: the row and
// column numbers "1" to "n" are the keys, all of them are vertices, and entries are edges, with
// their values as weights: from the row to the column if the matrix is general, and in both directions if it is
// symmetric.
type matrix struct {
	feed.Lines
	ctx     context.Context
	h       format.Handler
	course  reading.Direction
	size    int64 // number of the size line; 0 before it
	pattern bool  // entries have no values
	integer bool  // values are integers
	n       int64 // vertices
	entries int64 // entries declared
	seen    int64 // entries read, malformed ones counted
	words   [][]byte
	at      []int // where each of the words begins
	columns delimited.Columns
	keys    [2][]byte
}

func newMatrix(ctx context.Context, opts format.Options, h format.Handler) *matrix {
	m := &matrix{ctx: ctx, h: h, course: reading.NewDirection(opts, h)}
	m.Opts, m.To = opts.EdgeListOptions, m
	m.n = opts.MaxVertices // the limit on n, until the size line is read
	m.columns.Each = func(field []byte, at int, _ bool) fault.Fault {
		const most = 4 // one more than any line has
		if len(m.words) < most {
			m.words, m.at = append(m.words, field), append(m.at, at)
		}
		return fault.Fault{}
	}
	return m
}

func (m *matrix) Line(line []byte) error {
	line, kind := m.Sort(line)
	if m.Stats.Header == "" && (kind == feed.LineData || kind == feed.LineComment && isBanner(line)) {
		return m.banner(line)
	}
	if kind != feed.LineData {
		return nil
	}
	if f := fault.OfText(line); f.Found() {
		return m.Bad(line, f)
	}
	m.words, m.at = m.words[:0], m.at[:0]
	m.columns.Split(line, delimited.SeparatorWhitespace, &delimited.NoPlan, 0)
	if m.size == 0 {
		return m.sizeLine(line)
	}
	m.seen++
	if m.seen > m.entries {
		return m.Wrong(line, "the size line declares %d entries, and here is one more", m.entries)
	}
	return m.entry(line)
}

// banner parses the first line, "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
func (m *matrix) banner(line []byte) error {
	if f := fault.OfText(line); f.Found() {
		return m.LineError(line, f)
	}
	reason := ""
	words := strings.Fields(strings.ToLower(string(bytes.TrimLeft(line, "% \t"))))
	switch {
	case !isBanner(line) || len(words) != 5 || words[1] != "matrix":
		reason = `expected "%%MatrixMarket matrix coordinate", a field and a symmetry`
	case words[2] != "coordinate":
		reason = "only sparse matrices, in the coordinate format, are read as graphs"
	case words[3] != "pattern" && words[3] != "real" && words[3] != "integer":
		reason = "only fields pattern, real and integer can be weights of edges"
	case words[4] == "skew-symmetric":
		reason = "a skew-symmetric matrix has negative entries, which no edge can have as weight"
	case words[4] != "general" && words[4] != "symmetric":
		reason = "only general and symmetric matrices are read as graphs"
	}
	if reason != "" {
		return m.Wrong(line, "%s; found %s", reason, excerpt.Of(line))
	}
	m.pattern, m.integer = words[3] == "pattern", words[3] == "integer"
	m.Stats.Header = string(line)
	m.Stats.Comments-- // it is none
	m.Stats.Directed = words[4] == "general"
	m.course.All = reading.CourseOf(m.Stats.Directed)
	m.course.Now = m.course.All
	return nil
}

// sizeLine parses the numbers of rows, columns and entries, and delivers the vertices.
func (m *matrix) sizeLine(line []byte) error {
	var size [3]int64
	for i := range size {
		ok := len(m.words) == len(size)
		if ok {
			size[i], ok = decimal.Count(m.words[i])
		}
		if !ok {
			return m.Wrong(line, "expected the numbers of rows, columns and entries, found %s", excerpt.Of(line))
		}
	}
	switch {
	case size[0] != size[1]:
		return m.Wrong(line, "a matrix of %d rows and %d columns is no adjacency matrix of a graph: its rows and columns number different vertices", size[0], size[1])
	case size[0] > m.n:
		f := fault.Syntax(0, "%d vertices exceed the limit of %d", size[0], m.n)
		f.Kind = format.ErrLimit
		return m.LineError(line, f)
	}
	m.size, m.n, m.entries = m.Stats.Lines, size[0], size[2]
	m.Stats.DeclaredVertices, m.Stats.DeclaredEdges = m.n, m.entries
	return m.vertices()
}

func (m *matrix) vertices() error {
	var key []byte
	for v := int64(1); v <= m.n; v++ {
		if v%writing.CheckEvery == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		key = strconv.AppendInt(key[:0], v, 10)
		m.Stats.Vertices++
		if err := m.h.Vertex(key, nil); err != nil {
			return err
		}
	}
	return nil
}

// entry handles a line "row column", or "row column value".
func (m *matrix) entry(line []byte) error {
	want := 3
	if m.pattern {
		want = 2
	}
	if len(m.words) != want {
		return m.Bad(line, fault.Syntax(0, "expected %d numbers, found %s", want, excerpt.Of(line)))
	}
	edge := format.Edge{Weight: 1}
	for i := range m.keys {
		v, ok := decimal.Count(m.words[i])
		if !ok || v < 1 || v > m.n {
			return m.Bad(line, fault.Syntax(m.at[i], "%s is not a number from 1 to %d", excerpt.Of(m.words[i]), m.n))
		}
		m.keys[i] = strconv.AppendInt(m.keys[i][:0], v, 10)
	}
	edge.Source, edge.Target = m.keys[0], m.keys[1]
	if !m.pattern && m.Opts.Weight != format.NoColumn {
		text := m.words[2]
		edge.Weight, edge.Weighted = figure.Weight(text)
		if !edge.Weighted || m.integer && !decimal.IsInteger(text) {
			return m.Bad(line, fault.Syntax(m.at[2], "%s", figure.WeightFault(text)))
		}
		m.Stats.Weighted++
	}
	if err := m.Orient(&m.course, &edge); err != nil {
		return err
	}
	m.Stats.Edges++
	return m.h.Edge(edge)
}

func (m *matrix) End() error {
	switch {
	case m.Stats.Lines == 0:
		return m.ErrorAt(1, format.ErrSyntax, "expected \"%%%%MatrixMarket matrix coordinate\", found nothing")
	case m.size == 0:
		return m.ErrorAt(m.Stats.Lines+1, format.ErrSyntax, "expected the numbers of rows, columns and entries, found the end")
	case m.seen != m.entries:
		return m.ErrorAt(m.size, format.ErrSyntax, "the size line declares %d entries, but %d follow", m.entries, m.seen)
	}
	return m.course.Declare(m.course.All)
}
