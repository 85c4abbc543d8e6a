package unitball

import (
	"cmp"
	"slices"

	"heavytail/storage/csr"
)

// manyVertices is the number of vertices from which on lists are built by [pairs.Moving], and
// vertices have an order of their own during the run.
const manyVertices = 1 << 15

// orderOf returns an order of the vertices in which those that follow each other are likely to have
// about the same distances from all others: by descending degree, on which their distance from the
// centre depends, and within a degree in the order of a breadth-first search.
func orderOf(g *csr.Graph) []uint32 {
	n := g.Vertices()
	order := make([]uint32, 0, n)
	seen := make([]bool, n)
	for first := range n {
		if seen[first] {
			continue
		}
		seen[first] = true
		order = append(order, uint32(first))
		for at := len(order) - 1; at < len(order); at++ {
			for _, u := range g.Neighbors(order[at]) {
				if !seen[u] {
					seen[u] = true
					order = append(order, u)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(u, v uint32) int { return cmp.Compare(g.Degree(v), g.Degree(u)) })
	return order
}

// ordered returns the graph whose vertex i is vertex order[i] of g, without weights.
func ordered(g *csr.Graph, order []uint32) *csr.Graph {
	number := make([]uint32, len(order))
	for i, v := range order {
		number[v] = uint32(i)
	}
	o := &csr.Graph{Offsets: make([]int64, len(order)+1), Targets: make([]uint32, 0, len(g.Targets))}
	for i, v := range order {
		for _, u := range g.Neighbors(v) {
			o.Targets = append(o.Targets, number[u])
		}
		o.Offsets[i+1] = int64(len(o.Targets))
		slices.Sort(o.Targets[o.Offsets[i]:])
	}
	return o
}
