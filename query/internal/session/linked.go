package session

import (
	"context"
	"slices"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// LinkColumn is the name of the column that says which vertices of a graph are linked with one, as a
// condition writes it: links_to 'a'. It is false for vertices that are not.
func LinkColumn(how parser.Link, key string) string { return string(how) + " '" + key + "'" }

// linkOf is the inverse of LinkColumn, for the links that a graph has, unless an attribute has the name.
func linkOf(info storage.GraphInfo, name string) (how parser.Link, key string, ok bool) {
	if slices.ContainsFunc(info.Attributes, func(a storage.Attribute) bool { return a.Name == name }) {
		return "", "", false
	}
	for _, how := range parser.Links {
		rest, begins := strings.CutPrefix(name, string(how)+" '")
		key, ends := strings.CutSuffix(rest, "'")
		if begins && ends && (info.Directed || how == parser.LinkedWith) {
			return how, key, true
		}
	}
	return "", "", false
}

// WithoutLinks is a list of attributes without columns of links, which conditions read and no answer shows.
func WithoutLinks(info storage.GraphInfo, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, _, link := linkOf(info, name)
		return link
	})
}

// linkColumn makes a LinkColumn of a view. It reads the edges of the vertex in the file, unless they are in memory.
func (c *Call) linkColumn(ctx context.Context, view *Graph, name string) (*storage.Column, error) {
	how, key, _ := linkOf(view.Info, name)
	u, err := c.Vertex(view, key, fault.Part(name))
	if err != nil {
		return nil, err
	}
	row := view.Graph.Neighbors(u)
	if how != parser.LinkedWith {
		if row, err = c.directedRow(ctx, view, u, how == parser.LinkedFrom); err != nil {
			return nil, err
		}
	}
	column := storage.NewColumn(storage.Attribute{Name: name, Type: storage.Boolean}, view.Graph.Vertices())
	for v := range uint32(view.Graph.Vertices()) {
		linked := len(row) > 0 && row[0] == v
		if linked {
			row = row[1:]
		}
		if err := column.Set(v, storage.BooleanValue(linked)); err != nil {
			return nil, err
		}
	}
	return column, nil
}

// directedRow returns the vertices to which edges lead from a vertex of a directed graph, or those from which edges
// lead to it.
func (c *Call) directedRow(ctx context.Context, view *Graph, u uint32, out bool) (row []uint32, err error) {
	if d, ok := c.cache.Peek(directedKey(view.Info)); ok {
		if d := d.(*csr.Directed); out {
			return d.Out.Neighbors(u), nil
		} else {
			return d.In.Neighbors(u), nil
		}
	}
	err = c.store.ViewGraph(ctx, view.Info.Name, func(v *storage.GraphView) error {
		if GraphKey(v.Graph) != GraphKey(view.Info) {
			return storage.ErrConflict
		}
		from, to, err := v.Directed(u)
		if row = to; out {
			row = from
		}
		return err
	})
	return row, err
}
