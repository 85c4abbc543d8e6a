package graphtext

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// metis reads the graph files of METIS: a header "n m [fmt [ncon]]", then a line for every
// vertex from 1 to n, which may be empty. If fmt declares them, a line begins with the vertex's
// size and weights, which are skipped. Its neighbours follow, each with the weight of the edge
// if fmt declares weights. Every edge is listed by both ends and delivered once, from the
// vertex with the smaller number. Comments begin with %. The keys are the numbers of the
// vertices, or those of format.Options.Keys.
type metis struct {
	feed.Lines
	h        format.Handler
	course   reading.Direction
	header   bool  // the header was read
	n, m     int64 // vertices and edges declared
	vertex   int64 // lines of vertices read
	from     func() (*format.KeyList, error)
	skipped  int   // how many numbers to skip before the neighbours
	weighted bool  // neighbours have weights
	up, down int64 // entries to larger and to smaller vertices
	number   [2][]byte
	keys     *format.KeyList // nil if the numbers are the keys
}

func newMETIS(opts format.Options, h format.Handler) *metis {
	m := &metis{h: h, n: opts.MaxVertices, from: opts.Keys, course: reading.NewDirection(opts, h)} // n is the limit until the header is read
	m.course.All, m.course.Now = reading.CourseUndirected, reading.CourseUndirected
	m.Opts, m.To = opts.EdgeListOptions, m
	return m
}

// key returns the key of a vertex, valid until the next call with the same end (0 or 1).
func (m *metis) key(end int, vertex int64) []byte {
	if m.keys != nil {
		return m.keys.At(int(vertex - 1))
	}
	m.number[end] = strconv.AppendInt(m.number[end][:0], vertex, 10)
	return m.number[end]
}

// readKeys reads the keys, one for each vertex declared by the header.
func (m *metis) readKeys(line []byte) (err error) {
	if m.from == nil {
		return nil
	}
	if m.keys, err = m.from(); err != nil || m.keys == nil {
		return err
	}
	if n := int64(m.keys.Len()); n != m.n {
		return m.Wrong(line, "the header declares %d vertices, but the file of keys has %d", m.n, n)
	}
	if a, b, found := m.keys.Repeated(); found {
		return m.Wrong(line, "vertices %d and %d have the same key %s", a+1, b+1, excerpt.Of(m.keys.At(a)))
	}
	return nil
}

func (m *metis) Line(line []byte) error {
	line, kind := m.Sort(line)
	if kind == feed.LineComment {
		return nil
	}
	if f := fault.OfText(line); f.Found() {
		return m.LineError(line, f)
	}
	words := bytes.Fields(line)
	switch {
	case !m.header && kind == feed.LineBlank:
		return nil
	case !m.header:
		return m.first(line, words)
	case m.vertex == m.n && kind == feed.LineBlank:
		return nil // empty lines at the end
	case m.vertex == m.n:
		return m.Wrong(line, "the header declares %d vertices, and here is one more line", m.n)
	}
	m.vertex++
	return m.neighbours(line, words)
}

func (m *metis) first(line []byte, words [][]byte) error {
	if len(words) < 2 || len(words) > 4 {
		return m.Wrong(line, "expected the header of a METIS file, the numbers of vertices and edges and perhaps a format, found %s", excerpt.Of(line))
	}
	n, edges, ok := decimal.Counts(words[0], words[1])
	if !ok {
		return m.Wrong(line, "expected the numbers of vertices and edges, found %s", excerpt.Of(line))
	}
	if n > m.n {
		return m.Limit("the header declares %d vertices, more than the limit of %d", n, m.n)
	}
	constraints := int64(0)
	if len(words) > 2 {
		form := strings.TrimLeft(string(words[2]), "0")
		if len(words[2]) > 3 || strings.Trim(form, "01") != "" {
			return m.Wrong(line, "the format %s is none of METIS's: three digits that are 0 or 1", excerpt.Of(words[2]))
		}
		form = strings.Repeat("0", 3-len(form)) + form
		if form[0] == '1' {
			m.skipped++
		}
		if form[1] == '1' {
			constraints = 1
		}
		m.weighted = form[2] == '1'
	}
	if len(words) > 3 {
		if constraints, ok = decimal.Count(words[3]); !ok || constraints > maxWeights {
			return m.Wrong(line, "expected the number of weights of a vertex, found %s", excerpt.Of(words[3]))
		}
	}
	m.skipped += int(constraints)
	m.header, m.n, m.m = true, n, edges
	m.Stats.Header, m.Stats.DeclaredVertices, m.Stats.DeclaredEdges = string(line), n, edges
	return m.readKeys(line)
}

func (m *metis) neighbours(line []byte, words [][]byte) error {
	key := m.key(0, m.vertex)
	m.Stats.Vertices++
	if err := m.h.Vertex(key, nil); err != nil {
		return err
	}
	each := 1
	if m.weighted {
		each = 2
	}
	if len(words) < m.skipped || (len(words)-m.skipped)%each != 0 {
		return m.Wrong(line, "the header asks for %d numbers before the neighbours of vertex %d and %d for each of them, found %d in all", m.skipped, m.vertex, each, len(words))
	}
	for words = words[m.skipped:]; len(words) > 0; words = words[each:] {
		v, ok := decimal.Count(words[0])
		if !ok || v < 1 || v > m.n {
			return m.Wrong(line, "expected a vertex from 1 to %d, found %s", m.n, excerpt.Of(words[0]))
		}
		edge := format.Edge{Weight: 1}
		if m.weighted {
			if edge.Weight, edge.Weighted = figure.Weight(words[1]); !edge.Weighted {
				return m.Wrong(line, "%s", figure.WeightFault(words[1]))
			}
		}
		if v < m.vertex {
			m.down++
			continue
		}
		if v > m.vertex {
			m.up++
		}
		edge.Source, edge.Target = key, m.key(1, v)
		if err := m.Orient(&m.course, &edge); err != nil {
			return err
		}
		m.Stats.Edges++
		m.Stats.Measured(&edge)
		if err := m.h.Edge(edge); err != nil {
			return err
		}
	}
	return nil
}

// End compares the counts of the header with those of the text.
func (m *metis) End() error {
	at := func(reason string, args ...any) error {
		return m.ErrorAt(max(m.Stats.Lines, 1), format.ErrSyntax, reason, args...)
	}
	switch {
	case !m.header:
		return at("expected the header of a METIS file, found no line")
	case m.vertex < m.n:
		return at("the header declares %d vertices, but %d lines follow", m.n, m.vertex)
	case m.up != m.down:
		return at("every edge is to be listed at both of its ends, but there are %d to larger vertices and %d to smaller ones", m.up, m.down)
	case m.up != m.m && m.Stats.Edges != m.m:
		return at("the header declares %d edges, but there are %d", m.m, m.up)
	}
	return m.course.Declare(m.course.All)
}

// WriteMETIS writes the edges of a graph in the format of METIS: the numbers of vertices and
// edges, then for every vertex a line of its neighbours, numbered from 1, with the weights of
// the edges if the graph is weighted. Keys, times and attributes are not written; vectorfile.WriteKeys
// writes the keys in the order of the lines, for format.Options.Keys. METIS allows only whole numbers
// as weights: any other weight gives an error that wraps format.ErrValue, and so do a self-loop and a directed graph.
// WriteMETIS asks for all neighbours twice.
func WriteMETIS(ctx context.Context, w io.Writer, g format.Graph) error {
	m := metisWriter{writing.NewGraphWriter(ctx, w, &g)}
	return writing.Error("METIS", m.write())
}

// maxWeights is how many weights of a vertex the header may declare.
const maxWeights = 1 << 16

type metisWriter struct{ writing.GraphWriter }

func (m *metisWriter) write() error {
	if m.G.Directed {
		return fmt.Errorf("%w: edges in METIS have no direction; format := 'edges' or 'graphml' can hold it", format.ErrValue)
	}
	arcs := 0
	err := m.Each(m.G.Vertices, func(v uint32) error {
		neighbors, _ := m.G.Neighbors(v)
		arcs += len(neighbors)
		return nil
	})
	if err != nil {
		return err
	}
	line := strconv.AppendInt(nil, int64(m.G.Vertices), 10)
	line = strconv.AppendInt(append(line, ' '), int64(arcs/2), 10)
	if m.G.Weighted {
		line = append(line, " 001"...)
	}
	m.Write(append(line, '\n'))
	return m.Finish(m.Vertices(m.appendLine))
}

func (m *metisWriter) appendLine(line []byte, v uint32) ([]byte, error) {
	neighbors, weights := m.G.Neighbors(v)
	for i, u := range neighbors {
		if u == v {
			return nil, fmt.Errorf("vertex %d: %w: it is its own neighbour", v, format.ErrValue)
		}
		if i > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, int64(u)+1, 10)
		if !m.G.Weighted {
			continue
		}
		weight := int64(weights[i])
		if weight < 1 || float32(weight) != weights[i] {
			return nil, fmt.Errorf("edge between %s and %s: %w: weight %v is no whole number, and those of METIS are; format := 'csv' can hold it", m.name(v), m.name(u), format.ErrValue, weights[i])
		}
		line = strconv.AppendInt(append(line, ' '), weight, 10)
	}
	return append(line, '\n'), nil
}

// name returns the key of a vertex for a message, or its number in the file if the graph has no
// keys.
func (m *metisWriter) name(v uint32) string {
	if m.G.Key == nil {
		return strconv.FormatUint(uint64(v)+1, 10)
	}
	return excerpt.Of(m.G.Key(nil, v))
}
