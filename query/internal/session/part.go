package session

import (
	"errors"
	"math"
	"slices"

	"heavytail/storage"
	"heavytail/storage/vec"
)

// A statement about few vertices reads their edges in the file, so that the first answers after
// opening a file need not wait until the graph is loaded.

// partFraction bounds the cost of a part: it is at most 1/partFraction of loading the graph. When
// the parts together have cost as much as loading the graph, it is loaded.
const partFraction = 8

// ErrWhole ends the reading of a part where the graph must be loaded.
var ErrWhole = errors.New("the graph must be loaded")

// PartsPay reports whether questions about few vertices of a graph are answered from its file:
// it is not in memory, and such questions have cost less than loading it.
func (c *Call) PartsPay(graph storage.GraphInfo) bool {
	return c.Graphs[graph.Name] == nil && (GraphBytes(graph) > c.cache.Limit || !c.cache.Keep || c.cache.FewScans(GraphKey(graph), int(2*graph.Edges)))
}

// PartLimit is the largest cost of one answer from the file, in arcs of the graph.
func PartLimit(graph storage.GraphInfo) int64 { return 2 * graph.Edges / partFraction }

// ReadPart makes the call see a part of a graph in place of the whole: the vertices that read
// reads or names, and the attributes names of these, as GraphPart.Snapshot describes it. Then
// Graph and Columns return the part, whose vertices have numbers of their own. It changes nothing,
// and the statement loads the graph, if parts do not pay, if this part costs too much, or if read
// returns ErrWhole or a storage.NotFoundError. names must be what the statement requests of Columns.
func (c *Call) ReadPart(graph storage.GraphInfo, names []string, read func(*storage.GraphView, *storage.GraphPart) error) error {
	if !c.PartsPay(graph) {
		return nil
	}
	return c.seePart(graph, func() (g *Graph, err error) {
		err = c.store.ViewGraph(c.Ctx, graph.Name, func(v *storage.GraphView) error {
			g, err = c.partOf(v, graph, names, read)
			return err
		})
		return g, err
	})
}

// seePart makes the call see the part that read returns, unless the graph must be loaded.
func (c *Call) seePart(graph storage.GraphInfo, read func() (*Graph, error)) error {
	stop := c.Watch.Start("graph " + graph.Name)
	g, err := read()
	switch {
	case errors.Is(err, ErrWhole), errors.Is(err, storage.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	stop(int64(len(g.Vertices)), "a part, "+LoadedFrom(false))
	c.Graphs[graph.Name] = g
	return nil
}

func (c *Call) partOf(v *storage.GraphView, graph storage.GraphInfo, names []string, read func(*storage.GraphView, *storage.GraphPart) error) (*Graph, error) {
	if GraphKey(v.Graph) != GraphKey(graph) {
		return nil, ErrWhole
	}
	p := v.NewPart(PartLimit(graph), ErrWhole)
	err := read(v, p)
	c.cache.CountScan(GraphKey(graph), int(p.Cost))
	if err != nil {
		return nil, err
	}
	g, _, err := c.SeePart(p, graph, names)
	return g, err
}

// SeePart returns what was read of a part of a graph, as Graph and Columns return it after ReadPart.
func (c *Call) SeePart(p *storage.GraphPart, graph storage.GraphInfo, names []string) (*Graph, *ColumnSet, error) {
	stored := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return OfDirection(graph, n) })
	s, columns, vertices, err := p.Snapshot(stored)
	if err != nil {
		return nil, nil, err
	}
	g := &Graph{Snapshot: s, Vertices: vertices, directed: p.Directed(vertices), edges: p.EdgeColumns, names: names}
	for _, name := range names {
		if !OfDirection(graph, name) {
			g.columns, columns = append(g.columns, columns[0]), columns[1:]
			continue
		}
		column, err := c.directionColumn(g, name)
		if err != nil {
			return nil, nil, err
		}
		g.columns = append(g.columns, column)
	}
	return g, &ColumnSet{Names: names, Columns: g.columns}, nil
}

// ReadVectors is ReadPart for a graph with an embedding of the same version: the call also sees the
// vectors of all vertices of the part.
func (c *Call) ReadVectors(e Entry, read func(*storage.RowView, *storage.GraphPart) error) error {
	var matrix *vec.Matrix
	err := c.seePart(e.Graph, func() (g *Graph, err error) {
		err = c.store.ViewRows(c.Ctx, e.Info.Name, func(v *storage.RowView) error {
			if EmbeddingKey(v.Info) != EmbeddingKey(e.Info) {
				return ErrWhole
			}
			g, err = c.partOf(&v.GraphView, e.Graph, nil, func(_ *storage.GraphView, p *storage.GraphPart) error { return read(v, p) })
			if err != nil {
				return err
			}
			matrix = vec.NewMatrix(len(g.Vertices), v.Info.Dim)
			return v.Rows(g.Vertices, matrix)
		})
		return g, err
	})
	if g := c.Graphs[e.Graph.Name]; err == nil && g != nil {
		c.Spaces[e.Info.Name] = &Space{Matched: &Matched{Vectors: NewVectors(e.Info, matrix)}, Graph: g}
	}
	return err
}

// Keys returns the keys of vertices of a graph that the call sees. Of a part it reads those that the
// part lacks in the file; the error is storage.ErrConflict if the graph has changed since.
func (c *Call) Keys(g *Graph, vertices []uint32) (keys []string, err error) {
	keys = make([]string, len(vertices))
	for i, u := range vertices {
		keys[i] = g.Key(u)
	}
	if g.Vertices == nil || !slices.Contains(keys, "") {
		return keys, nil
	}
	err = c.store.ViewGraph(c.Ctx, g.Info.Name, func(v *storage.GraphView) error {
		if GraphKey(v.Graph) != GraphKey(g.Info) {
			return storage.ErrConflict
		}
		whole := make([]uint32, len(vertices))
		for i, u := range vertices {
			whole[i] = g.Vertices[u]
		}
		keys, err = v.Keys(whole)
		return err
	})
	return keys, err
}

// ReadRows makes the call see the vectors of some vertices, ascending, of the part of a graph that
// ReadPart has read: Space returns them, with zeros for all other vertices of the part. The numbers of the
// vertices are those in the part. If the vectors are in memory, of another version of the graph,
// or were replaced since the entry was resolved, it makes the call forget the part, so that the
// statement loads both.
func (c *Call) ReadRows(e Entry, vertices []uint32) error {
	g := c.Graphs[e.Graph.Name]
	if g == nil || g.Vertices == nil || c.Spaces[e.Info.Name] != nil {
		return nil
	}
	stop := c.Watch.Start("embedding " + e.Info.Name)
	matrix := vec.NewMatrix(len(g.Vertices), e.Info.Dim)
	err := ErrWhole
	if c.cache.FewScans(EmbeddingKey(e.Info), math.MaxInt) {
		err = c.store.ViewRows(c.Ctx, e.Info.Name, func(v *storage.RowView) error {
			if EmbeddingKey(v.Info) != EmbeddingKey(e.Info) || GraphKey(v.Graph) != GraphKey(g.Info) || v.Info.GraphID != v.Graph.ID || v.Info.GraphVersion != v.Graph.Version {
				return ErrWhole
			}
			rows := make([]uint32, len(vertices))
			for i, u := range vertices {
				rows[i] = g.Vertices[u]
			}
			found := vec.NewMatrix(len(rows), e.Info.Dim)
			if err := v.Rows(rows, found); err != nil {
				return err
			}
			for i, u := range vertices {
				copy(matrix.Row(int(u)), found.Row(i))
			}
			return nil
		})
	}
	switch {
	case errors.Is(err, ErrWhole), errors.Is(err, storage.ErrNotFound):
		c.Forget(e.Graph.Name)
		clear(c.Spaces)
		return nil
	case err != nil:
		return err
	}
	stop(int64(len(vertices)), LoadedFrom(false))
	c.Spaces[e.Info.Name] = &Space{Matched: &Matched{Vectors: NewVectors(e.Info, matrix)}, Graph: g}
	return nil
}
