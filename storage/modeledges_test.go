package storage

import (
	"maps"
	"slices"

	"heavytail/storage/internal/block"
)

func (g *modelGraph) deleteEdge(pair [2]uint32) {
	delete(g.edges, pair)
	for _, values := range g.edgeValues {
		delete(values, pair)
	}
}

// addEdgeAttributes makes the attributes of the values of edges that the graph does not have.
func (g *modelGraph) addEdgeAttributes(edges []Edge) {
	for _, e := range edges {
		for _, x := range e.Values {
			if g.edgeValues[x.Name] == nil && !x.Value.IsMissing() {
				g.edgeAttributes = append(g.edgeAttributes, Attribute{Name: x.Name, Type: x.Value.Type()})
				g.edgeValues[x.Name] = map[[2]uint32]Value{}
				g.now.changed = true
			}
		}
	}
}

// setEdgeValue gives a value to an edge and reports whether that changed anything.
func (g *modelGraph) setEdgeValue(pair [2]uint32, x NamedValue) bool {
	values, value := g.edgeValues[x.Name], x.Value
	if values == nil {
		return false
	}
	i := slices.IndexFunc(g.edgeAttributes, func(a Attribute) bool { return a.Name == x.Name })
	if g.edgeAttributes[i].Type == Float && value.Type() == Integer {
		value = FloatValue(float64(value.Integer()))
	}
	changed := values[pair] != value
	if values[pair] = value; value.IsMissing() {
		delete(values, pair)
	}
	return changed
}

// noteEdgeValues notes the ends of the edges whose values differ from before.
func (g *modelGraph) noteEdgeValues(before map[string]map[[2]uint32]Value) {
	for name, values := range g.edgeValues {
		for pair := range g.edges {
			if values[pair] != before[name][pair] {
				g.now.changed, g.now.values[pair[0]], g.now.values[pair[1]] = true, true, true
			}
		}
	}
}

// dropEdgeAttribute removes an attribute of the edges.
func (g *modelGraph) dropEdgeAttribute(name string) {
	for pair := range g.edgeValues[name] {
		g.now.values[pair[0]], g.now.values[pair[1]] = true, true
	}
	g.now.changed = true
	delete(g.edgeValues, name)
	g.edgeAttributes = slices.DeleteFunc(g.edgeAttributes, func(a Attribute) bool { return a.Name == name })
}

// edgeValuesAt are the values of an edge as they should be read.
func (g *modelGraph) edgeValuesAt(pair [2]uint32) (list []NamedValue) {
	for _, a := range g.edgeAttributes {
		if x, found := g.edgeValues[a.Name][pair]; found {
			list = append(list, NamedValue{Name: a.Name, Value: x})
		}
	}
	return list
}

// edgeColumns are the attributes of the edges of a graph without empty slots.
func (g *modelGraph) edgeColumns() []*Column {
	var list []*Column
	pairs := slices.SortedFunc(maps.Keys(g.edges), func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	for _, a := range g.edgeAttributes {
		c := NewColumn(a, len(pairs))
		for i, pair := range pairs {
			block.PutValue(c, uint32(i), g.edgeValues[a.Name][pair])
		}
		list = append(list, c)
	}
	return list
}

// foldValues gives an edge the values of its lines: under RepeatedFirst the first one unless the graph has one, and
// otherwise the last. It reports whether that changed any.
func (g *modelGraph) foldValues(pair [2]uint32, list edgeOccurrences, how Repeated) (changed bool) {
	was := g.edgeValuesAt(pair)
	for _, e := range list {
		for _, x := range e.Values {
			if how != RepeatedFirst || g.edgeValues[x.Name][pair].IsMissing() {
				g.setEdgeValue(pair, x)
			}
		}
	}
	return !slices.Equal(was, g.edgeValuesAt(pair))
}
