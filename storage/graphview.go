package storage

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// GraphView is a graph in one read transaction, for a question that reads the edges of few
// vertices. It is valid during the call that it is given to, and not safe for concurrent use.
type GraphView struct {
	Graph GraphInfo // its present version

	t     *tree.Tx
	graph *graphs.Record
	read  *graphs.ArcReader // nil until edges are read
	slots *block.SlotMap    // of the vertices, once it was read
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
	targets, _, err := v.arcs(vertex)
	return targets, err
}

// Directed returns the vertices to which edges lead from a vertex of a directed graph, and those from which
// edges lead to it, each ascending; none of an undirected graph. It reads what Neighbors reads.
func (v *GraphView) Directed(vertex uint32) (out, in []uint32, err error) {
	r, err := v.rows(vertex)
	return r[outRow].targets, r[inRow].targets, err
}

// The rows of a vertex. An undirected graph has the first one alone.
const (
	viewRow = iota // in the undirected view
	outRow         // edges from the vertex
	inRow          // edges to it
)

type graphRow struct {
	targets []uint32
	weights []float32 // nil in a graph without weights
	times   []int64   // nil in a graph without times
}

func (r *graphRow) addValues(of *GraphInfo, a block.ArcValue) {
	if of.Weighted {
		r.weights = append(r.weights, a.Weight)
	}
	if of.Timed {
		r.times = append(r.times, a.Time)
	}
}

// rows returns the rows of a vertex.
func (v *GraphView) rows(vertex uint32) (r [3]graphRow, err error) {
	targets, arcs, err := v.arcs(vertex)
	r[viewRow].targets = targets
	for i, a := range arcs {
		r[viewRow].addValues(&v.Graph, a.Edge())
		if !v.Graph.Directed {
			continue
		}
		for way, a := range [...]block.ArcValue{outRow: a, inRow: a.Turned()} {
			if way != viewRow && a.Weight != 0 {
				r[way].targets = append(r[way].targets, targets[i])
				r[way].addValues(&v.Graph, a)
			}
		}
	}
	return r, err
}

// arcs returns the arcs of a vertex, ascending by their targets, until the next call, and the numbers of the targets.
func (v *GraphView) arcs(vertex uint32) ([]uint32, []block.ArcValue, error) {
	slots, err := v.slotMap()
	if err != nil {
		return nil, nil, err
	}
	if int(vertex) >= slots.Vertices() {
		return nil, nil, v.noVertex(vertex, slots)
	}
	where := graphs.DescribeGraph(v.Graph.Name) + ", arcs"
	if v.read == nil {
		if v.read, err = graphs.NewArcReader(v.t, v.graph); err != nil {
			return nil, nil, fault.Corrupt(v.t.Path, where, err)
		}
	}
	arcs, err := v.read.Of(slots.Slot(vertex))
	if err != nil {
		return nil, nil, fault.Corrupt(v.t.Path, where, err)
	}
	targets := make([]uint32, len(arcs))
	for i, a := range arcs {
		id, found := slots.Vertex(a.Arc.Target())
		if !found {
			return nil, nil, fault.Corrupt(v.t.Path, where, fault.Record("an edge leads to the empty slot %d", a.Arc.Target()))
		}
		targets[i] = id
	}
	return targets, arcs, nil
}

// Degrees returns the degrees of all vertices in the present version of the graph. It decodes all
// arcs in as many goroutines as there are processors, and keeps 4 bytes for each slot: a quarter
// of the time of loading the graph, and less of its memory.
func (v *GraphView) Degrees() ([]uint32, error) {
	return v.degrees(func(_ *block.ArcBlock, from, to int) uint32 { return uint32(to - from) })
}

// InDegrees is Degrees for the in-degrees of a directed graph.
func (v *GraphView) InDegrees() ([]uint32, error) {
	return v.degrees(func(b *block.ArcBlock, from, to int) (n uint32) {
		for i := from; i < to; i++ {
			n += uint32(block.OneIf(b.At(i).Back != 0))
		}
		return n
	})
}

func (v *GraphView) degrees(count func(b *block.ArcBlock, from, to int) uint32) ([]uint32, error) {
	degrees, err := v.countArcs(count)
	return degrees, fault.Corrupt(v.t.Path, graphs.DescribeGraph(v.Graph.Name)+", arcs", err)
}

func (v *GraphView) countArcs(count func(b *block.ArcBlock, from, to int) uint32) ([]uint32, error) {
	m, err := v.slotMap()
	if err != nil || v.graph.Object == 0 {
		return nil, err
	}
	p, err := v.t.Part(v.graph.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	v.t.ReadAhead(p.Bucket)
	runs, err := graphs.ArcRuns(v.t, p)
	if err != nil {
		return nil, err
	}
	degrees := make([]uint32, m.Slots) // of slots; the arcs of one may lie in several runs
	room, all := make([]block.ArcBlock, runtime.GOMAXPROCS(0)), atomic.Uint64{}
	err = graphs.Parallel(v.t, len(runs), len(room), func(worker, i int) error {
		for _, b := range runs[i].Blocks {
			if err := graphs.OpenArcs(p, v.graph, &room[worker], b); err != nil {
				return err
			}
			arcs := room[worker].Arcs
			all.Add(uint64(len(arcs)))
			for first, at := 0, 1; at <= len(arcs); at++ {
				if at < len(arcs) && arcs[at].Source() == arcs[first].Source() {
					continue
				}
				slot := arcs[first].Source()
				if uint64(slot) >= m.Slots {
					return fault.Record("an edge of slot %d of %d", slot, m.Slots)
				}
				atomic.AddUint32(&degrees[slot], count(&room[worker], first, at))
				first = at
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case all.Load() != 2*v.graph.Edges:
		return nil, fault.Record("%d arcs where the catalogue says %d edges", all.Load(), v.graph.Edges)
	}
	for i, slot := range m.Empty {
		if degrees[slot] != 0 {
			return nil, fault.Record("an edge of the empty slot %d", slot)
		}
		end := len(degrees)
		if i+1 < len(m.Empty) {
			end = int(m.Empty[i+1])
		}
		copy(degrees[int(slot)-i:], degrees[slot+1:end])
	}
	return degrees[:m.Vertices()], nil
}

// RowCost is the fixed time of reading the edges of one vertex, in addition to its arcs, in arcs of
// a graph that is read as a whole: a block of up to 2 KB is found, verified and decoded.
const RowCost = 200

// GraphPart collects the edges of some vertices of a graph, for a question that needs no more
// of it. Of a directed graph it has them in both directions, and in the undirected view. It is valid as
// long as its GraphView.
type GraphPart struct {
	// Cost of what was read, in arcs of a graph that is read as a whole: the degrees of the
	// vertices in the undirected view, and 200 for each of them.
	Cost int64
	// NamedOnly makes Snapshot read the keys of the named vertices only, and not those of the
	// vertices that were read.
	NamedOnly bool
	// EdgeColumns is what ReadEdgeColumns has read.
	EdgeColumns []*Column

	view  *GraphView
	most  int64
	above error // returned if Cost exceeds most
	rows  [3]map[uint32]graphRow
	named map[uint32]struct{} // vertices without rows that have a key
}

// NewPart returns an empty part. No more of it is read once its cost exceeds most; reading then
// returns the error above.
func (v *GraphView) NewPart(most int64, above error) *GraphPart {
	p := &GraphPart{view: v, most: most, above: above, named: map[uint32]struct{}{}}
	for way := range p.rows {
		p.rows[way] = map[uint32]graphRow{}
	}
	return p
}

// Read reads the edges of vertices, unless the part has them. If the cost exceeds the limit, it
// ends as soon as this is known.
func (p *GraphPart) Read(vertices ...uint32) error {
	next := slices.Clone(vertices)
	slices.Sort(next)
	next = slices.DeleteFunc(slices.Compact(next), func(u uint32) bool { return p.has(u) })
	if p.Cost+int64(len(next))*RowCost > p.most {
		return p.above
	}
	for _, u := range next {
		rows, err := p.view.rows(u)
		if err != nil {
			return err
		}
		if p.Cost += RowCost + int64(len(rows[viewRow].targets)); p.Cost > p.most {
			return p.above
		}
		for way, row := range rows {
			if way == viewRow || p.view.Graph.Directed {
				p.rows[way][u] = row
			}
		}
	}
	return nil
}

func (p *GraphPart) has(vertex uint32) bool {
	_, read := p.rows[viewRow][vertex]
	return read
}

// ReadAround reads the edges of a vertex and of all vertices within steps edges of it, which row returns for a vertex
// that was read: Neighbors, Out or In.
func (p *GraphPart) ReadAround(vertex uint32, steps int, row func(vertex uint32) []uint32) error {
	within := []uint32{vertex}
	for step := range steps + 1 {
		if err := p.Read(within...); err != nil {
			return err
		}
		if step == steps {
			break
		}
		for _, u := range slices.Clone(within) {
			within = append(within, row(u)...)
		}
		slices.Sort(within)
		within = slices.Compact(within)
	}
	return nil
}

// DropRows forgets all edges that were read; Cost stays.
func (p *GraphPart) DropRows() {
	for _, rows := range p.rows {
		clear(rows)
	}
}

// Name adds vertices with their keys and without their edges.
func (p *GraphPart) Name(vertices ...uint32) {
	for _, u := range vertices {
		p.named[u] = struct{}{}
	}
}

// Neighbors returns the neighbours of a vertex that was read, ascending; none of others.
func (p *GraphPart) Neighbors(vertex uint32) []uint32 { return p.rows[viewRow][vertex].targets }

// Out returns the vertices to which edges lead from a vertex of a directed graph that was read, ascending; none of
// others.
func (p *GraphPart) Out(vertex uint32) []uint32 { return p.rows[outRow][vertex].targets }

// In returns the vertices from which edges lead to a vertex of a directed graph that was read, ascending; none of
// others.
func (p *GraphPart) In(vertex uint32) []uint32 { return p.rows[inRow][vertex].targets }

// Graph returns the rows of the part and its Vertices. In the graph these have numbers of their
// own, in the same order. Vertices that were not read have empty rows, so it is
// not symmetric.
func (p *GraphPart) Graph() (g *csr.Graph, vertices []uint32) {
	vertices = p.Vertices()
	return (*csr.Graph)(p.numbered(viewRow, vertices)), vertices
}

// Directed returns the rows of a part of a directed graph, whose Vertices are given, numbered as by Graph; nil of
// an undirected graph. An edge is in a row only if the vertex of that row was read.
func (p *GraphPart) Directed(vertices []uint32) *csr.Directed {
	if !p.view.Graph.Directed {
		return nil
	}
	return &csr.Directed{Out: *p.numbered(outRow, vertices), In: *p.numbered(inRow, vertices)}
}

// Snapshot returns the part with the keys of its vertices. A vertex that was neither read nor named
// has the key "" and is not found by Snapshot.Vertex. Info is that of the whole graph, and Slot has
// no meaning. columns has the values of the attributes that names lists, of the vertices that have
// keys.
func (p *GraphPart) Snapshot(names []string) (s *Snapshot, columns []*Column, vertices []uint32, err error) {
	g, vertices := p.Graph()
	s = &Snapshot{Info: p.view.Graph, Graph: g, keys: block.NewKeySet(len(vertices))}
	var keyed, places []uint32
	for i, u := range vertices {
		if _, named := p.named[u]; named || p.has(u) && !p.NamedOnly {
			keyed, places = append(keyed, u), append(places, uint32(i))
		}
	}
	keys, err := p.view.Keys(keyed)
	if err != nil {
		return nil, nil, nil, err
	}
	at := 0
	for i := range vertices {
		key := ""
		if at < len(places) && int(places[at]) == i {
			key = keys[at]
			at++
		}
		s.keys.Add(block.BytesOf(key))
	}
	m, err := p.view.slotMap()
	if err != nil {
		return nil, nil, nil, err
	}
	for i, u := range keyed {
		keyed[i] = m.Slot(u)
	}
	columns, err = columnsAt(p.view, names, keyed, places, len(vertices))
	return s, columns, vertices, err
}

// ReadEdgeColumns reads the values of attributes of edges, which are given by their vertices in the order of
// csr.EdgeOrder: EdgeColumns has them by the place of the edge in the list.
func (p *GraphPart) ReadEdgeColumns(names []string, edges []csr.Edge) error {
	m, err := p.view.slotMap()
	if err != nil {
		return err
	}
	places, rows := make([]block.Arc, len(edges)), make([]uint32, len(edges))
	for i, e := range edges {
		places[i], rows[i] = p.view.graph.EdgeArc(m.Slot(e.U), m.Slot(e.V)), uint32(i)
	}
	p.EdgeColumns, err = columnsAt(p.view, names, places, rows, len(edges))
	return err
}

// columnsAt reads attributes at places, in ascending order, into columns of n rows, of which each place has one.
func columnsAt[P block.Place](v *GraphView, names []string, places []P, rows []uint32, n int) ([]*Column, error) {
	if len(names) == 0 {
		return nil, nil
	}
	attributes, err := namedAttributes(graphs.SchemaOf[P](v.graph), names)
	if err != nil {
		return nil, err
	}
	columns := make([]*Column, len(names))
	for i, a := range attributes {
		values, err := graphs.ValuesAt(v.t, v.graph, a, places)
		if err != nil {
			return nil, fault.Corrupt(v.t.Path, graphs.DescribeValues[P](v.Graph.Name, a.Name), err)
		}
		columns[i] = block.NewColumn(a.Attribute(), n)
		for j, value := range values {
			if err := columns[i].Set(rows[j], value); err != nil {
				return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
			}
		}
	}
	return columns, nil
}

// Vertices lists the numbers in the whole graph of the vertices of the part, ascending: those that
// were read or named, and the neighbours of the former.
func (p *GraphPart) Vertices() []uint32 {
	var list []uint32
	for u, row := range p.rows[viewRow] { // sorted below
		list = append(append(list, u), row.targets...)
	}
	for u := range p.named {
		list = append(list, u)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// numbered builds the rows of the part, whose vertices are given.
func (p *GraphPart) numbered(way int, vertices []uint32) *csr.Rows {
	r := &csr.Rows{Offsets: make([]int64, 1, len(vertices)+1)}
	if p.view.Graph.Weighted {
		r.Weights = []float32{}
	}
	if p.view.Graph.Timed {
		r.Times = []int64{}
	}
	for _, u := range vertices {
		row := p.rows[way][u]
		for _, w := range row.targets {
			r.Targets = append(r.Targets, numberIn(vertices, w))
		}
		r.Weights, r.Times = append(r.Weights, row.weights...), append(r.Times, row.times...)
		r.Offsets = append(r.Offsets, int64(len(r.Targets)))
	}
	return r
}

// numberIn returns the number of a vertex of the whole graph in a part with these vertices.
func numberIn(vertices []uint32, vertex uint32) uint32 {
	i, _ := slices.BinarySearch(vertices, vertex)
	return uint32(i)
}
