package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"heavytail/storage/vec"
)

// compare compares every answer of the store with the model.
func (m *modelRun) compare() error {
	ctx := context.Background()
	list, err := m.db.Graphs(ctx)
	if err != nil {
		return err
	}
	var found []string
	for _, info := range list {
		found = append(found, info.Name)
	}
	if want := slices.Sorted(maps.Keys(m.model.graphs)); !slices.Equal(found, want) {
		return fmt.Errorf("graphs %q, want %q", found, want)
	}
	snapshots := make(map[string]*Snapshot)
	for _, name := range found {
		s, err := m.db.Snapshot(ctx, name)
		if err == nil {
			err = compareGraph(m.db, s, m.model.graphs[name])
		}
		if err != nil {
			return fmt.Errorf("graph %q, %v: %w", name, m.model.graphs[name], err)
		}
		snapshots[name] = s
	}
	infos, err := m.db.Embeddings(ctx)
	if err != nil || len(infos) != len(m.model.embeddings) {
		return fmt.Errorf("%d embeddings, want %d: %w", len(infos), len(m.model.embeddings), err)
	}
	for _, info := range infos {
		want := m.model.embeddings[info.Name]
		if err := compareEmbedding(m.db, info.Name, want, snapshots[want.graph], m.model.graphs[want.graph]); err != nil {
			return fmt.Errorf("embedding %q: %w", info.Name, err)
		}
	}
	return nil
}

// compareEmbedding compares the rows as they are and as they fit the present
// version of the graph.
func compareEmbedding(db *DB, name string, want *modelEmbedding, s *Snapshot, g *modelGraph) error {
	info, matrix, err := db.Embedding(context.Background(), name)
	if err != nil {
		return err
	}
	if info.Generation != want.generation || info.Graph != want.graph || info.GraphVersion != want.version || info.Dim != want.dim || !slices.Equal(matrix.Data, want.rows) {
		return fmt.Errorf("differs: %+v", info)
	}
	aligned, err := s.Align(info, matrix)
	if err != nil {
		return err
	}
	left := vec.Matrix{Dim: want.dim}
	for row, slot := range want.slots {
		if g.keys[slot] != "" {
			left.Data = append(left.Data, want.rows[row*want.dim:(row+1)*want.dim]...)
			left.Rows++
		}
	}
	if aligned.Rows != left.Rows || !slices.Equal(aligned.Data, left.Data) {
		return fmt.Errorf("%d rows are left of %d, want %d, or others", aligned.Rows, matrix.Rows, left.Rows)
	}
	return nil
}

func compareGraph(db *DB, s *Snapshot, want *modelGraph) error {
	live := want.live()
	info := s.Info
	if err := s.Graph.Validate(); err != nil {
		return err
	}
	weighted, timed := want.valued()
	if info.Version != want.version() || info.Vertices != len(live) || s.Graph.Vertices() != len(live) || info.Directed != want.directed || info.Edges != int64(want.pairs()) || info.Count() != int64(len(want.edges)) ||
		s.Graph.Edges() != info.Edges || info.Deleted != len(want.keys)-len(live) || !slices.Equal(info.Attributes, want.attributes) ||
		info.Weighted != weighted || info.Timed != timed || (s.Graph.Weights != nil) != weighted || (s.Graph.Times != nil) != timed {
		return fmt.Errorf("%+v", info)
	}
	for v, slot := range live {
		id, found := s.Vertex(want.keys[slot])
		if s.Key(uint32(v)) != want.keys[slot] || !found || int(id) != v || s.Slot(uint32(v)) != slot {
			return fmt.Errorf("vertex %d has key %q and slot %d, and %q has vertex %d, %t", v, s.Key(uint32(v)), s.Slot(uint32(v)), want.keys[slot], id, found)
		}
		for at := s.Graph.Offsets[v]; at < s.Graph.Offsets[v+1]; at++ {
			other := live[s.Graph.Targets[at]]
			e, found := want.view(slot, other)
			if !found || (weighted && s.Graph.Weights[at] != e.weight) || (timed && s.Graph.Times[at] != e.time) {
				return fmt.Errorf("edge of slots (%d, %d) is invented or has other values", slot, other)
			}
		}
	}
	if err := compareDirected(db, s, want, live); err != nil {
		return err
	}
	for _, compare := range []func(*DB, *Snapshot, *modelGraph, []uint32) error{compareColumns, compareEdgeColumns, comparePoints, compareKeys, compareChanges} {
		if err := compare(db, s, want, live); err != nil {
			return err
		}
	}
	return nil
}

// compareDirected compares the edges of a directed graph, and what reads its lists and single rows.
func compareDirected(db *DB, s *Snapshot, want *modelGraph, live []uint32) error {
	ctx := context.Background()
	d, info, err := db.Directed(ctx, s.Info.Name)
	if !want.directed {
		return expect(err, ErrInvalid)
	}
	if err == nil {
		err = d.Validate()
	}
	if err != nil || !reflect.DeepEqual(info, s.Info) || d.Vertices() != len(live) || d.Arcs() != int64(len(want.edges)) || d.Weighted() != info.Weighted || (d.Out.Times != nil) != info.Timed {
		return fmt.Errorf("directed: %+v, %w", info, err)
	}
	for u, slot := range live {
		for at := d.Out.Offsets[u]; at < d.Out.Offsets[u+1]; at++ {
			e, found := want.edges[[2]uint32{slot, live[d.Out.Targets[at]]}]
			if !found || d.Weighted() && d.Out.Weights[at] != e.weight || info.Timed && d.Out.Times[at] != e.time {
				return fmt.Errorf("edge from slot %d to %d is invented or has other values", slot, live[d.Out.Targets[at]])
			}
		}
	}
	if !reflect.DeepEqual(d.Undirected().Weights, s.Graph.Weights) || !reflect.DeepEqual(d.Undirected().Times, s.Graph.Times) {
		return errors.New("the undirected view differs from that of the directed graph")
	}
	return nil
}

func compareColumns(db *DB, s *Snapshot, want *modelGraph, live []uint32) error {
	ctx := context.Background()
	var names []string
	for i := range want.attributes {
		names = append(names, want.attributes[len(want.attributes)-1-i].Name)
	}
	for _, asked := range [][]string{nil, names} {
		columns, err := db.Columns(ctx, s.Info.Name, s.Info.Version, asked...)
		if err != nil || len(columns) != len(want.attributes) {
			return fmt.Errorf("%d columns, want %d: %w", len(columns), len(want.attributes), err)
		}
		for i, c := range columns {
			if (asked == nil && c.Attribute != want.attributes[i]) || (asked != nil && c.Name != asked[i]) || c.Len() != len(live) || c.Count() != len(want.values[c.Name]) {
				return fmt.Errorf("column %d is %v with %d of %d values, want %d", i, c.Attribute, c.Count(), c.Len(), len(want.values[c.Name]))
			}
			for v, slot := range live {
				if c.At(uint32(v)) != want.values[c.Name][slot] {
					return fmt.Errorf("attribute %q of slot %d is %v, want %v", c.Name, slot, c.At(uint32(v)), want.values[c.Name][slot])
				}
			}
		}
	}
	_, err := db.Columns(ctx, s.Info.Name, s.Info.Version, "nothing")
	if err := expect(err, ErrNotFound); err != nil {
		return err
	}
	_, err = db.Columns(ctx, s.Info.Name, s.Info.Version+1)
	return expect(err, ErrConflict)
}

func compareEdgeColumns(db *DB, s *Snapshot, want *modelGraph, live []uint32) error {
	ctx := context.Background()
	if !slices.Equal(s.Info.EdgeAttributes, want.edgeAttributes) {
		return fmt.Errorf("attributes of edges %v, want %v", s.Info.EdgeAttributes, want.edgeAttributes)
	}
	columns, err := db.EdgeColumns(ctx, s.Info.Name, s.Info.Version)
	if err != nil || len(columns) != len(want.edgeAttributes) {
		return fmt.Errorf("%d columns of edges, want %d: %w", len(columns), len(want.edgeAttributes), err)
	}
	for i, c := range columns {
		values, order, edges := want.edgeValues[c.Name], s.Graph.Order(), s.Graph.Edges()
		if want.directed {
			d, _, err := db.Directed(ctx, s.Info.Name)
			if err != nil {
				return err
			}
			order, edges = d.Out.Order(), d.Arcs()
		}
		if c.Attribute != want.edgeAttributes[i] || int64(c.Len()) != edges || c.Count() != len(values) || s.Info.EdgeValues[i] != int64(len(values)) {
			return fmt.Errorf("column %d of edges is %v with %d of %d values, want %d", i, c.Attribute, c.Count(), c.Len(), len(values))
		}
		for e := range edges {
			u, v := order.Ends(e)
			if x := values[[2]uint32{live[u], live[v]}]; c.At(uint32(e)) != x {
				return fmt.Errorf("attribute %q of edge %d is %v, want %v", c.Name, e, c.At(uint32(e)), x)
			}
		}
	}
	_, err = db.EdgeColumns(ctx, s.Info.Name, s.Info.Version, "nothing")
	if err := expect(err, ErrNotFound); err != nil {
		return err
	}
	_, err = db.EdgeColumns(ctx, s.Info.Name, s.Info.Version+1)
	return expect(err, ErrConflict)
}

// comparePoints compares what reads single blocks.
func comparePoints(db *DB, s *Snapshot, want *modelGraph, live []uint32) error {
	ctx := context.Background()
	for v := 0; v < len(live); v += 1 + len(live)/7 {
		key := want.keys[live[v]]
		id, err := db.VertexID(ctx, s.Info.Name, key)
		if err != nil || int(id) != v {
			return fmt.Errorf("key %q: vertex %d, %w, want %d", key, id, err, v)
		}
		list, err := db.Neighbors(ctx, s.Info.Name, key)
		if err != nil || !reflect.DeepEqual(list, want.neighborsOf(live[v])) {
			return fmt.Errorf("neighbours of %q: %v, %w, want %v", key, list, err, want.neighborsOf(live[v]))
		}
		vertex, err := db.Vertex(ctx, s.Info.Name, key)
		if err != nil || !reflect.DeepEqual(vertex, want.vertexAt(live[v])) {
			return fmt.Errorf("vertex %v, %w, want %v", vertex, err, want.vertexAt(live[v]))
		}
	}
	for _, key := range []string{"nobody", "", "\xff"} {
		_, id := db.VertexID(ctx, s.Info.Name, key)
		_, vertex := db.Vertex(ctx, s.Info.Name, key)
		_, neighbors := db.Neighbors(ctx, s.Info.Name, key)
		for _, err := range []error{id, vertex, neighbors} {
			if !errors.Is(err, ErrNotFound) {
				return fmt.Errorf("unknown key %q: %w", key, err)
			}
		}
	}
	return nil
}

func compareKeys(db *DB, s *Snapshot, want *modelGraph, _ []uint32) error {
	for _, prefix := range []string{"", "1", "a-", "éé", "é", "nobody", "\xff"} {
		for _, limit := range []int{0, 1, 7} {
			got, err := db.Keys(context.Background(), s.Info.Name, prefix, limit)
			if keys := want.keysWith(prefix, limit); err != nil || !slices.Equal(got, keys) {
				return fmt.Errorf("keys with %q: %q, %w, want %q", prefix, got, err, keys)
			}
		}
	}
	return nil
}

func compareChanges(db *DB, s *Snapshot, want *modelGraph, _ []uint32) error {
	for since := uint64(1); since <= want.version(); since++ {
		set, err := db.Changes(context.Background(), s.Info.Name, since)
		if expected := want.changesSince(since); err != nil || !reflect.DeepEqual(set, expected) {
			return fmt.Errorf("changes since %d: %+v, %w, want %+v", since, set, err, expected)
		}
	}
	_, err := db.Changes(context.Background(), s.Info.Name, want.version()+1)
	return expect(err, ErrInvalid)
}
