package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// errAbandon ends a transaction that is to be rolled back.
var errAbandon = errors.New("abandoned")

// transaction runs some operations on one or two graphs, and abandons some of
// them in the end.
func (m *modelRun) transaction() error {
	abandon := m.random.IntN(6) == 0
	graphs := maps.Clone(m.model.graphs)
	for name, g := range graphs {
		graphs[name] = g.clone()
	}
	body := func(x *Tx) error {
		for range 1 + m.random.IntN(5) {
			name := modelGraphs[m.random.IntN(1+m.random.IntN(len(modelGraphs)))]
			if err := m.operate(x, graphs, name); err != nil {
				return err
			}
		}
		if abandon {
			return errAbandon
		}
		return nil
	}
	var err error
	if m.db == nil {
		err = body(nil)
	} else {
		err = m.db.Update(context.Background(), body)
	}
	if abandon {
		return expect(err, errAbandon)
	}
	for _, g := range graphs {
		g.commit()
	}
	m.model.graphs = graphs
	return err
}

// operate runs one operation of a transaction; x is nil where the model is alone.
func (m *modelRun) operate(x *Tx, graphs map[string]*modelGraph, name string) error {
	g := graphs[name]
	if g == nil {
		g = newModelGraph(m.random.IntN(2) == 0)
		g.now.changed = true
		graphs[name] = g
		switch {
		case x == nil:
			return nil
		case g.directed:
			_, err := x.CreateDirected(name)
			return err
		}
		_, err := x.CreateGraph(name)
		return err
	}
	switch m.random.IntN(10) {
	case 0, 1:
		vertices := m.vertices(g, m.random.IntN(1+m.random.IntN(100)))
		want := WriteStats{}
		g.setVertices(vertices, &want)
		return sameStats(x, g, want, nil, func() (WriteStats, error) { return x.InsertVertices(name, vertices) })
	case 2:
		return m.updateVertices(x, g, name)
	case 3:
		keys := m.someKeys(g, m.random.IntN(1+m.random.IntN(20)))
		want := g.deleteVertices(keys)
		return sameStats(x, g, want, nil, func() (WriteStats, error) { return x.DeleteVertices(name, keys) })
	case 4:
		edges := m.giveEdges(g, m.edges(m.random.IntN(1+m.random.IntN(100)), true))
		want := g.insertEdges(edges)
		return sameStats(x, g, want, nil, func() (WriteStats, error) { return x.InsertEdges(name, edges) })
	case 5:
		edges := m.giveEdges(g, m.someEdges(g, m.random.IntN(10)))
		want, ok := g.updateEdges(edges)
		kind := error(nil)
		if !ok {
			kind = ErrNotFound
		}
		return sameStats(x, g, want, kind, func() (WriteStats, error) { return x.UpdateEdges(name, edges) })
	case 6:
		edges := m.someEdges(g, m.random.IntN(1+m.random.IntN(50)))
		want := g.deleteEdges(edges)
		return sameStats(x, g, want, nil, func() (WriteStats, error) { return x.DeleteEdges(name, edges) })
	case 7:
		return m.dropAttribute(x, g, name)
	case 8:
		return m.dropEdgeAttribute(x, g, name)
	}
	return m.look(x, g, name)
}

// sameStats compares the outcome of a call with what it should be.
func sameStats(x *Tx, g *modelGraph, want WriteStats, kind error, call func() (WriteStats, error)) error {
	if x == nil {
		return nil
	}
	got, err := call()
	if kind == nil {
		want.Version = g.next()
	}
	if err == nil && got != want {
		return fmt.Errorf("reports %+v, want %+v", got, want)
	}
	return expect(err, kind)
}

func (m *modelRun) updateVertices(x *Tx, g *modelGraph, name string) error {
	var vertices []Vertex
	for _, key := range m.someKeys(g, m.random.IntN(10)) {
		vertices = append(vertices, Vertex{key, m.values(g)})
	}
	kind, want := error(nil), WriteStats{}
	for _, v := range vertices {
		if _, found := g.ids[v.Key]; !found {
			kind = ErrNotFound
		}
	}
	// Nor may an attribute be taken away that the graph does not have by then.
	known := map[string]bool{}
	for _, a := range g.attributes {
		known[a.Name] = true
	}
	for _, v := range vertices {
		for _, x := range v.Values {
			if !known[x.Name] && x.Value.IsMissing() {
				kind = ErrNotFound
			}
			known[x.Name] = true
		}
	}
	if kind == nil {
		g.setVertices(vertices, &want)
	}
	return sameStats(x, g, want, kind, func() (WriteStats, error) { return x.UpdateVertices(name, vertices) })
}

func (m *modelRun) dropAttribute(x *Tx, g *modelGraph, name string) error {
	attribute := modelAttributes[m.random.IntN(len(modelAttributes))].Name
	kind := error(nil)
	if g.values[attribute] == nil {
		kind = ErrNotFound
	} else {
		g.dropAttribute(attribute)
	}
	if x == nil {
		return nil
	}
	return expect(x.DropAttribute(name, attribute), kind)
}

func (m *modelRun) dropEdgeAttribute(x *Tx, g *modelGraph, name string) error {
	attribute := modelAttributes[m.random.IntN(len(modelAttributes))].Name
	kind := error(nil)
	if g.edgeValues[attribute] == nil {
		kind = ErrNotFound
	} else {
		g.dropEdgeAttribute(attribute)
	}
	if x == nil {
		return nil
	}
	return expect(x.DropEdgeAttribute(name, attribute), kind)
}

// giveEdges gives values to some edges.
func (m *modelRun) giveEdges(g *modelGraph, edges []Edge) []Edge {
	for i := range edges {
		if m.random.IntN(2) == 0 {
			edges[i].Values = m.valuesFor(g.edgeValues["größe"] != nil)
		}
	}
	return edges
}

// look reads in a transaction what it has written.
func (m *modelRun) look(x *Tx, g *modelGraph, name string) error {
	for _, key := range m.someKeys(g, 2) {
		if x == nil {
			continue
		}
		kind := error(nil)
		slot, found := g.ids[key]
		if !found {
			kind = ErrNotFound
		}
		v, err := x.Vertex(name, key)
		if err := expect(err, kind); err != nil {
			return err
		}
		edges, err := x.Neighbors(name, key)
		if err := expect(err, kind); err != nil {
			return err
		}
		if found && (!reflect.DeepEqual(v, g.vertexAt(slot)) || !reflect.DeepEqual(edges, g.neighborsOf(slot))) {
			return fmt.Errorf("transaction reads %v with %v, want %v with %v", v, edges, g.vertexAt(slot), g.neighborsOf(slot))
		}
	}
	return nil
}

// key draws keys of very different lengths, most of them few.
func (m *modelRun) key() string {
	v := m.random.IntN(1 + m.random.IntN(400))
	switch v % 5 {
	case 0:
		return fmt.Sprintf("a-vertex-with-a-long-common-prefix-%d", v)
	case 1:
		return strings.Repeat("é", v+1)
	}
	return fmt.Sprint(v)
}

// edges draws edges, with weights and timestamps where valued is set.
func (m *modelRun) edges(n int, valued bool) []Edge {
	edges := randomEdges(m.random, n)
	for i := range edges {
		edges[i].Source, edges[i].Target = m.key(), m.key()
		if !valued {
			edges[i] = Edge{Source: edges[i].Source, Target: edges[i].Target}
		}
	}
	return edges
}

// someEdges draws edges of a graph, sometimes with others among them.
func (m *modelRun) someEdges(g *modelGraph, n int) []Edge {
	if m.random.IntN(4) == 0 {
		return m.edges(n, true)
	}
	pairs := slices.SortedFunc(maps.Keys(g.edges), func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	edges := randomEdges(m.random, min(n, len(pairs)))
	for i := range edges {
		pair := pairs[m.random.IntN(len(pairs))]
		if i%2 == 1 && (!g.directed || m.random.IntN(4) == 0) {
			pair[0], pair[1] = pair[1], pair[0]
		}
		edges[i].Source, edges[i].Target = g.keys[pair[0]], g.keys[pair[1]]
	}
	return edges
}

// someKeys draws keys of a graph, sometimes with others among them.
func (m *modelRun) someKeys(g *modelGraph, n int) []string {
	live := g.live()
	others := m.random.IntN(3) == 0 || len(live) == 0
	keys := make([]string, n)
	for i := range keys {
		if others && m.random.IntN(3) == 0 || len(live) == 0 {
			keys[i] = m.key()
		} else {
			keys[i] = g.keys[live[m.random.IntN(len(live))]]
		}
	}
	return keys
}

// values draws some named values that fit the attributes of the graph.
func (m *modelRun) values(g *modelGraph) []NamedValue {
	return m.valuesFor(g.values["größe"] != nil)
}

// valuesFor draws values; sized reports whether the graph has the attribute of floats, which then takes
// integers too.
func (m *modelRun) valuesFor(sized bool) []NamedValue {
	var list []NamedValue
	for range m.random.IntN(4) {
		a := modelAttributes[m.random.IntN(len(modelAttributes))]
		v := anyValue(m.random, a.Type)
		if a.Type == Float && sized && m.random.IntN(4) == 0 {
			v = IntegerValue(int64(m.random.IntN(3)))
		}
		list = append(list, NamedValue{Name: a.Name, Value: v})
	}
	return list
}

func (m *modelRun) vertices(g *modelGraph, n int) []Vertex {
	vertices := make([]Vertex, n)
	for i := range vertices {
		vertices[i] = Vertex{m.key(), m.values(g)}
	}
	return vertices
}
