package format

import (
	"encoding/xml"
	"slices"
)

// gexf reads GEXF, the format of Gephi, versions 1.1 to 1.3. The ids of the nodes are the keys
// of the vertices. A label that differs from its id becomes the attribute "label", unless the
// text declares an attribute of this name. Of the edges' data, only the weight and the time are
// read. Directions, data for drawing and intervals of time are ignored; nested nodes are
// refused.
type gexf struct {
	xmlElements
	begun, resolved bool
	label           int // the column of labels, or one of the constants below
}

// gexfLabel is the attribute that stores the labels of vertices.
const gexfLabel = "label"

// Values of gexf.label when labels have no column.
const (
	labelNone    = -1 // no label was read yet
	labelLeftOut = -2 // labels are not taken
)

func readGEXF(f *feed, opts Options, h Handler) (ReadStats, error) {
	g := &gexf{xmlElements: newXMLElements(f, opts, h), label: labelNone}
	err := g.document("gexf", "GEXF", &g.begun, g.top)
	if err == nil && g.label >= 0 {
		g.columns[g.label].Type = Text
		err = h.Columns(g.columns)
	}
	g.end(f, &g.stats, err)
	return g.stats, err
}

func (g *gexf) top(e xml.StartElement) error {
	switch {
	case e.Name.Local != "graph":
		return g.skip()
	case g.begun:
		return g.fault(ErrSyntax, "a second graph; put every graph into a file of its own")
	}
	g.begun = true
	g.stats.Directed = attribute(e, "defaultedgetype") == "directed"
	return g.children(g.part)
}

// part reads an element inside the graph.
func (g *gexf) part(e xml.StartElement) error {
	switch e.Name.Local {
	case "attributes":
		if g.resolved {
			return g.fault(ErrSyntax, "attributes are declared after nodes or edges")
		}
		class := attribute(e, "class")
		return g.children(func(e xml.StartElement) error { return g.declaration(e, class) })
	case "nodes":
		return g.list(g.node)
	case "edges":
		return g.list(g.edge)
	}
	return g.skip()
}

// list reads the nodes or the edges.
func (g *gexf) list(element func(xml.StartElement) error) error {
	if err := g.ready(); err != nil {
		return err
	}
	return g.children(element)
}

// ready decides, once, how each attribute is used.
func (g *gexf) ready() error {
	if g.resolved {
		return nil
	}
	g.resolved = true
	if err := g.resolve(gexfLabel, "weight"); err != nil {
		return err
	}
	if slices.ContainsFunc(g.columns, func(c Column) bool { return c.Name == gexfLabel }) ||
		g.opts.Columns != nil && !slices.Contains(g.opts.Columns, gexfLabel) {
		g.label = labelLeftOut
	}
	return nil
}

// declaration reads the declaration of an attribute of nodes or edges.
func (g *gexf) declaration(e xml.StartElement, class string) error {
	if e.Name.Local != "attribute" {
		return g.skip()
	}
	k := &graphKey{name: attribute(e, "title"), domain: class, place: placeNone, line: g.line, column: g.column}
	switch attribute(e, "type") {
	case "byte", "short", "integer", "long":
		k.kind = Integer
	case "float", "double":
		k.kind = Float
	case "boolean":
		k.kind = Boolean
	default:
		k.kind = Text // also for numbers with more digits than the types hold, dates and lists
	}
	if err := g.declare(class+"\x00"+attribute(e, "id"), k); err != nil {
		return err
	}
	return g.initial(k)
}

// node reads a vertex and its values.
func (g *gexf) node(e xml.StartElement) error {
	if e.Name.Local != "node" {
		return g.skip()
	}
	g.begin()
	id := g.key(attribute(e, "id"), "node", "id")
	copy(g.values, g.defaults)
	err := g.children(func(child xml.StartElement) error {
		switch child.Name.Local {
		case "attvalues":
			return g.children(g.nodeValue)
		case "nodes", "edges", "graph":
			return g.fault(ErrSyntax, "a graph inside a node is not read")
		}
		return g.skip()
	})
	if err != nil {
		return err
	}
	if label := attribute(e, "label"); label != "" && label != string(id) {
		if err := g.labelled(label); err != nil {
			return err
		}
	}
	return g.vertex(id)
}

func (g *gexf) labelled(label string) error {
	switch {
	case g.label == labelLeftOut:
		return nil
	case len(label) > g.opts.MaxValue:
		g.wrong(ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
		return nil
	case g.label == labelNone:
		g.label = len(g.columns)
		g.columns = append(g.columns, Column{Name: gexfLabel})
		g.values, g.defaults = append(g.values, nil), append(g.defaults, nil)
		if err := g.h.Columns(g.columns); err != nil {
			return err
		}
	}
	g.values[g.label] = []byte(label)
	return nil
}

func (g *gexf) nodeValue(e xml.StartElement) error {
	if k := g.declared(e, "node"); k != nil && k.place != placeNone {
		text := []byte(attribute(e, "value"))
		value, reason := k.value(text)
		switch {
		case len(text) > g.opts.MaxValue:
			g.wrong(ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
		case reason != "":
			g.wrong(ErrSyntax, "%s", reason)
		}
		g.values[k.place] = value
	}
	return g.skip()
}

// declared returns the attribute to which a value belongs, or nil if there is none.
func (g *gexf) declared(e xml.StartElement, class string) *graphKey {
	id := attribute(e, "for")
	k := g.byID[class+"\x00"+id]
	if k == nil {
		g.wrong(ErrSyntax, "the attribute %s of a value is not declared", excerpt([]byte(id)))
	}
	return k
}

// edge reads an edge with its weight and time.
func (g *gexf) edge(e xml.StartElement) error {
	if e.Name.Local != "edge" {
		return g.skip()
	}
	g.begin()
	kind := attribute(e, "type")
	g.stats.Directed = g.stats.Directed || kind == "directed" || kind == "mutual"
	edge := Edge{Source: g.key(attribute(e, "source"), "edge", "source"), Target: g.key(attribute(e, "target"), "edge", "target"), Weight: 1}
	field := g.initials
	if own := attribute(e, "weight"); own != "" && (g.opts.Weight == "" || g.opts.Weight == "weight") {
		field[roleWeight] = []byte(own)
	}
	line, column := g.line, g.column
	err := g.children(func(child xml.StartElement) error {
		if child.Name.Local != "attvalues" {
			return g.skip()
		}
		return g.children(func(e xml.StartElement) error {
			if k := g.declared(e, "edge"); k != nil && k.role != roleIgnored {
				field[k.role] = []byte(attribute(e, "value"))
			}
			return g.skip()
		})
	})
	if err != nil {
		return err
	}
	g.line, g.column = line, column
	return g.deliver(edge, field)
}
