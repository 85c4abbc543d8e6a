package session

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/storage"
)

// ColumnSet has the values of some attributes, for the vertices of one version
// of a graph.
type ColumnSet struct {
	Names   []string
	Columns []*storage.Column
}

// At returns the value of a vertex in column i.
func (s *ColumnSet) At(i int, v uint32) storage.Value { return s.Columns[i].At(v) }

// Value returns the value of a vertex by the name of the attribute; missing for
// a name that is not in the set.
func (s *ColumnSet) Value(name string, v uint32) storage.Value {
	if s == nil {
		return storage.Value{}
	}
	if i := slices.Index(s.Names, name); i >= 0 {
		return s.At(i, v)
	}
	return storage.Value{}
}

// Columns returns attributes of a graph, of the version that the call sees, and
// that version. It must be called before anything else loads the graph: if a
// newer version is written meanwhile, the call continues with the newer one.
func (c *Call) Columns(graph string, names []string, at fault.Part) (*Graph, *ColumnSet, error) {
	for pinned := c.Graphs[graph] != nil; ; c.Forget(graph) {
		view, err := c.Graph(graph, at)
		if err != nil {
			return nil, nil, err
		}
		if err := CheckAttributes(view.Info, at, names...); err != nil {
			return nil, nil, err
		}
		if view.Vertices != nil {
			return view, &ColumnSet{Names: view.names, Columns: view.columns}, nil
		}
		set, err := c.loadColumns(view, names, c.store.Columns)
		switch {
		case pinned || !errors.Is(err, storage.ErrConflict):
			return view, set, err
		case !slices.ContainsFunc(names, func(n string) bool { return ofEdges(view.Info, n) }):
			return c.columnsAtOnce(graph, names, at)
		}
	}
}

// columnsAtOnce reads a graph and attributes of it in one transaction, so that
// both have the same version.
func (c *Call) columnsAtOnce(graph string, names []string, at fault.Part) (*Graph, *ColumnSet, error) {
	info, err := c.GraphInfo(graph, at)
	if err != nil {
		return nil, nil, err
	}
	bytes := GraphBytes(info)
	for _, n := range names {
		a, _ := AttributeOf(info, n)
		bytes += columnBytes(a, info.Vertices)
	}
	release, err := c.cache.Reserve(bytes, "graph "+fault.Name(graph))
	if err != nil {
		return nil, nil, err
	}
	snapshot, columns, err := c.store.SnapshotColumns(c.Ctx, graph, names...)
	release()
	if missing := (*storage.NotFoundError)(nil); errors.As(err, &missing) && missing.Kind == "attribute" {
		return nil, nil, UnknownAttribute(info, missing.Name, at)
	}
	if err != nil {
		return nil, nil, err
	}
	view, err := c.loadGraph(snapshot.Info, func(context.Context) (any, error) { return snapshot, nil })
	if err != nil {
		return nil, nil, err
	}
	set, err := c.loadColumns(view, names, func(_ context.Context, _ string, _ uint64, of ...string) ([]*storage.Column, error) {
		i := slices.Index(names, of[0])
		return columns[i : i+1], nil
	})
	return view, set, err
}

// CheckAttributes returns an Error for a name that is not an attribute of the
// graph.
func CheckAttributes(info storage.GraphInfo, at fault.Part, names ...string) error {
	for _, n := range names {
		if _, ok := AttributeOf(info, n); !ok {
			return UnknownAttribute(info, n, at)
		}
	}
	return nil
}

// CheckReads is CheckAttributes for what a condition reads: the vertices of columns of links must be in the
// graph. An error about one is about the part with the name of the column.
func (c *Call) CheckReads(info storage.GraphInfo, at fault.Part, names ...string) error {
	if err := CheckAttributes(info, at, names...); err != nil {
		return err
	}
	for _, name := range names {
		if _, key, ok := linkOf(info, name); ok {
			if err := c.CheckVertex(info, key, fault.Part(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// AttributeOf returns an attribute of a graph by its name. The vertices of a directed graph have in_degree and
// out_degree as if these were attributes, and those of every graph a LinkColumn for each vertex.
func AttributeOf(info storage.GraphInfo, name string) (storage.Attribute, bool) {
	for _, a := range info.Attributes {
		if a.Name == name {
			return a, true
		}
	}
	if OfDirection(info, name) {
		return storage.Attribute{Name: name, Type: storage.Integer}, true
	}
	if _, _, link := linkOf(info, name); link {
		return storage.Attribute{Name: name, Type: storage.Boolean}, true
	}
	return storage.Attribute{}, false
}

// AttributeIn returns an attribute of a list by its name.
func AttributeIn(list []storage.Attribute, name string) (storage.Attribute, bool) {
	i := slices.IndexFunc(list, func(a storage.Attribute) bool { return a.Name == name })
	if i < 0 {
		return storage.Attribute{}, false
	}
	return list[i], true
}

// CheckEdgeAttributes returns an Error for a name that is not an attribute of the edges of the graph.
func CheckEdgeAttributes(info storage.GraphInfo, at fault.Part, names ...string) error {
	for _, n := range names {
		if _, ok := AttributeIn(info.EdgeAttributes, n); !ok {
			return fault.New(at, "edges of graph %s have no attribute %s", fault.Name(info.Name), fault.Quote(n)).
				WithErr(&storage.NotFoundError{Kind: "attribute", Name: n}).WithNearest(n, NamesOf(info.EdgeAttributes), fault.Quote)
		}
	}
	return nil
}

// EdgeColumns returns attributes of the edges of a graph that the call sees, by the numbers of
// the edges in csr.EdgeOrder. Of a part it returns what was read of these edges, which must be the first ones.
func (c *Call) EdgeColumns(g *Graph, names []string) (*ColumnSet, error) {
	if g.Vertices != nil {
		return &ColumnSet{Names: names, Columns: g.edges}, nil
	}
	set := &ColumnSet{Names: names, Columns: make([]*storage.Column, len(names))}
	for i, n := range names {
		a, _ := AttributeIn(g.Info.EdgeAttributes, n)
		column, err := c.column(g, "edge column", n, "attribute of edges", columnBytes(a, int(g.Info.Count())), func(ctx context.Context) ([]*storage.Column, error) {
			return c.store.EdgeColumns(ctx, g.Info.Name, g.Info.Version, n)
		})
		if err != nil {
			return nil, err
		}
		set.Columns[i] = column
	}
	return set, nil
}

// column takes a column of a version of a graph from the cache, or else from read.
func (c *Call) column(g *Graph, kind, name, what string, bytes int64, read func(ctx context.Context) ([]*storage.Column, error)) (*storage.Column, error) {
	key := GraphKey(g.Info)
	key.Kind, key.Name = kind, name
	stop := c.Watch.Start(what + " " + name)
	value, hit, err := c.Pin(key, bytes, what+" "+fault.Name(name)+" of graph "+fault.Name(g.Info.Name), func(ctx context.Context) (any, error) {
		columns, err := read(ctx)
		if err != nil {
			return nil, err
		}
		return columns[0], nil
	})
	if err != nil {
		return nil, err
	}
	column := value.(*storage.Column)
	stop(int64(column.Count()), LoadedFrom(hit))
	return column, nil
}

// UnknownAttribute is the error for a name that is not an attribute of the
// graph.
func UnknownAttribute(info storage.GraphInfo, attribute string, at fault.Part) *fault.Error {
	return fault.New(at, "graph %s has no attribute %s", fault.Name(info.Name), fault.Quote(attribute)).
		WithErr(&storage.NotFoundError{Kind: "attribute", Name: attribute}).WithNearest(attribute, AttributeNames(info), fault.Quote)
}

// loadColumns takes attributes of a version of a graph from the cache, or else
// from read.
func (c *Call) loadColumns(view *Graph, names []string, read func(ctx context.Context, graph string, version uint64, names ...string) ([]*storage.Column, error)) (*ColumnSet, error) {
	set := &ColumnSet{Names: names, Columns: make([]*storage.Column, len(names))}
	for i, n := range names {
		attribute, _ := AttributeOf(view.Info, n)
		column, err := c.column(view, "column", n, "attribute", columnBytes(attribute, view.Info.Vertices), func(ctx context.Context) ([]*storage.Column, error) {
			if ofEdges(view.Info, n) {
				column, err := c.computedColumn(ctx, view, n)
				return []*storage.Column{column}, err
			}
			return read(ctx, view.Info.Name, view.Info.Version, n)
		})
		if err != nil {
			return nil, err
		}
		set.Columns[i] = column
	}
	return set, nil
}

// ofEdges reports whether a column of the vertices of a graph is computed from its edges.
func ofEdges(info storage.GraphInfo, name string) bool {
	_, _, link := linkOf(info, name)
	return OfDirection(info, name) || link
}

func (c *Call) computedColumn(ctx context.Context, view *Graph, name string) (*storage.Column, error) {
	if OfDirection(view.Info, name) {
		return c.directionColumn(view, name)
	}
	return c.linkColumn(ctx, view, name)
}

// columnBytes estimates the memory of a column: a bit per vertex, and the
// values; for texts, their numbers in a dictionary and some bytes of the
// dictionary.
func columnBytes(a storage.Attribute, vertices int) int64 {
	n := int64(vertices)
	switch a.Type {
	case storage.Boolean:
		return n / 4
	case storage.Text:
		return n/8 + 4*n + 16*n
	}
	return n/8 + 8*n
}

// AttributeNames lists the attributes of a graph.
func AttributeNames(info storage.GraphInfo) []string { return NamesOf(info.Attributes) }

// NamesOf lists the names of attributes.
func NamesOf(list []storage.Attribute) []string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return names
}
