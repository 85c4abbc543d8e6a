package csr

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

// Components finds the connected components by breadth-first search. It takes
// O(n + m) time and 8 bytes per vertex.
func (g *Graph) Components() *Components {
	const unseen = ^uint32(0)
	n := g.Vertices()
	label := make([]uint32, n)
	for v := range label {
		label[v] = unseen
	}
	var sizes []int
	queue := make([]uint32, 0, n)
	for start := range n {
		if label[start] != unseen {
			continue
		}
		id := uint32(len(sizes))
		label[start] = id
		queue = append(queue[:0], uint32(start))
		for head := 0; head < len(queue); head++ {
			for _, u := range g.Neighbors(queue[head]) {
				if label[u] == unseen {
					label[u] = id
					queue = append(queue, u)
				}
			}
		}
		sizes = append(sizes, len(queue))
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
	local := make([]uint32, g.Vertices())
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
