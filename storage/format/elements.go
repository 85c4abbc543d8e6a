package format

import "bytes"

// elements is the part shared by the readers of formats that have an element for each vertex
// and each edge.
type elements struct {
	opts    Options
	h       Handler
	stats   ReadStats
	columns []Column
	values  [][]byte // of the vertex being read, by column

	at   func(kind error, format string, args ...any) *LineError // returns an error at the last token
	flaw *LineError                                              // the first thing wrong with the element being read
	text []byte                                                  // of the element being read
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
	g.stats.Skipped++
	if g.stats.FirstSkipped == nil {
		g.stats.FirstSkipped = g.flaw
	}
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
		g.wrong(ErrLimit, "key %s has %d bytes, the limit is %d", excerpt(id), len(id), g.opts.MaxKey)
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
func (g *elements) deliver(edge Edge, weight, time []byte) error {
	g.measure(&edge, bytes.TrimSpace(weight), bytes.TrimSpace(time))
	if ok, err := g.passed(); !ok {
		return err
	}
	g.stats.Edges++
	if edge.Weighted {
		g.stats.Weighted++
	}
	if edge.Timed {
		g.stats.Timed++
	}
	if edge.Dated {
		g.stats.Dated++
	}
	return g.h.Edge(edge)
}

// measure sets the weight and the time of an edge, which may be missing.
func (g *elements) measure(edge *Edge, weight, time []byte) {
	if len(weight) > 0 {
		if edge.Weight, edge.Weighted = parseWeight(weight); !edge.Weighted {
			g.wrong(ErrSyntax, "%s", weightFault(weight))
		}
	}
	if len(time) > 0 {
		if edge.Time, edge.Dated, edge.Timed = parseTime(time); !edge.Timed {
			g.wrong(ErrSyntax, "%s", timeFault(time))
		}
	}
}
