package storage

import (
	"context"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// GraphView is a graph in one read transaction, for a question that reads the edges of few
// vertices. It is valid during the call that it is given to.
type GraphView struct {
	Graph GraphInfo // its present version

	t     *tx
	graph *graphRecord
	slots *block.SlotMap // of the vertices, once it was read
}

// ViewGraph calls f with a graph, and returns the error of f. The rules are those of
// ViewRows.
func (db *DB) ViewGraph(ctx context.Context, graph string, f func(*GraphView) error) error {
	return db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		return f(&GraphView{Graph: r.info(graph), t: t, graph: r})
	})
}

// Around is the part of a graph around a vertex. Its vertices have numbers of their own, in
// the same order as in the graph.
type Around struct {
	// Graph has the rows of the vertices within the steps that were asked for. Those of their
	// other neighbours are empty, so it is not symmetric.
	Graph    *csr.Graph
	Vertex   uint32   // its number in Graph
	Vertices []uint32 // the number in the whole graph of each vertex of Graph
	Cost     int64    // of reading it, in arcs of the graph; see GraphView.Around
}

// rowCost is the time of reading the edges of one vertex, beside its arcs, in arcs of a
// graph that is read as a whole: a block of up to 2 KB is found, verified and decoded.
const rowCost = 200

// Around reads the edges of a vertex and of all vertices within steps edges of it. Cost is
// the sum of their degrees and of 200 for each of them: what reading a whole graph with so
// many arcs takes. If it is larger than most, Around stops, as soon as it knows, and Graph is
// nil; Cost is then what was read.
func (v *GraphView) Around(vertex uint32, steps int, most int64) (*Around, error) {
	a := &Around{}
	rows := map[uint32][]uint32{}
	a.Vertices = []uint32{vertex}
	for range steps + 1 {
		next := slices.DeleteFunc(slices.Clone(a.Vertices), func(u uint32) bool { _, there := rows[u]; return there })
		if a.Cost+int64(len(next))*rowCost > most {
			return a, nil
		}
		for _, u := range next {
			row, err := v.Neighbors(u)
			if err != nil {
				return nil, err
			}
			if a.Cost += rowCost + int64(len(row)); a.Cost > most {
				return a, nil
			}
			rows[u] = row
			a.Vertices = append(a.Vertices, row...)
		}
		slices.Sort(a.Vertices)
		a.Vertices = slices.Compact(a.Vertices)
	}
	a.Vertex = a.number(vertex)
	a.Graph = &csr.Graph{Offsets: make([]int64, 1, len(a.Vertices)+1)}
	for _, u := range a.Vertices {
		for _, w := range rows[u] {
			a.Graph.Targets = append(a.Graph.Targets, a.number(w))
		}
		a.Graph.Offsets = append(a.Graph.Offsets, int64(len(a.Graph.Targets)))
	}
	return a, nil
}

// number returns the number in Graph of a vertex of the whole graph.
func (a *Around) number(vertex uint32) uint32 {
	i, _ := slices.BinarySearch(a.Vertices, vertex)
	return uint32(i)
}

// slotMap maps the vertices of the graph to its slots.
func (v *GraphView) slotMap() (*block.SlotMap, error) {
	if v.slots == nil {
		m, err := v.t.slotsOf(v.graph)
		if err != nil {
			return nil, fault.Corrupt(v.t.path, describeGraph(v.Graph.Name)+", empty slots", err)
		}
		v.slots = &m
	}
	return v.slots, nil
}

// Vertex returns the number of a vertex in the present version of the graph, as
// VertexID does.
func (v *GraphView) Vertex(key string) (uint32, error) {
	return v.t.vertexID(v.graph, v.Graph.Name, key)
}

// Keys returns the keys of vertices of the present version of the graph.
func (v *GraphView) Keys(vertices []uint32) ([]string, error) {
	keys, err := v.keys(vertices)
	return keys, fault.Corrupt(v.t.path, describeGraph(v.Graph.Name)+", keys", err)
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
	found, err := v.t.keysOfSlots(v.graph, slots)
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

// noVertex is the error for the number of a vertex that the graph does not have.
func (v *GraphView) noVertex(vertex uint32, m *block.SlotMap) error {
	return fmt.Errorf("vertex %d of graph %q, which has %d: %w", vertex, v.Graph.Name, m.Vertices(), ErrInvalid)
}

// Neighbors returns the neighbours of a vertex in the present version of the graph,
// ascending. It reads the blocks that hold the edges of the vertex and, if the graph has
// empty slots, the list of those.
func (v *GraphView) Neighbors(vertex uint32) ([]uint32, error) {
	slots, err := v.slotMap()
	if err != nil {
		return nil, err
	}
	if int(vertex) >= slots.Vertices() {
		return nil, v.noVertex(vertex, slots)
	}
	where := describeGraph(v.Graph.Name) + ", arcs"
	arcs, err := v.t.arcsOf(v.graph, slots.Slot(vertex))
	if err != nil {
		return nil, fault.Corrupt(v.t.path, where, err)
	}
	neighbors := make([]uint32, len(arcs))
	for i, a := range arcs {
		id, found := slots.Vertex(a.Arc.Target())
		if !found {
			return nil, fault.Corrupt(v.t.path, where, fault.Record("an edge leads to the empty slot %d", a.Arc.Target()))
		}
		neighbors[i] = id
	}
	return neighbors, nil
}
