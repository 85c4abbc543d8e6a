package graphtext

import (
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// gexf reads GEXF, the format of Gephi, versions 1.1 to 1.3. The ids of the nodes are the keys
// of the vertices. A label that differs from its id becomes the attribute "label", unless the
// text declares an attribute of this name, and so does that of an edge. Without an attribute that is the time,
// the start of an edge is, as an integer or a date. Data for drawing and other times are left out; nested
// nodes are refused.
type gexf struct {
	xmlElements
	begun, resolved bool
	labels          [2]int   // the columns of labels of nodes and of edges, or one of the constants below
	timed           []string // the XML attributes of edges that can be their time, the first first
}

// gexfTimes are the XML attributes that can be the time of an edge if the options name them. The first
// that an edge has is, of start and timestamp, if they name none.
var gexfTimes = []string{"start", "timestamp", "end"}

// gexfLabel is the attribute that stores the labels of vertices and of edges.
const gexfLabel = "label"

// Values of gexf.labels when labels have no column.
const (
	labelNone    = -1 // no label was read yet
	labelLeftOut = -2 // labels are not taken
)

func readGEXF(f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	g := &gexf{xmlElements: newXMLElements(f, opts, h), labels: [2]int{labelNone, labelNone}}
	err := g.Document("gexf", "GEXF", &g.begun, g.top)
	for of, set := range []*reading.Attributes{&g.ofNodes, &g.ofEdges} {
		if label := g.labels[of]; err == nil && label >= 0 {
			set.Columns[label].Type = format.Text
			err = set.Pass(set.Columns)
		}
	}
	err = g.finish(f, err)
	return g.stats.ReadStats, err
}

func (g *gexf) top(e xml.StartElement) error {
	switch {
	case e.Name.Local != "graph":
		return g.Skip()
	case g.begun:
		return g.Fault(format.ErrSyntax, "a second graph; put every graph into a file of its own")
	}
	g.begun = true
	if err := g.direct(tokens.Attribute(e, "defaultedgetype") == "directed"); err != nil {
		return err
	}
	return g.Children(g.part)
}

// part reads an element inside the graph.
func (g *gexf) part(e xml.StartElement) error {
	switch e.Name.Local {
	case "attributes":
		if g.resolved {
			return g.Fault(format.ErrSyntax, "attributes are declared after nodes or edges")
		}
		class := tokens.Attribute(e, "class")
		return g.Children(func(e xml.StartElement) error { return g.declaration(e, class) })
	case "nodes":
		return g.list(g.node)
	case "edges":
		return g.list(g.edge)
	}
	return g.Skip()
}

// list reads the nodes or the edges.
func (g *gexf) list(element func(xml.StartElement) error) error {
	if err := g.ready(); err != nil {
		return err
	}
	return g.Children(element)
}

// ready decides, once, how each attribute is used.
func (g *gexf) ready() error {
	if g.resolved {
		return nil
	}
	g.resolved = true
	if err := g.resolve(impliedNames{delimited.Ignored: {gexfLabel}, delimited.Weight: {"weight"}, delimited.Time: gexfTimes}); err != nil {
		return err
	}
	keyed := slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.role == delimited.Time })
	switch {
	case keyed || g.opts.Time == format.NoColumn:
	case g.opts.Time != "":
		g.timed = []string{g.opts.Time}
	default:
		g.timed = gexfTimes[:2] // the end alone says little
	}
	if g.ofNodes.Place[gexfLabel] > 0 || g.opts.Columns != nil && !slices.Contains(g.opts.Columns, gexfLabel) {
		g.labels[nodePlace] = labelLeftOut
	}
	if g.ofEdges.Place[gexfLabel] > 0 || g.ofEdges.Pass == nil {
		g.labels[edgePlace] = labelLeftOut
	}
	return nil
}

// declaration reads the declaration of an attribute of nodes or edges.
func (g *gexf) declaration(e xml.StartElement, class string) error {
	if e.Name.Local != "attribute" {
		return g.Skip()
	}
	k := &graphKey{name: tokens.Attribute(e, "title"), domain: class, place: [2]int{reading.PlaceNone, reading.PlaceNone}, line: g.Line, column: g.Column}
	switch tokens.Attribute(e, "type") {
	case "byte", "short", "integer", "long":
		k.kind = format.Integer
	case "float", "double":
		k.kind = format.Float
	case "boolean":
		k.kind = format.Boolean
	default:
		k.kind = format.Text // also for numbers with more digits than the types hold, dates and lists
	}
	if err := g.declare(class+"\x00"+tokens.Attribute(e, "id"), k); err != nil {
		return err
	}
	return g.initial(k)
}

// node reads a vertex and its values.
func (g *gexf) node(e xml.StartElement) error {
	if e.Name.Local != "node" {
		return g.Skip()
	}
	g.begin()
	id := g.key(tokens.Attribute(e, "id"), "node", "id")
	copy(g.ofNodes.Values, g.defaults[nodePlace])
	err := g.Children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "attvalues":
			return g.Children(func(e xml.StartElement) error { return g.value(e, nodePlace, nil) })
		case "nodes", "edges", "graph":
			return g.Fault(format.ErrSyntax, "a graph inside a node is not read")
		case "spells":
			g.times.Add("spells of nodes", g.here)
		default:
			g.other.Add(child.Name.Local, g.here)
		}
		return g.Skip()
	})
	if err != nil {
		return err
	}
	for _, a := range e.Attr {
		switch name := a.Name.Local; {
		case name == "id" || name == "label" || a.Name.Space != "" || name == "xmlns":
		case isPeriod(name):
			g.times.Add(name+" of nodes", g.here)
		default:
			g.other.Add(name, g.here)
		}
	}
	if label := tokens.Attribute(e, "label"); label != "" && label != string(id) {
		if err := g.labelled(nodePlace, label); err != nil {
			return err
		}
	}
	return g.vertex(id)
}

// labelled takes the label of a node or an edge as a value.
func (g *gexf) labelled(of int, label string) error {
	set := g.set(of)
	switch {
	case g.labels[of] == labelLeftOut:
		return nil
	case len(label) > g.opts.MaxValue:
		g.wrong(format.ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
		return nil
	case g.labels[of] == labelNone:
		g.labels[of] = set.Add(format.Column{Name: gexfLabel})
		g.defaults[of] = append(g.defaults[of], nil)
		if err := set.Pass(set.Columns); err != nil {
			return err
		}
	}
	set.Values[g.labels[of]] = []byte(label)
	return nil
}

// value reads a value of a node or an edge; field takes those of edges that have a role.
func (g *gexf) value(e xml.StartElement, of int, field *[delimited.Roles][]byte) error {
	class := [...]string{nodePlace: "node", edgePlace: "edge"}[of]
	k := g.declared(e, class)
	switch {
	case k == nil:
	case of == edgePlace && k.role != delimited.Ignored:
		field[k.role] = []byte(tokens.Attribute(e, "value"))
	case k.place[of] != reading.PlaceNone:
		if len(e.Attr) > 2 && slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return isPeriod(a.Name.Local) }) {
			g.periods.Add(k.name, g.here)
		}
		g.keep(k, of, []byte(tokens.Attribute(e, "value")))
	case of == edgePlace:
		g.leaveOut(k.name)
	}
	return g.Skip()
}

// declared returns the attribute to which a value belongs, or nil if there is none.
func (g *gexf) declared(e xml.StartElement, class string) *graphKey {
	id := cmp.Or(tokens.Attribute(e, "for"), tokens.Attribute(e, "id")) // version 1.0 calls it id
	k := g.byID[class+"\x00"+id]
	if k == nil {
		g.wrong(format.ErrSyntax, "the attribute %s of a value is not declared", excerpt.Of([]byte(id)))
	}
	return k
}

// isPeriod reports whether an XML attribute says when an element exists.
func isPeriod(name string) bool {
	return slices.Contains(gexfTimes, name) || name == "startopen" || name == "endopen" || name == "timestamps" || name == "intervals"
}

// edge reads an edge with its weight, its time and its attributes.
func (g *gexf) edge(e xml.StartElement) error {
	if e.Name.Local != "edge" {
		return g.Skip()
	}
	g.beginEdge()
	edge := format.Edge{Source: g.key(tokens.Attribute(e, "source"), "edge", "source"), Target: g.key(tokens.Attribute(e, "target"), "edge", "target"), Weight: 1}
	field := g.initials
	when, err := g.ownValues(e, &field)
	if err != nil {
		return err
	}
	line, column := g.Line, g.Column
	err = g.Children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "attvalues":
			return g.Children(func(e xml.StartElement) error { return g.value(e, edgePlace, &field) })
		case "spells":
			return g.Children(func(e xml.StartElement) error { return g.spell(e, &when) })
		}
		g.other.Add(child.Name.Local, g.here)
		return g.Skip()
	})
	if err != nil {
		return err
	}
	g.Line, g.Column = line, column
	if when != "" {
		text := []byte(when)
		if _, _, _, ok := figure.Time(text); ok || g.opts.Time != "" {
			field[delimited.Time] = text
		} else {
			g.times.Add(when, g.here)
		}
	}
	return g.deliver(edge, field)
}

// ownValues reads the XML attributes of an edge other than its ends. It returns the time.
func (g *gexf) ownValues(e xml.StartElement, field *[delimited.Roles][]byte) (when string, err error) {
	rank := len(gexfTimes)
	for i := range e.Attr {
		a := &e.Attr[i]
		switch name := a.Name.Local; {
		case name == "source" || name == "target" || name == "id" || a.Value == "" || a.Name.Space != "" || name == "xmlns":
		case name == "weight":
			if g.opts.Weight == "" || g.opts.Weight == name {
				field[delimited.Weight] = []byte(a.Value)
			} else {
				g.leaveOut(name)
			}
		case name == "type":
			g.turn(a.Value == "directed" || a.Value == "mutual", "type="+a.Value)
			g.course.Both = a.Value == "mutual"
		case name == gexfLabel && g.labels[edgePlace] != labelLeftOut:
			if err := g.labelled(edgePlace, a.Value); err != nil {
				return "", err
			}
		case isPeriod(name):
			if at := slices.Index(g.timed, name); at >= 0 && at < rank {
				rank, when = at, a.Value
			} else if g.opts.Time != format.NoColumn {
				g.times.Add(name+" of edges", g.here)
			}
		default:
			g.leaveOut(name)
		}
	}
	return when, nil
}

// spell reads one of the times at which an edge exists. The first is the time of an edge that has
// none of its own.
func (g *gexf) spell(e xml.StartElement, when *string) error {
	start := ""
	for _, name := range g.timed {
		start = cmp.Or(start, tokens.Attribute(e, name))
	}
	switch {
	case *when == "" && start != "":
		*when = start
		if end := tokens.Attribute(e, "end"); end != "" && end != start {
			g.times.Add("end of edges", g.here)
		}
	case g.opts.Time != format.NoColumn:
		g.times.Add("spells of edges", g.here)
	}
	return g.Skip()
}

// WriteGEXF writes a graph as GEXF 1.2, which Gephi and networkx read: first all vertices with
// their attributes, then all edges with their weights and attributes, of which the time is one. A
// vertex is labelled by its attribute "label", or by its key if that has no value. graphfile.Read reads
// the same graph back. It refuses what WriteGraphML refuses.
func WriteGEXF(ctx context.Context, w io.Writer, g format.Graph) error {
	x := gexfWriter{xmlWriter: xmlWriter{writing.NewGraphWriter(ctx, w, &g)}, label: reading.PlaceNone}
	return writing.Error("GEXF", x.write())
}

type gexfWriter struct {
	xmlWriter
	label int // the column of labels
}

const (
	// Version 1.3 differs only in elements that are not written here, and networkx before
	// version 3.4 does not accept its name space.
	gexfStart = `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>heavytail</creator></meta>
<graph mode="static" defaultedgetype="`
	gexfEnd = "</edges>\n</graph>\n</gexf>\n"
)

func (x *gexfWriter) write() error {
	head, err := x.appendHead([]byte(gexfStart + directedness(x.G) + "\">\n"))
	if err != nil {
		return err
	}
	x.Write(append(head, "<nodes>\n"...))
	return x.Elements(x.appendNode, "</nodes>\n<edges>\n", x.appendEdge, gexfEnd)
}

// appendHead appends the declarations of the attributes.
func (x *gexfWriter) appendHead(dst []byte) ([]byte, error) {
	if err := x.checkNames(); err != nil {
		return nil, err
	}
	x.label = slices.IndexFunc(x.G.Columns, func(c format.Column) bool { return c.Name == gexfLabel && typed.OrText(c.Type) == format.Text })
	if len(x.G.Columns) > 0 {
		dst = append(dst, "<attributes class=\"node\" mode=\"static\">\n"...)
		dst = append(appendAttributes(dst, x.G.Columns, "d"), "</attributes>\n"...)
	}
	var roles []byte
	if writing.Named(x.G, delimited.Weight) { // a declared key comes before the weight of an edge
		roles = append(roles, `<attribute id="weight" title="weight" type="double"/>`...)
	}
	if x.G.Timed || writing.Claimed(x.G, delimited.Time) {
		kind := "long"
		if x.G.Times != format.TimeNumbers {
			kind = "string"
		}
		roles = append(roles, `<attribute id="time" title="time" type="`+kind+`"/>`...)
	}
	if len(roles) == 0 && len(x.G.EdgeColumns) == 0 {
		return dst, nil
	}
	dst = append(append(dst, `<attributes class="edge" mode="static">`...), roles...)
	if len(x.G.EdgeColumns) > 0 {
		dst = appendAttributes(append(dst, '\n'), x.G.EdgeColumns, "e")
	}
	return append(dst, "</attributes>\n"...), nil
}

// appendAttributes appends the declarations of attributes.
func appendAttributes(dst []byte, columns []format.Column, id string) []byte {
	for i, c := range columns {
		dst = append(strconv.AppendInt(append(append(dst, `  <attribute id="`...), id...), int64(i), 10), `" title="`...)
		dst = append(appendEscaped(dst, []byte(c.Name)), `" type="`...)
		dst = append(append(dst, typed.Name(c.Type)...), "\"/>\n"...)
	}
	return dst
}

func (x *gexfWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<node id="`...), v)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `" label="`...)
	label := x.Scratch
	if x.label >= 0 {
		if value, ok, err := x.columnText(x.label, v); err == nil && ok && len(value) > 0 {
			label = value
		} else {
			label = x.G.Key(x.Scratch[:0], v)
		}
	}
	dst = append(appendEscaped(dst, label), '"')
	const open = "><attvalues>"
	dst = append(dst, open...)
	bare := len(dst)
	if dst, err = x.appendValues(dst, v, `<attvalue for="d`, `" value="`, `"/>`); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(open)], "/>\n"...), nil
	}
	return append(dst, "</attvalues></node>\n"...), nil
}

func (x *gexfWriter) appendEdge(dst []byte, e format.NumberedEdge) ([]byte, error) {
	dst = strconv.AppendInt(append(dst, `<edge id="`...), int64(x.Edge), 10) // which edges need in version 1.2
	dst, err := x.appendID(append(dst, `" source="`...), e.Source)
	if err != nil {
		return nil, err
	}
	if dst, err = x.appendID(append(dst, `" target="`...), e.Target); err != nil {
		return nil, err
	}
	dst = append(dst, '"')
	if x.G.Weighted {
		if dst, err = writing.AppendWeight(append(dst, ` weight="`...), e); err != nil {
			return nil, err
		}
		dst = append(dst, '"')
	}
	const open = "><attvalues>"
	dst = append(dst, open...)
	bare := len(dst)
	if x.G.Timed && e.Timed {
		dst = append(x.G.Times.Append(append(dst, `<attvalue for="time" value="`...), e.Time), `"/>`...)
	}
	if dst, err = x.appendEdgeValues(dst, e, `<attvalue for="e`, `" value="`, `"/>`); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(open)], "/>\n"...), nil
	}
	return append(dst, "</attvalues></edge>\n"...), nil
}
