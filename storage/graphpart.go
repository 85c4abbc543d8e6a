package storage

import (
	"fmt"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"slices"
)

// RowCost is the fixed time of reading the edges of one vertex, in addition to its arcs, in arcs of
// a graph that is read as a whole: a block of up to 2 KB is found, verified and decoded.
const RowCost = 200

// GraphPart collects the edges of some vertices of a graph, for a question that needs no more
// of it. It is valid as long as its GraphView.
type GraphPart struct {
	// Cost of what was read, in arcs of a graph that is read as a whole: the degrees of the
	// vertices, and 200 for each of them.
	Cost int64

	view  *GraphView
	most  int64
	above error // returned if Cost exceeds most
	rows  map[uint32]graphRow
	named map[uint32]struct{} // vertices without rows that have a key
}

// NewPart returns an empty part. No more of it is read once its cost exceeds most; reading then
// returns the error above.
func (v *GraphView) NewPart(most int64, above error) *GraphPart {
	return &GraphPart{view: v, most: most, above: above, rows: map[uint32]graphRow{}, named: map[uint32]struct{}{}}
}

// Read reads the edges of vertices, unless the part has them. If the cost exceeds the limit, it
// ends as soon as this is known.
func (p *GraphPart) Read(vertices ...uint32) error {
	next := slices.Clone(vertices)
	slices.Sort(next)
	next = slices.DeleteFunc(slices.Compact(next), func(u uint32) bool { _, there := p.rows[u]; return there })
	if p.Cost+int64(len(next))*RowCost > p.most {
		return p.above
	}
	for _, u := range next {
		row, err := p.view.row(u)
		if err != nil {
			return err
		}
		if p.Cost += RowCost + int64(len(row.targets)); p.Cost > p.most {
			return p.above
		}
		p.rows[u] = row
	}
	return nil
}

// ReadAround reads the edges of a vertex and of all vertices within steps edges of it.
func (p *GraphPart) ReadAround(vertex uint32, steps int) error {
	within := []uint32{vertex}
	for step := range steps + 1 {
		if err := p.Read(within...); err != nil {
			return err
		}
		if step == steps {
			break
		}
		for _, u := range slices.Clone(within) {
			within = append(within, p.rows[u].targets...)
		}
		slices.Sort(within)
		within = slices.Compact(within)
	}
	return nil
}

// Name adds vertices with their keys and without their edges.
func (p *GraphPart) Name(vertices ...uint32) {
	for _, u := range vertices {
		p.named[u] = struct{}{}
	}
}

// Neighbors returns the neighbours of a vertex that was read, ascending; none of others.
func (p *GraphPart) Neighbors(vertex uint32) []uint32 { return p.rows[vertex].targets }

// Graph returns the rows of the part and its Vertices. In the graph these have numbers of their
// own, in the same order. Vertices that were not read have empty rows, so it is
// not symmetric.
func (p *GraphPart) Graph() (g *csr.Graph, vertices []uint32) {
	vertices = p.Vertices()
	return p.graph(vertices), vertices
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
		_, read := p.rows[u]
		if _, named := p.named[u]; read || named {
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
	columns, err = p.columns(names, keyed, places, len(vertices))
	return s, columns, vertices, err
}

// columns reads attributes of the vertices keyed, whose numbers in a part of n vertices are
// places.
func (p *GraphPart) columns(names []string, keyed, places []uint32, n int) ([]*Column, error) {
	v := p.view
	columns := make([]*Column, len(names))
	m, err := v.slotMap()
	if err != nil {
		return nil, err
	}
	slots := make([]uint32, len(keyed))
	for i, u := range keyed {
		slots[i] = m.Slot(u)
	}
	for i, name := range names {
		at := v.graph.FindAttribute(name)
		if at < 0 {
			return nil, &NotFoundError{Kind: "attribute", Name: name}
		}
		values, err := graphs.ValuesAt(v.t, v.graph, v.graph.Attributes[at], slots)
		if err != nil {
			return nil, fault.Corrupt(v.t.Path, graphs.DescribeAttribute(v.Graph.Name, name), err)
		}
		columns[i] = block.NewColumn(v.Graph.Attributes[at], n)
		for j, value := range values {
			if err := columns[i].Set(places[j], value); err != nil {
				return nil, fmt.Errorf("attribute %q: %w", name, err)
			}
		}
	}
	return columns, nil
}

// Vertices lists the numbers in the whole graph of the vertices of the part, ascending: those that
// were read or named, and the neighbours of the former.
func (p *GraphPart) Vertices() []uint32 {
	var list []uint32
	for u, row := range p.rows { // sorted below
		list = append(append(list, u), row.targets...)
	}
	for u := range p.named {
		list = append(list, u)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// graph builds the rows of the part, whose vertices are given.
func (p *GraphPart) graph(vertices []uint32) *csr.Graph {
	g := &csr.Graph{Offsets: make([]int64, 1, len(vertices)+1)}
	if p.view.Graph.Weighted {
		g.Weights = []float32{}
	}
	if p.view.Graph.Timed {
		g.Times = []int64{}
	}
	for _, u := range vertices {
		row := p.rows[u]
		for _, w := range row.targets {
			g.Targets = append(g.Targets, numberIn(vertices, w))
		}
		g.Weights, g.Times = append(g.Weights, row.weights...), append(g.Times, row.times...)
		g.Offsets = append(g.Offsets, int64(len(g.Targets)))
	}
	return g
}

// numberIn returns the number of a vertex of the whole graph in a part with these vertices.
func numberIn(vertices []uint32, vertex uint32) uint32 {
	i, _ := slices.BinarySearch(vertices, vertex)
	return uint32(i)
}
