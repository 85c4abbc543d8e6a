package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"slices"
)

// GraphView is a graph in one read transaction, for a question that reads the edges of few
// vertices. It is valid during the call that it is given to.
type GraphView struct {
	Graph GraphInfo // its present version

	t     *tree.Tx
	graph *graphs.Record
	slots *block.SlotMap // of the vertices, once it was read
}

// ViewGraph calls f with a graph, and returns the error of f. The rules are those of
// ViewRows.
func (db *DB) ViewGraph(ctx context.Context, graph string, f func(*GraphView) error) error {
	return db.file.View(ctx, func(t *tree.Tx) error {
		r, err := graphs.Find(t, graph)
		if err != nil {
			return err
		}
		return f(&GraphView{Graph: graphInfo(r, graph), t: t, graph: r})
	})
}

func (v *GraphView) slotMap() (*block.SlotMap, error) {
	if v.slots == nil {
		m, err := graphs.SlotsOf(v.t, v.graph)
		if err != nil {
			return nil, fault.Corrupt(v.t.Path, graphs.DescribeGraph(v.Graph.Name)+", empty slots", err)
		}
		v.slots = &m
	}
	return v.slots, nil
}

// Vertex returns the number of a vertex in the present version of the graph, as
// VertexID does.
func (v *GraphView) Vertex(key string) (uint32, error) {
	return vertexID(v.t, v.graph, v.Graph.Name, key)
}

// Keys returns the keys of vertices of the present version of the graph.
func (v *GraphView) Keys(vertices []uint32) ([]string, error) {
	keys, err := v.keys(vertices)
	return keys, fault.Corrupt(v.t.Path, graphs.DescribeGraph(v.Graph.Name)+", keys", err)
}

func (v *GraphView) keys(vertices []uint32) ([]string, error) {
	m, err := v.slotMap()
	if err != nil {
		return nil, err
	}
	sorted := slices.Clone(vertices)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	slots := make([]uint32, len(sorted))
	for i, vertex := range sorted {
		if int(vertex) >= m.Vertices() {
			return nil, v.noVertex(vertex, m)
		}
		slots[i] = m.Slot(vertex)
	}
	found, err := graphs.KeysOfSlots(v.t, v.graph, slots)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(vertices))
	for i, vertex := range vertices {
		at, _ := slices.BinarySearch(sorted, vertex)
		keys[i] = found[at]
	}
	return keys, nil
}

func (v *GraphView) noVertex(vertex uint32, m *block.SlotMap) error {
	return fmt.Errorf("vertex %d of graph %q, which has %d: %w", vertex, v.Graph.Name, m.Vertices(), ErrInvalid)
}

// Neighbors returns the neighbours of a vertex in the present version of the graph,
// ascending. It reads the blocks that hold the edges of the vertex and, if the graph has
// empty slots, the list of those.
func (v *GraphView) Neighbors(vertex uint32) ([]uint32, error) {
	r, err := v.row(vertex)
	return r.targets, err
}

type graphRow struct {
	targets []uint32
	weights []float32 // nil in a graph without weights
	times   []int64   // nil in a graph without times
}

func (v *GraphView) row(vertex uint32) (r graphRow, err error) {
	slots, err := v.slotMap()
	if err != nil {
		return r, err
	}
	if int(vertex) >= slots.Vertices() {
		return r, v.noVertex(vertex, slots)
	}
	where := graphs.DescribeGraph(v.Graph.Name) + ", arcs"
	arcs, err := graphs.ArcsOf(v.t, v.graph, slots.Slot(vertex))
	if err != nil {
		return r, fault.Corrupt(v.t.Path, where, err)
	}
	r.targets = make([]uint32, len(arcs))
	for i, a := range arcs {
		id, found := slots.Vertex(a.Arc.Target())
		if !found {
			return r, fault.Corrupt(v.t.Path, where, fault.Record("an edge leads to the empty slot %d", a.Arc.Target()))
		}
		r.targets[i] = id
		if v.Graph.Weighted {
			r.weights = append(r.weights, a.Weight)
		}
		if v.Graph.Timed {
			r.times = append(r.times, a.Time)
		}
	}
	return r, nil
}
