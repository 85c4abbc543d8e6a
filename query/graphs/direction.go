package graphs

import (
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// Direction is that of edges of a directed graph, seen from a vertex. Empty is the default of a request.
type Direction string

// The directions.
const (
	DirectionOut  Direction = "out"  // from the vertex
	DirectionIn   Direction = "in"   // to the vertex
	DirectionBoth Direction = "both" // either
)

const directionOption = "direction"

// directionField is the option of the direction in which a statement follows edges.
func directionField[O any](usual Direction, at func(*O) *Direction) option.Field[O] {
	list := []string{string(usual)}
	for _, d := range []Direction{DirectionOut, DirectionIn, DirectionBoth} {
		if d != usual {
			list = append(list, string(d))
		}
	}
	return option.Choice(directionOption, "in a directed graph: edges from the vertex (out), to it (in), or both", list, at)
}

// check returns an Error for a direction that a graph does not have.
func (d Direction) check(graph storage.GraphInfo) error {
	switch {
	case !slices.Contains([]Direction{"", DirectionOut, DirectionIn, DirectionBoth}, d):
		return fault.New(fault.Option(directionOption), "unknown direction %s", fault.Quote(string(d))).WithExpected("out", "in", "both")
	case !graph.Directed && (d == DirectionOut || d == DirectionIn):
		return session.NoDirection(graph.Name, fault.Option(directionOption))
	}
	return nil
}

// rows returns the rows of a directed graph that have the edges of a direction, usual if it is empty; nil for both, and
// for an undirected graph.
func (d Direction) rows(g *csr.Directed, usual Direction) *csr.Graph {
	if d == "" {
		d = usual
	}
	switch {
	case g == nil || d == DirectionBoth:
		return nil
	case d == DirectionIn:
		return (*csr.Graph)(&g.In)
	}
	return (*csr.Graph)(&g.Out)
}

// partRows returns the functions for the edges of a vertex of a part of a graph in a direction, and in the opposite one.
func partRows(p *storage.GraphPart, graph storage.GraphInfo, d Direction) (row, back func(vertex uint32) []uint32) {
	switch {
	case !graph.Directed || d == DirectionBoth:
		return p.Neighbors, p.Neighbors
	case d == DirectionIn:
		return p.In, p.Out
	}
	return p.Out, p.In
}

// directionBetween is that of the edges between two vertices, from u.
func directionBetween(d *csr.Directed, u, v uint32) Direction {
	out, in := d.HasArc(u, v), d.HasArc(v, u)
	switch {
	case out && in:
		return DirectionBoth
	case out:
		return DirectionOut
	}
	return DirectionIn
}
