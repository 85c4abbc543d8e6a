package csr

import "heavytail/storage/vec"

// Components are the connected components of a graph, numbered by descending
// size, and among equal sizes by their smallest vertex.
type Components struct {
	Label []uint32 // component of each vertex
	Sizes []int    // vertices of each component, descending
}

// Count returns the number of components. An isolated vertex is one.
func (c *Components) Count() int { return len(c.Sizes) }

// Vertices returns the vertices of every component, ascending within each. It
// takes O(n).
func (c *Components) Vertices() [][]uint32 {
	lists := make([][]uint32, len(c.Sizes))
	for i, size := range c.Sizes {
		lists[i] = make([]uint32, 0, size)
	}
	for v, label := range c.Label {
		lists[label] = append(lists[label], uint32(v))
	}
	return lists
}

// Components finds the connected components. It takes O(n + m) Joins of Sets at most, and 8 bytes
// per vertex. The first edges of all vertices connect most of a graph that has one large component;
// further edges of its vertices are not read, since those that leave it are read at their other end
// (Sutton, Ben-Nun and Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
// Sampling", 2018).
func (g *Graph) Components() *Components {
	const first = 2 // edges of each vertex that are read in any case
	n := g.Vertices()
	s := NewSets(n)
	for v := range uint32(n) {
		row := g.Neighbors(v)
		for _, u := range row[:min(first, len(row))] {
			s.Join(u, v)
		}
	}
	largest := s.largest()
	for v := range uint32(n) {
		if row := g.Neighbors(v); len(row) > first && s.smallest(v) != s.smallest(largest) {
			for _, u := range row[first:] {
				s.Join(u, v)
			}
		}
	}
	return s.Components()
}

// Components returns the sets as Graph.Components numbers those of a graph whose edges were
// joined. It takes O(n).
func (s *Sets) Components() *Components {
	label := make([]uint32, len(s.parent))
	var sizes []int
	for v := range label {
		if root := s.smallest(uint32(v)); root != uint32(v) {
			label[v] = label[root] // the root is smaller, so it has its label
		} else {
			label[v] = uint32(len(sizes))
			sizes = append(sizes, 0)
		}
		sizes[label[v]]++
	}
	return byDescendingSize(label, sizes)
}

// byDescendingSize renumbers components found in order of their smallest
// vertex, so that the order of ties is kept. Counting sort: sizes are at most n.
func byDescendingSize(label []uint32, sizes []int) *Components {
	start := make([]int, len(label)+2)
	for _, size := range sizes {
		start[len(label)-size+1]++
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	rank := make([]uint32, len(sizes))
	ordered := make([]int, len(sizes))
	for id, size := range sizes {
		position := start[len(label)-size]
		start[len(label)-size]++
		rank[id], ordered[position] = uint32(position), size
	}
	for v := range label {
		label[v] = rank[label[v]]
	}
	return &Components{Label: label, Sizes: ordered}
}

// Induced returns the subgraph on the given vertices, which must be ascending
// and distinct; vertex i of the result is vertices[i]. Weights and timestamps
// are kept. It takes O(n + sum of the degrees) time and 4 bytes per vertex of g of working
// memory.
func (g *Graph) Induced(vertices []uint32) *Graph {
	const outside = ^uint32(0)
	local := vec.Zeros[uint32](g.Vertices())
	for v := range local {
		local[v] = outside
	}
	for i, v := range vertices {
		local[v] = uint32(i)
	}
	sub := &Graph{Offsets: make([]int64, len(vertices)+1)}
	for i, v := range vertices {
		for at := g.Offsets[v]; at < g.Offsets[v+1]; at++ {
			if u := local[g.Targets[at]]; u != outside {
				sub.Targets = append(sub.Targets, u)
				if g.Weights != nil {
					sub.Weights = append(sub.Weights, g.Weights[at])
				}
				if g.Times != nil {
					sub.Times = append(sub.Times, g.Times[at])
				}
			}
		}
		sub.Offsets[i+1] = int64(len(sub.Targets))
	}
	return sub
}
