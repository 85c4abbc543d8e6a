package format

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// graphML reads GraphML. The ids of the nodes are the keys of the vertices, the
// declared keys of nodes are their attributes, and of the keys of edges the
// weight and the time are taken. Directions are passed over, and so are data of
// other programs; what no graph here can hold is refused: nested graphs,
// hyperedges, ports.
type graphML struct {
	*xmlReader
	opts  Options
	h     Handler
	stats ReadStats

	keys     []*graphKey // in the order of the text
	byID     map[string]*graphKey
	columns  []Column
	defaults [][]byte // of the columns
	weight   []byte   // the default weight of edges
	time     []byte
	begun    bool // the graph

	flaw   *LineError // the first thing wrong with the element being read
	text   []byte     // of the data of the element being read
	values [][]byte
}

// graphKey is a key that the text declares.
type graphKey struct {
	name       string // "" if it is none of an attribute
	domain     string // node, edge or all
	kind       Type
	initial    []byte // the default
	hasInitial bool
	line       int64
	column     int  // byte of the line
	place      int  // in columns, or placeNone
	role       role // in edges
}

func readGraphML(f *feed, opts Options, h Handler) (ReadStats, error) {
	g := &graphML{xmlReader: newXMLReader(f, &opts.EdgeListOptions), opts: opts, h: h, byID: map[string]*graphKey{}, text: []byte{}}
	err := g.document()
	if err == nil {
		f.finish()
	}
	line, _ := g.decoder.InputPos()
	g.stats.Lines, g.stats.Bytes = int64(line), g.source.offset()
	return g.stats, err
}

// document reads the whole text.
func (g *graphML) document() error {
	found := false
	for {
		token, err := g.token()
		switch {
		case err == io.EOF && found:
			return nil
		case err == io.EOF:
			return g.fault(ErrSyntax, "expected a graph in GraphML, found the end")
		case err != nil:
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "graphml" {
			return g.fault(ErrSyntax, "expected the element graphml, found %s", excerpt([]byte(start.Name.Local)))
		}
		if err := g.children(g.top); err != nil {
			return err
		}
		if !g.begun {
			return g.fault(ErrSyntax, "expected an element graph inside graphml, found its end")
		}
		found = true
	}
}

// top reads an element inside graphml.
func (g *graphML) top(e xml.StartElement) error {
	switch {
	case e.Name.Local == "key" && g.begun:
		return g.fault(ErrSyntax, "a key is declared behind the graph")
	case e.Name.Local == "key":
		return g.key(e)
	case e.Name.Local == "graph" && g.begun:
		return g.fault(ErrSyntax, "a second graph; put every graph into a file of its own")
	case e.Name.Local == "graph":
		g.begun = true
		if err := g.resolve(); err != nil {
			return err
		}
		return g.children(g.part)
	case e.Name.Local == "node" || e.Name.Local == "edge":
		return g.fault(ErrSyntax, "the element %s stands outside a graph", e.Name.Local)
	}
	return g.skip()
}

// key reads the declaration of a key.
func (g *graphML) key(e xml.StartElement) error {
	k := &graphKey{name: attribute(e, "attr.name"), domain: attribute(e, "for"), place: placeNone, line: g.line, column: g.column}
	id, kind := attribute(e, "id"), attribute(e, "attr.type")
	switch kind {
	case "", "string":
		k.kind = Text
	case "int", "long", "integer":
		k.kind = Integer
	case "float", "double":
		k.kind = Float
	case "boolean":
		k.kind = Boolean
	default:
		return g.fault(ErrSyntax, "key %s has the unknown type %s", excerpt([]byte(id)), excerpt([]byte(kind)))
	}
	switch {
	case id == "":
		return g.fault(ErrSyntax, "a key without an id")
	case g.byID[id] != nil:
		return g.fault(ErrSyntax, "key %s is declared twice", excerpt([]byte(id)))
	case len(g.keys) == g.opts.MaxColumns:
		return g.fault(ErrLimit, "more than %d keys are declared", g.opts.MaxColumns)
	}
	if k.domain == "" {
		k.domain = "all"
	}
	g.byID[id] = k
	g.keys = append(g.keys, k)
	return g.children(func(child xml.StartElement) error {
		if child.Name.Local != "default" || k.name == "" {
			return g.skip()
		}
		k.hasInitial = true
		text, err := g.content()
		k.initial = bytes.Clone(text)
		return err
	})
}

func (k *graphKey) of(element string) bool {
	return k.name != "" && (k.domain == element || k.domain == "all")
}

// resolve decides, once all keys are known, what becomes of each.
func (g *graphML) resolve() error {
	if g.flaw != nil {
		return g.flaw // of a default
	}
	if err := g.resolveNodes(); err != nil {
		return err
	}
	if err := g.resolveEdges(); err != nil {
		return err
	}
	g.values = make([][]byte, len(g.columns))
	if len(g.columns) == 0 {
		return nil
	}
	return g.h.Columns(g.columns)
}

// resolveNodes makes a column of all keys of nodes that have the same name:
// some programs declare one for every type that its values have.
func (g *graphML) resolveNodes() error {
	for _, wanted := range g.opts.Columns {
		if !slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.of("node") && k.name == wanted }) {
			return g.fault(ErrSyntax, "no key of nodes is called %s", excerpt([]byte(wanted)))
		}
	}
	for _, k := range g.keys {
		if !k.of("node") || g.opts.Columns != nil && !slices.Contains(g.opts.Columns, k.name) {
			continue
		}
		k.place = slices.IndexFunc(g.columns, func(c Column) bool { return c.Name == k.name })
		if k.place < 0 {
			k.place = len(g.columns)
			g.columns = append(g.columns, Column{k.name, k.kind})
			g.defaults = append(g.defaults, nil)
		}
		g.columns[k.place].Type = g.columns[k.place].Type.Or(k.kind)
		if k.hasInitial {
			value, reason := k.value(k.initial)
			if reason != "" {
				return &LineError{g.opts.Name, k.line, k.column, reason, ErrSyntax}
			}
			g.defaults[k.place] = value
		}
	}
	return nil
}

// resolveEdges finds the keys of weight and time.
func (g *graphML) resolveEdges() error {
	wanted := g.opts.wanted()
	for r := roleWeight; r <= roleTime; r++ {
		if wanted[r] == NoColumn {
			continue
		}
		name := wanted[r]
		for _, k := range g.keys {
			if name == "" && k.of("edge") && usualRole(k.name) == r {
				name = k.name
			}
		}
		for _, k := range g.keys {
			if name != "" && k.of("edge") && k.name == name {
				k.role = r
				if k.hasInitial && r == roleWeight {
					g.weight = k.initial
				} else if k.hasInitial {
					g.time = k.initial
				}
			}
		}
		if wanted[r] != "" && !slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.role == r }) {
			return g.fault(ErrSyntax, "no key of edges is called %s", excerpt([]byte(name)))
		}
	}
	return nil
}

// part reads an element inside the graph.
func (g *graphML) part(e xml.StartElement) error {
	switch e.Name.Local {
	case "node":
		return g.node(e)
	case "edge":
		return g.edge(e)
	case "hyperedge":
		return g.fault(ErrSyntax, "hyperedges are not read: an edge has two ends")
	case "graph":
		return g.fault(ErrSyntax, "a graph inside a graph is not read")
	}
	return g.skip()
}

// wrong notes what is wrong with the element being read, if nothing was before.
func (g *graphML) wrong(kind error, format string, args ...any) {
	if g.flaw == nil {
		g.flaw = g.fault(kind, format, args...)
	}
}

// begin prepares for the next node or edge.
func (g *graphML) begin() { g.flaw, g.text = nil, g.text[:0] }

// passed reports whether the element was sound. If not, it ends the read or
// counts the element under SkipBad.
func (g *graphML) passed() (bool, error) {
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

// id returns the key of a vertex that an attribute of an element holds.
func (g *graphML) id(e xml.StartElement, name string) []byte {
	start := len(g.text)
	g.text = append(g.text, attribute(e, name)...)
	id := g.text[start:len(g.text):len(g.text)]
	switch {
	case len(id) == 0:
		g.wrong(ErrSyntax, "the element %s has no %s", e.Name.Local, name)
	case len(id) > g.opts.MaxKey:
		g.wrong(ErrLimit, "key %s has %d bytes, the limit is %d", excerpt(id), len(id), g.opts.MaxKey)
	}
	return id
}

// node reads a vertex and its values.
func (g *graphML) node(e xml.StartElement) error {
	g.begin()
	id := g.id(e, "id")
	copy(g.values, g.defaults)
	err := g.children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "data":
			return g.nodeData(child)
		case "graph":
			return g.fault(ErrSyntax, "a graph inside a node is not read")
		case "port":
			return g.fault(ErrSyntax, "ports of nodes are not read")
		}
		return g.skip()
	})
	if err != nil {
		return err
	}
	if ok, err := g.passed(); !ok {
		return err
	}
	g.stats.Vertices++
	return g.h.Vertex(id, g.values)
}

func (g *graphML) nodeData(e xml.StartElement) error {
	k := g.declared(e)
	if k == nil || k.place == placeNone {
		return g.skip()
	}
	line, column := g.line, g.column
	text, err := g.content()
	if err != nil {
		return err
	}
	g.line, g.column = line, column // what is wrong is wrong here
	value, reason := k.value(text)
	if reason != "" {
		g.wrong(ErrSyntax, "%s", reason)
	}
	g.values[k.place] = value
	return nil
}

// declared returns the key that data refer to, or nil if there is none.
func (g *graphML) declared(e xml.StartElement) *graphKey {
	id := attribute(e, "key")
	k := g.byID[id]
	if k == nil {
		g.wrong(ErrSyntax, "the key %s of data is not declared", excerpt([]byte(id)))
	}
	return k
}

// value brings the text of data into the form of its type; nil is missing. The
// reason says why it has none.
func (k *graphKey) value(text []byte) (value []byte, reason string) {
	if k.kind == Text {
		return text, ""
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, ""
	}
	if k.kind == Boolean {
		switch strings.ToLower(string(text[:min(len(text), len("false")+1)])) {
		case "true", "1":
			return []byte("true"), ""
		case "false", "0":
			return []byte("false"), ""
		}
	}
	if reason = valueFault(k.kind, text); reason != "" {
		return nil, fmt.Sprintf("%s: %s", excerpt([]byte(k.name)), reason)
	}
	return text, ""
}

// edge reads an edge with its weight and time.
func (g *graphML) edge(e xml.StartElement) error {
	g.begin()
	if attribute(e, "sourceport") != "" || attribute(e, "targetport") != "" {
		return g.fault(ErrSyntax, "ports of nodes are not read")
	}
	edge := Edge{Source: g.id(e, "source"), Target: g.id(e, "target"), Weight: 1}
	weight, time := g.weight, g.time
	line, column := g.line, g.column
	err := g.children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "graph":
			return g.fault(ErrSyntax, "a graph inside an edge is not read")
		case "data":
		default:
			return g.skip()
		}
		k := g.declared(child)
		if k == nil || k.role == roleIgnored {
			return g.skip()
		}
		text, err := g.content()
		if k.role == roleWeight {
			weight = text
		} else {
			time = text
		}
		return err
	})
	if err != nil {
		return err
	}
	g.line, g.column = line, column
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
func (g *graphML) measure(edge *Edge, weight, time []byte) {
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

// content reads the text of an element to its end. Of a text beyond the limit
// only the beginning is kept, and it is noted as wrong.
func (g *graphML) content() ([]byte, error) {
	start := len(g.text)
	for {
		token, err := g.token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			room := g.opts.MaxValue - (len(g.text) - start)
			if len(t) > room {
				g.wrong(ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
			}
			g.text = append(g.text, t[:min(len(t), room)]...)
		case xml.StartElement:
			g.wrong(ErrSyntax, "an element inside the text of a value")
			if err := g.skip(); err != nil {
				return nil, err
			}
		case xml.EndElement:
			return g.text[start:len(g.text):len(g.text)], nil
		}
	}
}
