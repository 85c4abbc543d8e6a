package graphtext

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// graphML reads GraphML. The ids of the nodes are the keys of the vertices, and the declared
// keys of nodes and of edges are their attributes. Ids of edges, ports and the data of other programs are
// left out. Nested graphs and hyperedges, which a graph here cannot store, are refused.
type graphML struct {
	xmlElements
	begun bool // the graph element was reached
}

func readGraphML(f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	g := &graphML{xmlElements: newXMLElements(f, opts, h)}
	err := g.Document("graphml", "GraphML", &g.begun, g.top)
	err = g.finish(f, err)
	return g.stats.ReadStats, err
}

func (g *graphML) top(e xml.StartElement) error {
	switch {
	case e.Name.Local == "key" && g.begun:
		return g.Fault(format.ErrSyntax, "a key is declared after the graph")
	case e.Name.Local == "key":
		return g.declaration(e)
	case e.Name.Local == "graph" && g.begun:
		return g.Fault(format.ErrSyntax, "a second graph; put every graph into a file of its own")
	case e.Name.Local == "graph":
		g.begun = true
		if err := g.direct(tokens.Attribute(e, "edgedefault") == "directed"); err != nil {
			return err
		}
		if err := g.resolve(impliedNames{}); err != nil {
			return err
		}
		return g.Children(g.part)
	case e.Name.Local == "node" || e.Name.Local == "edge":
		return g.Fault(format.ErrSyntax, "the element %s is outside a graph", e.Name.Local)
	}
	return g.part(e)
}

func (g *graphML) declaration(e xml.StartElement) error {
	k := &graphKey{name: tokens.Attribute(e, "attr.name"), domain: tokens.Attribute(e, "for"), place: [2]int{reading.PlaceNone, reading.PlaceNone}, line: g.Line, column: g.Column}
	id, kind := tokens.Attribute(e, "id"), tokens.Attribute(e, "attr.type")
	k.use = cmp.Or(tokens.Attribute(e, "yfiles.type"), id)
	switch kind {
	case "", "string":
		k.kind = format.Text
	case "int", "long", "integer":
		k.kind = format.Integer
	case "float", "double":
		k.kind = format.Float
	case "boolean":
		k.kind = format.Boolean
	default:
		return g.Fault(format.ErrSyntax, "key %s has the unknown type %s", excerpt.Of([]byte(id)), excerpt.Of([]byte(kind)))
	}
	if id == "" {
		return g.Fault(format.ErrSyntax, "a key without an id")
	}
	if k.domain == "" {
		k.domain = "all"
	}
	if err := g.declare(id, k); err != nil {
		return err
	}
	return g.initial(k)
}

func (g *graphML) part(e xml.StartElement) error {
	switch e.Name.Local {
	case "node":
		return g.node(e)
	case "edge":
		return g.edge(e)
	case "hyperedge":
		return g.Fault(format.ErrSyntax, "hyperedges are not read: an edge has two ends")
	case "graph":
		return g.Fault(format.ErrSyntax, "a graph inside a graph is not read")
	case "data":
		if k := g.byID[tokens.Attribute(e, "key")]; k != nil {
			g.graphValues.Add(k.title(), g.here)
		}
	default:
		g.other.Add(e.Name.Local, g.here)
	}
	return g.Skip()
}

func (g *graphML) id(e xml.StartElement, name string) []byte {
	return g.key(tokens.Attribute(e, name), e.Name.Local, name)
}

// node reads a vertex and its values.
func (g *graphML) node(e xml.StartElement) error {
	g.begin()
	id := g.id(e, "id")
	copy(g.ofNodes.Values, g.defaults[nodePlace])
	err := g.Children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "data":
			return g.nodeData(child)
		case "graph":
			return g.Fault(format.ErrSyntax, "a graph inside a node is not read")
		}
		g.other.Add(child.Name.Local, g.here)
		return g.Skip()
	})
	if err != nil {
		return err
	}
	return g.vertex(id)
}

func (g *graphML) nodeData(e xml.StartElement) error {
	k := g.declared(e)
	if k == nil || k.place[nodePlace] == reading.PlaceNone {
		if k != nil && !k.of("node") {
			g.programs.Add(k.title(), g.here)
		}
		return g.Skip()
	}
	return g.value(k, nodePlace)
}

// value reads a value of an attribute.
func (g *graphML) value(k *graphKey, of int) error {
	line, column := g.Line, g.Column
	text, err := g.content(k)
	if err != nil {
		return err
	}
	g.Line, g.Column = line, column // a fault of the value is reported at the start of its element
	if text != nil {
		g.keep(k, of, text)
	}
	return nil
}

// declared returns the key to which a data element refers, or nil if there is none.
func (g *graphML) declared(e xml.StartElement) *graphKey {
	id := tokens.Attribute(e, "key")
	k := g.byID[id]
	if k == nil {
		g.wrong(format.ErrSyntax, "the key %s of data is not declared", excerpt.Of([]byte(id)))
	}
	return k
}

// edge reads an edge with its weight, its time and its attributes.
func (g *graphML) edge(e xml.StartElement) error {
	g.beginEdge()
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "sourceport", "targetport":
			g.other.Add(a.Name.Local, g.here)
		case "directed":
			g.turn(a.Value == "true" || a.Value == "1", "directed="+a.Value)
		}
	}
	edge := format.Edge{Source: g.id(e, "source"), Target: g.id(e, "target"), Weight: 1}
	field := g.initials
	line, column := g.Line, g.Column
	err := g.Children(func(child xml.StartElement) (err error) {
		switch child.Name.Local {
		case "graph":
			return g.Fault(format.ErrSyntax, "a graph inside an edge is not read")
		case "data":
		default:
			g.other.Add(child.Name.Local, g.here)
			return g.Skip()
		}
		k := g.declared(child)
		switch {
		case k == nil:
			return g.Skip()
		case k.role == delimited.Ignored && !k.of("edge"):
			g.programs.Add(k.title(), g.here)
			return g.Skip()
		case k.place[edgePlace] != reading.PlaceNone:
			return g.value(k, edgePlace)
		case k.role == delimited.Ignored:
			g.leaveOut(k.name)
			return g.Skip()
		}
		field[k.role], err = g.content(k)
		return err
	})
	if err != nil {
		return err
	}
	g.Line, g.Column = line, column
	return g.deliver(edge, field)
}

// WriteGraphML writes a graph as GraphML: all vertices with their attributes, under typed keys,
// then all edges with theirs, with their weights if the graph is weighted and their times if it is timed,
// under the keys "weight" and "time". These keys are also declared where an attribute of edges has a name that readers take for
// theirs. graphfile.Read reads the same graph back.
//
// A key, a name or a text with a character that XML cannot represent (control characters except
// tab and line breaks, U+FFFE, U+FFFF) gives a *format.KeyError or a *format.ValueError that names it. A key
// that rowtext.WriteEdges refuses gives a *format.KeyError, and a value that does not have its attribute's
// type gives a *format.ValueError.
func WriteGraphML(ctx context.Context, w io.Writer, g format.Graph) error {
	x := xmlWriter{writing.NewGraphWriter(ctx, w, &g)}
	return writing.Error("GraphML", x.write())
}

type xmlWriter struct{ writing.GraphWriter }

const (
	graphMLStart = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
`
	graphMLEnd = "</graph>\n</graphml>\n"
	// The ids of the keys of weights and times. Those of attributes of vertices are d0, d1, … and those of
	// attributes of edges e0, e1, …
	weightKey = `  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>` + "\n"
	timeKey   = `  <key id="time" for="edge" attr.name="time" attr.type="long"/>` + "\n"
	dateKey   = `  <key id="time" for="edge" attr.name="time" attr.type="string"/>` + "\n"
)

func (x *xmlWriter) write() error {
	head, err := x.appendHead([]byte(graphMLStart))
	if err != nil {
		return err
	}
	x.Write(head)
	return x.Elements(x.appendNode, "", x.appendEdge, graphMLEnd)
}

// columnText returns the value of a vertex, after checking that XML can represent it.
func (x *xmlWriter) columnText(column int, v uint32) ([]byte, bool, error) {
	value, ok, err := x.Value(column, v)
	if err == nil && ok {
		if reason := xmlFault(value); reason != "" {
			err = writing.ValueError(x.G, column, v, reason)
		}
	}
	return value, ok, err
}

// edgeText is columnText for an attribute of the edge that is being written.
func (x *xmlWriter) edgeText(column int, e format.NumberedEdge) ([]byte, bool, error) {
	value, ok, err := x.EdgeValue(column, e)
	if err == nil && ok {
		if reason := xmlFault(value); reason != "" {
			err = writing.EdgeError(x.G, column, e, reason)
		}
	}
	return value, ok, err
}

// checkNames refuses names of attributes that XML cannot represent.
func (x *xmlWriter) checkNames() error {
	fit := func(name string) string { return xmlFault([]byte(name)) }
	if err := writing.CheckColumns(x.G.Columns, fit); err != nil {
		return err
	}
	return writing.CheckEdgeColumns(x.G.EdgeColumns, fit)
}

// directedness is the word for the direction of the edges.
func directedness(g *format.Graph) string {
	if g.Directed {
		return "directed"
	}
	return "undirected"
}

// appendHead appends the keys and the beginning of the graph.
func (x *xmlWriter) appendHead(dst []byte) ([]byte, error) {
	if err := x.checkNames(); err != nil {
		return nil, err
	}
	dst = appendKeyElements(dst, x.G.Columns, "d", "node")
	if x.G.Weighted || writing.Claimed(x.G, delimited.Weight) {
		dst = append(dst, weightKey...)
	}
	switch {
	case x.G.Timed && x.G.Times == format.TimeNumbers || writing.Claimed(x.G, delimited.Time):
		dst = append(dst, timeKey...)
	case x.G.Timed:
		dst = append(dst, dateKey...)
	}
	dst = appendKeyElements(dst, x.G.EdgeColumns, "e", "edge")
	return append(append(append(dst, `<graph edgedefault="`...), directedness(x.G)...), "\">\n"...), nil
}

// appendKeyElements appends the keys of attributes.
func appendKeyElements(dst []byte, columns []format.Column, id, of string) []byte {
	for i, c := range columns {
		dst = append(strconv.AppendInt(append(append(dst, `  <key id="`...), id...), int64(i), 10), `" for="`...)
		dst = append(append(dst, of...), `" attr.name="`...)
		dst = append(appendEscaped(dst, []byte(c.Name)), `" attr.type="`...)
		dst = append(dst, typed.Name(c.Type)...)
		dst = append(dst, "\"/>\n"...)
	}
	return dst
}

// appendID appends the key of a vertex inside an attribute.
func (x *xmlWriter) appendID(dst []byte, v uint32) (_ []byte, err error) {
	x.Scratch, err = writing.CheckedKey(x.G.Key, x.Scratch[:0], v, writing.CheckKey, xmlFault)
	return appendEscaped(dst, x.Scratch), err
}

// appendValues appends the values of a vertex, each as an element that consists of start, the
// number of the column, the text before the value, the value and end.
func (x *xmlWriter) appendValues(dst []byte, v uint32, start, before, end string) ([]byte, error) {
	return appendElements(dst, len(x.G.Columns), func(i int) ([]byte, bool, error) { return x.columnText(i, v) }, start, before, end)
}

// appendEdgeValues does the same for the edge that is being written.
func (x *xmlWriter) appendEdgeValues(dst []byte, e format.NumberedEdge, start, before, end string) ([]byte, error) {
	return appendElements(dst, len(x.G.EdgeColumns), func(i int) ([]byte, bool, error) { return x.edgeText(i, e) }, start, before, end)
}

func appendElements(dst []byte, columns int, text func(i int) ([]byte, bool, error), start, before, end string) ([]byte, error) {
	for i := range columns {
		value, ok, err := text(i)
		if err != nil {
			return nil, err
		}
		if ok {
			dst = append(strconv.AppendInt(append(dst, start...), int64(i), 10), before...)
			dst = append(appendEscaped(dst, value), end...)
		}
	}
	return dst, nil
}

func (x *xmlWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<node id="`...), v)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `">`...)
	bare := len(dst)
	if dst, err = x.appendValues(dst, v, `<data key="d`, `">`, "</data>"); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(">")], "/>\n"...), nil
	}
	return append(dst, "</node>\n"...), nil
}

func (x *xmlWriter) appendEdge(dst []byte, e format.NumberedEdge) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<edge source="`...), e.Source)
	if err != nil {
		return nil, err
	}
	if dst, err = x.appendID(append(dst, `" target="`...), e.Target); err != nil {
		return nil, err
	}
	dst = append(dst, `">`...)
	bare := len(dst)
	if x.G.Weighted {
		if dst, err = writing.AppendWeight(append(dst, `<data key="weight">`...), e); err != nil {
			return nil, err
		}
		dst = append(dst, "</data>"...)
	}
	if x.G.Timed && e.Timed {
		dst = append(x.G.Times.Append(append(dst, `<data key="time">`...), e.Time), "</data>"...)
	}
	if dst, err = x.appendEdgeValues(dst, e, `<data key="e`, `">`, "</data>"); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(">")], "/>\n"...), nil
	}
	return append(dst, "</edge>\n"...), nil
}

// xmlFault names the first character of a text that XML cannot represent, or returns "".
func xmlFault(text []byte) string {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return fmt.Sprintf("it holds %U, which XML cannot", r)
		}
		at += size
	}
	return ""
}

// appendEscaped appends a text so that it reads back the same from an attribute and from an
// element: white space other than the blank is written as references, since readers would
// change it.
func appendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\t', '\n', '\r':
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(c), 10), ';')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
