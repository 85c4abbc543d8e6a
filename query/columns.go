package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/storage"
)

// columnSet has the values of some attributes, for the vertices of one version
// of a graph.
type columnSet struct {
	names   []string
	columns []*storage.Column
}

// at returns the value of a vertex in column i.
func (s *columnSet) at(i int, v uint32) storage.Value { return s.columns[i].At(v) }

// value returns the value of a vertex by the name of the attribute; missing for
// a name that is not in the set.
func (s *columnSet) value(name string, v uint32) storage.Value {
	if s == nil {
		return storage.Value{}
	}
	if i := slices.Index(s.names, name); i >= 0 {
		return s.at(i, v)
	}
	return storage.Value{}
}

// columns returns attributes of a graph, of the version that the call sees, and
// that version. It must be asked for before anything else loads the graph: where
// another version is written meanwhile, the call goes on with that one.
func (c *call) columns(graph string, names []string, at part) (*graphView, *columnSet, error) {
	pinned := c.graphs[graph] != nil
	view, err := c.graph(graph, at)
	if err != nil {
		return nil, nil, err
	}
	if err := checkAttributes(view.Info, names, at); err != nil {
		return nil, nil, err
	}
	set, err := c.loadColumns(view, names, c.db.store.Columns)
	if pinned || !errors.Is(err, storage.ErrConflict) {
		return view, set, err
	}
	return c.columnsAtOnce(graph, names, at)
}

// columnsAtOnce reads a graph and attributes of it in one go, so that no writer
// can come between.
func (c *call) columnsAtOnce(graph string, names []string, at part) (*graphView, *columnSet, error) {
	info, err := c.graphInfo(graph, at)
	if err != nil {
		return nil, nil, err
	}
	bytes := graphBytes(info)
	for _, n := range names {
		a, _ := attributeOf(info, n)
		bytes += columnBytes(a, info.Vertices)
	}
	release, err := c.db.cache.reserve(bytes, "graph "+name(graph))
	if err != nil {
		return nil, nil, err
	}
	snapshot, columns, err := c.db.store.SnapshotColumns(c.ctx, graph, names...)
	release()
	if missing := (*storage.NotFoundError)(nil); errors.As(err, &missing) && missing.Kind == "attribute" {
		return nil, nil, unknownAttribute(info, missing.Name, at)
	}
	if err != nil {
		return nil, nil, err
	}
	view, err := c.pin(snapshot.Info, func(context.Context) (any, error) { return snapshot, nil })
	if err != nil {
		return nil, nil, err
	}
	set, err := c.loadColumns(view, names, func(_ context.Context, _ string, _ uint64, of ...string) ([]*storage.Column, error) {
		i := slices.Index(names, of[0])
		return columns[i : i+1], nil
	})
	return view, set, err
}

// checkAttributes refuses names that are no attributes of a graph.
func checkAttributes(info storage.GraphInfo, names []string, at part) error {
	for _, n := range names {
		if _, ok := attributeOf(info, n); !ok {
			return unknownAttribute(info, n, at)
		}
	}
	return nil
}

// attributeOf returns an attribute of a graph by its name.
func attributeOf(info storage.GraphInfo, name string) (storage.Attribute, bool) {
	for _, a := range info.Attributes {
		if a.Name == name {
			return a, true
		}
	}
	return storage.Attribute{}, false
}

// unknownAttribute is the error for a name that is no attribute of a graph.
func unknownAttribute(info storage.GraphInfo, attribute string, at part) *Error {
	e := mistake(at, "graph %s has no attribute %s", name(info.Name), quote(attribute))
	e.Err = &storage.NotFoundError{Kind: "attribute", Name: attribute}
	return e.withHint(attribute, attributeNames(info), quote)
}

// loadColumns takes attributes of a version of a graph from the cache, or else
// from read.
func (c *call) loadColumns(view *graphView, names []string, read func(ctx context.Context, graph string, version uint64, names ...string) ([]*storage.Column, error)) (*columnSet, error) {
	set := &columnSet{names: names, columns: make([]*storage.Column, len(names))}
	for i, n := range names {
		attribute, _ := attributeOf(view.Info, n)
		key := cacheKey{kind: "column", name: n, id: view.Info.ID, version: view.Info.Version}
		what := fmt.Sprintf("attribute %s of graph %s", name(n), name(view.Info.Name))
		stop := c.watch.start("attribute " + n)
		value, hit, err := c.hold(key, columnBytes(attribute, view.Info.Vertices), what, func(ctx context.Context) (any, error) {
			columns, err := read(ctx, view.Info.Name, view.Info.Version, n)
			if err != nil {
				return nil, err
			}
			return columns[0], nil
		})
		if err != nil {
			return nil, err
		}
		set.columns[i] = value.(*storage.Column)
		stop(int64(set.columns[i].Count()), loadedFrom(hit))
	}
	return set, nil
}

// columnBytes estimates what a column takes in memory: a bit per vertex, and
// the values; of texts their numbers and some bytes of a dictionary.
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

// forget makes the call see the current version of a graph, and no longer the
// one that it saw so far.
func (c *call) forget(graph string) { delete(c.graphs, graph) }
