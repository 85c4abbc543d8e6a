package session

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// Columns of the vertices of a directed graph that are computed from its edges. An attribute with one
// of these names comes first.
const (
	InDegree  = "in_degree"
	OutDegree = "out_degree"
)

// OfDirection reports whether a name is a column that is computed from the edges of a directed graph.
func OfDirection(info storage.GraphInfo, name string) bool {
	return info.Directed && (name == InDegree || name == OutDegree) &&
		!slices.ContainsFunc(info.Attributes, func(a storage.Attribute) bool { return a.Name == name })
}

// VertexColumns are the columns that the vertices of a graph have beside their attributes.
func VertexColumns(info storage.GraphInfo) []string {
	if info.Directed {
		return []string{"degree", InDegree, OutDegree}
	}
	return []string{"degree"}
}

// Directed returns a directed graph: the version that the call sees, with its edges by source and by
// target. As Columns it must be called before anything else loads the graph. Of a part it has the edges of the
// vertices that were read.
func (c *Call) Directed(graph string, at fault.Part) (*Graph, *csr.Directed, error) {
	for pinned := c.Graphs[graph] != nil; ; c.Forget(graph) {
		view, err := c.Graph(graph, at)
		if err != nil {
			return nil, nil, err
		}
		d, err := c.loadDirected(view)
		if pinned || !errors.Is(err, storage.ErrConflict) {
			return view, d, err
		}
	}
}

func (c *Call) loadDirected(view *Graph) (*csr.Directed, error) {
	info := view.Info
	if view.Vertices != nil {
		return view.directed, nil
	}
	stop := c.Watch.Start("directions " + info.Name)
	value, hit, err := c.Pin(directedKey(info), DirectedBytes(info), "the directions of graph "+fault.Name(info.Name), func(ctx context.Context) (any, error) {
		d, now, err := c.store.Directed(ctx, info.Name)
		if err == nil && GraphKey(now) != GraphKey(info) {
			err = storage.ErrConflict // the cache must have exactly the version of its key
		}
		return d, err
	})
	if err != nil {
		return nil, err
	}
	d := value.(*csr.Directed)
	stop(d.Arcs(), LoadedFrom(hit))
	return d, nil
}

func directedKey(info storage.GraphInfo) CacheKey {
	key := GraphKey(info)
	key.Kind = "directed"
	return key
}

// DirectedBytes is the memory of the edges of a directed graph by source and by target.
func DirectedBytes(info storage.GraphInfo) int64 {
	info.Edges = info.Arcs
	return EdgeBytes(info) + 8*int64(info.Vertices)
}

// directionColumn is a column of a graph that is computed from its edges.
func (c *Call) directionColumn(view *Graph, name string) (*storage.Column, error) {
	d, err := c.loadDirected(view)
	if err != nil {
		return nil, err
	}
	rows := &d.Out
	if name == InDegree {
		rows = &d.In
	}
	column := storage.NewColumn(storage.Attribute{Name: name, Type: storage.Integer}, d.Vertices())
	for v := range uint32(d.Vertices()) {
		if err := column.Set(v, storage.IntegerValue(int64(rows.Degree(v)))); err != nil {
			return nil, err
		}
	}
	return column, nil
}

// NoDirection is the Error for a direction of the edges of an undirected graph.
func NoDirection(graph string, at fault.Part) *fault.Error {
	return fault.New(at, "graph %s is undirected: its edges have no direction", fault.Quote(graph))
}

// NoteView gives a notice that the statement reads the undirected view of a graph, if it is directed.
func (c *Call) NoteView(graph storage.GraphInfo) {
	if graph.Directed {
		c.Notice("graph %s is directed: its undirected view is read, in which an edge in either direction joins two vertices", fault.Name(graph.Name))
	}
}
