package format

import (
	"cmp"
	"encoding/xml"
)

// graphML reads GraphML. The ids of the nodes are the keys of the vertices, and the declared
// keys of nodes are their attributes. Of the edges' data, only the weight and the time are
// read. Directions, ports and the data of other programs are left out. Nested graphs and
// hyperedges, which a graph here cannot store, are refused.
type graphML struct {
	xmlElements
	begun    bool // the graph element was reached
	directed bool // edges are, unless they say otherwise
}

func readGraphML(f *feed, opts Options, h Handler) (ReadStats, error) {
	g := &graphML{xmlElements: newXMLElements(f, opts, h)}
	err := g.document("graphml", "GraphML", &g.begun, g.top)
	g.finish(f, err)
	return g.stats, err
}

func (g *graphML) top(e xml.StartElement) error {
	switch {
	case e.Name.Local == "key" && g.begun:
		return g.fault(ErrSyntax, "a key is declared after the graph")
	case e.Name.Local == "key":
		return g.declaration(e)
	case e.Name.Local == "graph" && g.begun:
		return g.fault(ErrSyntax, "a second graph; put every graph into a file of its own")
	case e.Name.Local == "graph":
		g.begun = true
		g.directed = attribute(e, "edgedefault") == "directed"
		g.stats.Directed = g.directed
		if err := g.resolve(impliedNames{}); err != nil {
			return err
		}
		return g.children(g.part)
	case e.Name.Local == "node" || e.Name.Local == "edge":
		return g.fault(ErrSyntax, "the element %s is outside a graph", e.Name.Local)
	}
	return g.part(e)
}

func (g *graphML) declaration(e xml.StartElement) error {
	k := &graphKey{name: attribute(e, "attr.name"), domain: attribute(e, "for"), place: placeNone, line: g.line, column: g.column}
	id, kind := attribute(e, "id"), attribute(e, "attr.type")
	k.use = cmp.Or(attribute(e, "yfiles.type"), id)
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
	if id == "" {
		return g.fault(ErrSyntax, "a key without an id")
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
		return g.fault(ErrSyntax, "hyperedges are not read: an edge has two ends")
	case "graph":
		return g.fault(ErrSyntax, "a graph inside a graph is not read")
	case "data":
		if k := g.byID[attribute(e, "key")]; k != nil {
			g.graphValues.add(k.title(), g.here)
		}
	default:
		g.other.add(e.Name.Local, g.here)
	}
	return g.skip()
}

func (g *graphML) id(e xml.StartElement, name string) []byte {
	return g.key(attribute(e, name), e.Name.Local, name)
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
		}
		g.other.add(child.Name.Local, g.here)
		return g.skip()
	})
	if err != nil {
		return err
	}
	return g.vertex(id)
}

func (g *graphML) nodeData(e xml.StartElement) error {
	k := g.declared(e)
	if k == nil || k.place == placeNone {
		if k != nil && !k.of("node") {
			g.programs.add(k.title(), g.here)
		}
		return g.skip()
	}
	line, column := g.line, g.column
	text, err := g.content(k)
	if err != nil {
		return err
	}
	g.line, g.column = line, column // a fault of the value is reported at the start of its element
	if text == nil {
		return nil
	}
	value, reason := g.valueOf(k, text)
	if reason != "" {
		g.wrong(ErrSyntax, "%s", reason)
	}
	g.values[k.place] = value
	return nil
}

// declared returns the key to which a data element refers, or nil if there is none.
func (g *graphML) declared(e xml.StartElement) *graphKey {
	id := attribute(e, "key")
	k := g.byID[id]
	if k == nil {
		g.wrong(ErrSyntax, "the key %s of data is not declared", excerpt([]byte(id)))
	}
	return k
}

// edge reads an edge with its weight and time.
func (g *graphML) edge(e xml.StartElement) error {
	g.begin()
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "sourceport", "targetport":
			g.other.add(a.Name.Local, g.here)
		case "directed":
			directed := a.Value == "true" || a.Value == "1"
			if directed != g.directed {
				g.turned.add("directed="+a.Value, g.here)
			}
			g.stats.Directed = g.stats.Directed || directed
		}
	}
	edge := Edge{Source: g.id(e, "source"), Target: g.id(e, "target"), Weight: 1}
	field := g.initials
	line, column := g.line, g.column
	err := g.children(func(child xml.StartElement) (err error) {
		switch child.Name.Local {
		case "graph":
			return g.fault(ErrSyntax, "a graph inside an edge is not read")
		case "data":
		default:
			g.other.add(child.Name.Local, g.here)
			return g.skip()
		}
		k := g.declared(child)
		switch {
		case k == nil:
			return g.skip()
		case k.role == roleIgnored && !k.of("edge"):
			g.programs.add(k.title(), g.here)
			return g.skip()
		case k.role == roleIgnored:
			g.leaveOut(k.name)
			return g.skip()
		}
		field[k.role], err = g.content(k)
		return err
	})
	if err != nil {
		return err
	}
	g.line, g.column = line, column
	return g.deliver(edge, field)
}
