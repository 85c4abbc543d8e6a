package graphtext

import (
	"bytes"
	"context"
	"io"
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

// pajek reads networks of Pajek (.net): a line "*Vertices n", then lines of vertices with their
// number from 1 and perhaps a label, then sections of arcs and edges with weights, or of lists
// of neighbours. A label is the vertex's key; a vertex without a line or a label has its number
// as key. Behind the weight of an edge are names and values, which become attributes of texts; coordinates and
// parameters of vertices are ignored. Labels are kept in memory, as edges refer to vertices by number.
type pajek struct {
	feed.Lines
	h       format.Handler
	options format.Options
	course  reading.Direction
	values  reading.Attributes
	section string   // the word after the star, in lower case; "" before the first section
	n       int64    // vertices declared
	labels  [][]byte // by number - 1; nil for vertices without
	numbers map[string]int64
	closed  bool // all vertices were delivered
	words   [][]byte
	key     [2][]byte
}

func newPajek(opts format.Options, h format.Handler) *pajek {
	p := &pajek{h: h, options: opts, numbers: map[string]int64{}, course: reading.NewDirection(opts, h)}
	p.values = reading.Attributes{Pass: h.EdgeColumns, Most: opts.MaxColumns, MaxValue: opts.MaxValue}
	p.Opts, p.To = opts.EdgeListOptions, p
	return p
}

func (p *pajek) Line(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	content := bytes.TrimLeft(line, delimited.Blanks)
	if len(content) == 0 {
		return nil
	}
	if content[0] == '%' {
		p.Stats.Comments++
		return nil
	}
	if f := fault.OfText(line); f.Found() {
		return p.Bad(line, f)
	}
	if content[0] == '*' {
		return p.begin(line, content[1:])
	}
	var f fault.Fault
	if p.words, f = pajekWords(p.words[:0], line); f.Found() {
		return p.Bad(line, f)
	}
	switch p.section {
	case "vertices":
		return p.vertex(line)
	case "arcs", "edges":
		return p.edge(line)
	case "arcslist", "edgeslist":
		return p.list(line)
	}
	return p.Wrong(line, "expected *Vertices, as a network of Pajek begins, found %s", excerpt.Of(line))
}

// begin handles the first line of a section.
func (p *pajek) begin(line, content []byte) error {
	words := bytes.Fields(content)
	name := ""
	if len(words) > 0 {
		name = strings.ToLower(string(words[0]))
	}
	name, _, _ = strings.Cut(name, ":") // arcs of one of several relations: "*Arcs :1 …"
	switch name {
	case "network":
		return nil
	case "vertices":
		if p.n > 0 || p.closed {
			return p.Wrong(line, "a second network; put every network into a file of its own")
		}
		n, ok := int64(0), false
		if len(words) > 1 {
			n, ok = decimal.Count(words[1])
		}
		switch {
		case !ok:
			return p.Wrong(line, "expected the number of vertices after *Vertices")
		case n > p.options.MaxVertices:
			return p.Limit("the file declares %d vertices, more than the limit of %d", n, p.options.MaxVertices)
		}
		p.n, p.Stats.DeclaredVertices, p.Stats.Header = n, n, string(line)
	case "arcs", "edges", "arcslist", "edgeslist":
		p.course.Now = reading.CourseOf(strings.HasPrefix(name, "arcs"))
		p.course.All = p.course.Now
		p.Stats.Directed = p.Stats.Directed || p.course.Now == reading.CourseDirected
		if err := p.close(); err != nil {
			return err
		}
	default:
		return p.Wrong(line, "the section %s is not read; there are *Vertices, *Arcs, *Edges, *Arcslist and *Edgeslist", excerpt.Of(content))
	}
	p.section = name
	return nil
}

// pajekWords splits a line at blanks outside double quotes.
func pajekWords(words [][]byte, line []byte) ([][]byte, fault.Fault) {
	for at := 0; ; {
		for at < len(line) && delimited.IsBlank(line[at]) {
			at++
		}
		if at == len(line) {
			return words, fault.Fault{}
		}
		start := at
		if line[at] == '"' {
			end := bytes.IndexByte(line[at+1:], '"')
			if end < 0 {
				return words, fault.Syntax(at, "a text in quotes is not closed on its line")
			}
			words = append(words, line[at+1:at+1+end])
			at += end + 2
			continue
		}
		for at < len(line) && !delimited.IsBlank(line[at]) {
			at++
		}
		words = append(words, line[start:at])
	}
}

func (p *pajek) number(word []byte) (int64, fault.Fault) {
	v, ok := decimal.Count(word)
	if !ok || v < 1 || v > p.n {
		return 0, fault.Syntax(0, "expected a vertex from 1 to %d, found %s", p.n, excerpt.Of(word))
	}
	return v, fault.Fault{}
}

func (p *pajek) vertex(line []byte) error {
	v, f := p.number(p.words[0])
	if f.Found() {
		return p.Bad(line, f)
	}
	if len(p.words) == 1 {
		return nil
	}
	p.Stats.IgnoredColumns = max(p.Stats.IgnoredColumns, len(p.words)-2)
	label := p.words[1]
	if f := delimited.KeyFault(label, 0, 2, p.Opts.MaxKey); f.Found() {
		return p.Bad(line, f)
	}
	if other, taken := p.numbers[string(label)]; taken && other != v {
		return p.Bad(line, fault.Syntax(0, "vertices %d and %d are both called %s", other, v, excerpt.Of(label)))
	}
	if missing := v - int64(len(p.labels)); missing > 0 {
		p.labels = append(p.labels, make([][]byte, missing)...)
	}
	if old := p.labels[v-1]; old != nil {
		return p.Bad(line, fault.Syntax(0, "vertex %d is there twice", v))
	}
	p.labels[v-1] = bytes.Clone(label)
	p.numbers[string(p.labels[v-1])] = v
	return nil
}

// keyOf returns the key of a vertex.
func (p *pajek) keyOf(scratch []byte, v int64) []byte {
	if v <= int64(len(p.labels)) && p.labels[v-1] != nil {
		return p.labels[v-1]
	}
	return strconv.AppendInt(scratch[:0], v, 10)
}

// close delivers all vertices, once.
func (p *pajek) close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	for v := int64(1); v <= p.n; v++ {
		p.key[0] = p.keyOf(p.key[0], v)
		if other, taken := p.numbers[string(p.key[0])]; taken && other != v {
			return p.ErrorAt(p.Stats.Lines, format.ErrSyntax, "vertex %d has no label, and %s is that of vertex %d", v, excerpt.Of(p.key[0]), other)
		}
		p.Stats.Vertices++
		if err := p.h.Vertex(p.key[0], nil); err != nil {
			return err
		}
		p.key[0] = nil // it may alias a label, which must not be overwritten
	}
	clear(p.numbers)
	return nil
}

// edge handles an arc or an edge, with its weight and attributes if there are any.
func (p *pajek) edge(line []byte) error {
	if len(p.words) < 2 {
		return p.Bad(line, fault.Syntax(0, "expected two vertices, found only %s", excerpt.Of(line)))
	}
	edge := format.Edge{Weight: 1}
	if len(p.words) > 2 && p.Opts.Weight != format.NoColumn {
		if edge.Weight, edge.Weighted = figure.Weight(p.words[2]); !edge.Weighted {
			return p.Bad(line, fault.Syntax(0, "%s", figure.WeightFault(p.words[2])))
		}
	}
	if p.values.Pass == nil {
		p.Stats.IgnoredColumns = max(p.Stats.IgnoredColumns, len(p.words)-3)
	} else if f, err := p.attributes(); err != nil {
		return err
	} else if f.Found() {
		return p.Bad(line, f)
	}
	return p.deliver(line, edge, p.words[0], p.words[1])
}

// attributes takes the names and values behind the weight.
func (p *pajek) attributes() (f fault.Fault, err error) {
	clear(p.values.Values)
	for at := 3; at < len(p.words) && !f.Found() && err == nil; at += 2 {
		name := string(p.words[at])
		if at+1 == len(p.words) || !delimited.IsAttribute(name) {
			p.Stats.Remark("attributes of edges left out", excerpt.Name(p.words[at]), p.Stats.Lines, "")
			continue
		}
		var column int
		if column, f, err = p.values.Find(name); err == nil && !f.Found() {
			f = p.values.Take(column, p.words[at+1], format.Untyped)
		}
	}
	return f, err
}

// list handles a line of neighbours of a vertex.
func (p *pajek) list(line []byte) error {
	clear(p.values.Values)
	for _, word := range p.words[1:] {
		if err := p.deliver(line, format.Edge{Weight: 1}, p.words[0], word); err != nil {
			return err
		}
	}
	return nil
}

// deliver delivers the edge between two vertices.
func (p *pajek) deliver(line []byte, edge format.Edge, source, target []byte) error {
	u, f := p.number(source)
	v, g := p.number(target)
	if f.Found() || g.Found() {
		if !f.Found() {
			f = g
		}
		return p.Bad(line, f)
	}
	var scratch [2][24]byte
	edge.Source, edge.Target = p.keyOf(scratch[0][:], u), p.keyOf(scratch[1][:], v)
	edge.Values = p.values.Values
	if err := p.Orient(&p.course, &edge); err != nil {
		return err
	}
	p.Stats.Edges++
	p.Stats.Measured(&edge)
	return p.h.Edge(edge)
}

func (p *pajek) End() error {
	if p.section == "" {
		return p.ErrorAt(p.Stats.Lines+1, format.ErrSyntax, "expected *Vertices, as a network of Pajek begins, found the end")
	}
	if err := p.close(); err != nil {
		return err
	}
	return p.course.Declare(p.course.All)
}

// WritePajek writes a graph as a network of Pajek: all vertices with their keys as labels, then
// all edges, or arcs if the graph is directed, with their weights if it is weighted. Attributes and times are not written.
// graphfile.Read reads the rest back. A key with a double quote, a backslash or a line break, which a
// label cannot contain, gives a *format.KeyError, and so does a key that rowtext.WriteEdges refuses.
func WritePajek(ctx context.Context, w io.Writer, g format.Graph) error {
	p := pajekWriter{writing.NewGraphWriter(ctx, w, &g)}
	return writing.Error("Pajek", p.write())
}

type pajekWriter struct{ writing.GraphWriter }

func (p *pajekWriter) write() error {
	p.Write(append(strconv.AppendInt([]byte("*Vertices "), int64(p.G.Vertices), 10), '\n'))
	section := "*Edges\n"
	if p.G.Directed {
		section = "*Arcs\n"
	}
	return p.Elements(p.appendVertex, section, p.appendEdge, "")
}

func (p *pajekWriter) appendVertex(line []byte, v uint32) ([]byte, error) {
	line = append(strconv.AppendInt(line, int64(v)+1, 10), ` "`...)
	line, err := writing.CheckedKey(p.G.Key, line, v, writing.CheckKey, labelFault)
	return append(line, "\"\n"...), err
}

// labelFault returns the reason why a label cannot contain a key, or "".
func labelFault(key []byte) string {
	if bytes.ContainsAny(key, "\"\\\r\n") {
		return "it holds a double quote, a backslash or a line break, which a label cannot"
	}
	return ""
}

func (p *pajekWriter) appendEdge(line []byte, e format.NumberedEdge) (_ []byte, err error) {
	line = append(strconv.AppendInt(line, int64(e.Source)+1, 10), ' ')
	line = strconv.AppendInt(line, int64(e.Target)+1, 10)
	if p.G.Weighted {
		line, err = writing.AppendWeight(append(line, ' '), e)
	}
	return append(line, '\n'), err
}

// pajekOthers are the endings of partitions, vectors, permutations and projects of Pajek.
var pajekOthers = []string{".clu", ".vec", ".per", ".paj"}

// beginsPajek reports whether the first line that is no comment begins a network of Pajek.
func beginsPajek(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '%' {
			continue
		}
		word, _, _ := bytes.Cut(bytes.ToLower(line[:min(len(line), 16)]), []byte(" "))
		return string(word) == "*vertices" || string(word) == "*network"
	}
	return false
}
