package storage

import (
	"context"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Columns returns the values of attributes of a graph, vertex by vertex as in
// the Snapshot of the given version, in the order of the names; without names,
// all attributes in the order of GraphInfo.Attributes. If the graph has another
// version by now, it returns ErrConflict; an unknown attribute gives a
// NotFoundError. It reads only the blocks of these attributes.
func (db *DB) Columns(ctx context.Context, graph string, version uint64, names ...string) ([]*Column, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]*Column, error) {
		if r.Version != version {
			return nil, fmt.Errorf("graph %q has version %d, no longer %d: %w", graph, r.Version, version, ErrConflict)
		}
		return namedColumns(t, graph, r, names)
	})
}

// SnapshotColumns reads the latest version of a graph as Snapshot does, and attributes
// of the same version as Columns does, both in one read transaction: unlike with two
// calls, both are always of the same version.
func (db *DB) SnapshotColumns(ctx context.Context, graph string, names ...string) (*Snapshot, []*Column, error) {
	var columns []*Column
	s, err := viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (s *Snapshot, err error) {
		if columns, err = namedColumns(t, graph, r, names); err == nil {
			s, err = snapshot(t, graph, r)
		}
		return s, err
	})
	if err != nil {
		return nil, nil, err
	}
	return s, columns, nil
}

// namedColumns reads the columns of some attributes, or of all without names.
func namedColumns(t *tree.Tx, graph string, r *graphs.Record, names []string) ([]*Column, error) {
	wanted, err := namedAttributes(graphs.SchemaOf[uint32](r), names)
	if err != nil {
		return nil, err
	}
	return columns(t, graph, r, wanted)
}

// namedAttributes finds some attributes, or all without names.
func namedAttributes(schema graphs.Schema, names []string) ([]graphs.AttributeRecord, error) {
	if len(names) == 0 {
		return *schema.List, nil
	}
	var wanted []graphs.AttributeRecord
	for _, name := range names {
		i := schema.Find(name)
		if i < 0 {
			return nil, &NotFoundError{Kind: "attribute", Name: name}
		}
		wanted = append(wanted, (*schema.List)[i])
	}
	return wanted, nil
}

// EdgeColumns returns the values of attributes of the edges of a graph, as Columns does those of the
// vertices: edge by edge, in the order that csr.EdgeOrder gives the edges of the Snapshot of the given
// version. It reads the edges of the graph and the blocks of these attributes.
func (db *DB) EdgeColumns(ctx context.Context, graph string, version uint64, names ...string) ([]*Column, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]*Column, error) {
		if r.Version != version {
			return nil, fmt.Errorf("graph %q has version %d, no longer %d: %w", graph, r.Version, version, ErrConflict)
		}
		wanted, err := namedAttributes(graphs.SchemaOf[block.Arc](r), names)
		if err != nil || len(wanted) == 0 {
			return nil, err
		}
		return graphs.EdgeColumns(t, graph, r, wanted)
	})
}

// columns reads columns by vertex.
func columns(t *tree.Tx, graph string, r *graphs.Record, attributes []graphs.AttributeRecord) ([]*Column, error) {
	slots, err := graphs.SlotsOf(t, r)
	if err != nil {
		return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", empty slots", err)
	}
	vertices := slots.Table()
	columns := make([]*Column, len(attributes))
	for i, a := range attributes {
		if columns[i], err = graphs.ReadColumn(t, r, a, int(r.Vertices), vertices); err != nil {
			return nil, fault.Corrupt(t.Path, graphs.DescribeAttribute(graph, a.Name), err)
		}
	}
	return columns, nil
}

// Vertex returns a vertex with its attributes, in the order of
// GraphInfo.Attributes and without missing ones. It reads a block per attribute
// and does not need the graph in memory.
func (db *DB) Vertex(ctx context.Context, graph, key string) (Vertex, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (Vertex, error) { return vertex(t, graph, r, key) })
}

// VertexEdges reads a vertex as Vertex does and its edges as Neighbors does, both
// of the version of the graph that it returns.
func (db *DB) VertexEdges(ctx context.Context, graph, key string) (info GraphInfo, v Vertex, edges []Edge, err error) {
	edges, err = viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) (_ []Edge, err error) {
		info = graphInfo(r, graph)
		if v, err = vertex(t, graph, r, key); err != nil {
			return nil, err
		}
		return edgesAt(t, r, graph, key)
	})
	return info, v, edges, err
}

func vertex(t *tree.Tx, graph string, r *graphs.Record, key string) (Vertex, error) {
	slot, err := graphs.SlotOfVertex(t, r, graph, key)
	if err != nil {
		return Vertex{}, err
	}
	v := Vertex{Key: key}
	for _, a := range r.Attributes {
		values, err := graphs.ValuesAt(t, r, a, []uint32{slot})
		if err != nil {
			return Vertex{}, fault.Corrupt(t.Path, graphs.DescribeAttribute(graph, a.Name), err)
		}
		if !values[0].IsMissing() {
			v.Values = append(v.Values, NamedValue{Name: a.Name, Value: values[0]})
		}
	}
	return v, nil
}

// Keys returns the keys of a graph that start with prefix, in ascending order of
// their bytes: the first limit ones, or all where limit is 0; a negative limit is
// ErrInvalid. It reads the blocks that hold them.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: a limit of %d keys", ErrInvalid, limit)
	}
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]string, error) {
		if r.Object == 0 {
			return nil, nil
		}
		keys, err := graphs.KeysWith(t, r, prefix, limit)
		return keys, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", ids", err)
	})
}
