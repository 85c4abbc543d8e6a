package format

import (
	"bytes"
	"fmt"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/internal/excerpt"
)

// elements is the part shared by the readers of formats that have an element for each vertex
// and each edge.
type elements struct {
	opts    Options
	h       Handler
	stats   ReadStats
	columns []Column
	values  [][]byte // of the vertex being read, by column

	// What is left out.
	edgeValues, graphValues, absent, times, periods, turned, programs, other tally

	at   func(kind error, format string, args ...any) *LineError // returns an error at the last token
	flaw *LineError                                              // the first thing wrong with the element being read
	text []byte                                                  // of the element being read
}

// newElements prepares a reader; position returns the place of the last token.
func newElements(opts Options, h Handler, position func() (line int64, column int)) elements {
	at := func(kind error, format string, args ...any) *LineError {
		line, column := position()
		return &LineError{opts.Name, line, column, fmt.Sprintf(format, args...), kind}
	}
	return elements{
		opts: opts, h: h, at: at, text: []byte{},
		edgeValues:  tally{what: "attributes of edges left out", remedy: "the options weight and time take one each"},
		graphValues: tally{what: "attributes of the graph left out"},
		absent:      tally{what: MissingValues},
		times:       tally{what: "times left out"},
		periods:     tally{what: "values that hold for a part of the time, of which the last counts"},
		turned:      tally{what: "edges whose direction is not that of the graph", remedy: "graphs are undirected"},
		programs:    tally{what: "data of other programs left out"},
		other:       tally{what: "elements left out"},
	}
}

// leaveOut counts an attribute of an edge that is not read, unless the options decline it.
func (g *elements) leaveOut(name string) {
	if r := delimited.UsualRole(name); r == delimited.Ignored || g.opts.wanted()[r] != NoColumn {
		g.edgeValues.add(name, g.here)
	}
}

// here returns the line of the last token.
func (g *elements) here() int64 { return g.at(nil, "").Line }

// report adds to the statistics what the read has left out.
func (g *elements) report() {
	for _, t := range []*tally{&g.edgeValues, &g.graphValues, &g.absent, &g.times, &g.periods, &g.turned, &g.programs, &g.other} {
		t.report(&g.stats)
	}
}

// wrong records the first fault of the element being read; later ones are ignored.
func (g *elements) wrong(kind error, format string, args ...any) {
	if g.flaw == nil {
		g.flaw = g.at(kind, format, args...)
	}
}

// begin prepares for the next node or edge.
func (g *elements) begin() { g.flaw, g.text = nil, g.text[:0] }

// passed reports whether the element was valid. If not, it ends the read, or counts the element
// under SkipBad.
func (g *elements) passed() (bool, error) {
	switch {
	case g.flaw == nil:
		return true, nil
	case !g.opts.SkipBad:
		return false, g.flaw
	}
	g.stats.skip(g.flaw)
	return false, nil
}

// key checks a vertex key that an element contains. Errors call the key by the given name.
func (g *elements) key(text, element, name string) []byte {
	start := len(g.text)
	g.text = append(g.text, text...)
	id := g.text[start:len(g.text):len(g.text)]
	switch {
	case len(id) == 0:
		g.wrong(ErrSyntax, "the element %s has no %s", element, name)
	case len(id) > g.opts.MaxKey:
		g.wrong(ErrLimit, "key %s has %d bytes, the limit is %d", excerpt.Of(id), len(id), g.opts.MaxKey)
	}
	return id
}

// vertex delivers a vertex with its values, if it is valid.
func (g *elements) vertex(key []byte) error {
	if ok, err := g.passed(); !ok {
		return err
	}
	g.stats.Vertices++
	return g.h.Vertex(key, g.values)
}

// deliver delivers an edge with its weight and time, which may be missing, if the edge is
// valid.
func (g *elements) deliver(edge Edge, field [delimited.Roles][]byte) error {
	g.measure(&edge, field)
	return g.edge(edge)
}

// measure sets the weight and the time of an edge, which may be missing.
func (g *elements) measure(edge *Edge, field [delimited.Roles][]byte) {
	for r := delimited.Weight; r <= delimited.Time; r++ {
		field[r] = bytes.TrimSpace(field[r])
	}
	if bad, reason := g.stats.measure(edge, &field, 0); bad != delimited.Ignored {
		g.wrong(ErrSyntax, "%s", reason())
	}
}

// edge delivers an edge, if it is valid.
func (g *elements) edge(edge Edge) error {
	if ok, err := g.passed(); !ok {
		return err
	}
	g.stats.Edges++
	g.stats.setTime(&edge, unitsPerSecond(g.opts.TimeUnit), 0)
	g.stats.measured(edge)
	return g.h.Edge(edge)
}
