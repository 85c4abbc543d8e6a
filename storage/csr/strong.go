package csr

import "slices"

// StrongComponents finds the strong components, the largest sets of vertices of which each reaches
// each other along arcs. They are numbered as Graph.Components numbers those of a graph. It takes
// O(n + m), and up to 28 bytes per vertex (Tarjan, "Depth-First Search and Linear Graph Algorithms",
// 1972).
func (d *Directed) StrongComponents() *Components {
	n := d.Vertices()
	const found = ^uint32(0)
	// low is, of a vertex whose component is not known yet, the smallest time of a visit to which it
	// has a way; 0 before its own visit.
	label, low := make([]uint32, n), make([]uint32, n)
	var sizes []int
	var open []uint32 // the vertices that were visited and whose component is not known, by the times of their visits
	var path []visit  // from the first vertex of a search to the present one
	time := uint32(0)
	enter := func(v uint32) {
		time++
		low[v] = time
		open = append(open, v)
		path = append(path, visit{v, time, d.Out.Offsets[v]})
	}
	for first := range uint32(n) {
		if low[first] == 0 {
			enter(first)
		}
		for len(path) > 0 {
			at := &path[len(path)-1]
			v := at.vertex
			if at.next < d.Out.Offsets[v+1] {
				u := d.Out.Targets[at.next]
				at.next++
				if low[u] == 0 {
					enter(u)
				} else {
					low[v] = min(low[v], low[u])
				}
				continue
			}
			if low[v] == at.time { // nothing leads from v and what follows it to what was open before
				begin := len(open) - 1
				for open[begin] != v {
					begin--
				}
				for _, u := range open[begin:] {
					label[u], low[u] = uint32(len(sizes)), found
				}
				sizes = append(sizes, len(open)-begin)
				open = open[:begin]
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				before := path[len(path)-1].vertex
				low[before] = min(low[before], low[v])
			}
		}
	}
	return byFirstVertex(label, sizes)
}

// visit is a vertex of the path of a search.
type visit struct {
	vertex, time uint32
	next         int64 // of Targets
}

// byFirstVertex numbers components of any numbers as Graph.Components does.
func byFirstVertex(label []uint32, sizes []int) *Components {
	const unseen = ^uint32(0)
	number := slices.Repeat([]uint32{unseen}, len(sizes))
	ordered := make([]int, 0, len(sizes))
	for v, c := range label {
		if number[c] == unseen {
			number[c] = uint32(len(ordered))
			ordered = append(ordered, sizes[c])
		}
		label[v] = number[c]
	}
	return byDescendingSize(label, ordered)
}

// WeakComponents finds the components of the undirected view, numbered as those are. It takes O(m)
// Joins of Sets, and 8 bytes per vertex.
func (d *Directed) WeakComponents() *Components {
	s := NewSets(d.Vertices())
	for v := range uint32(d.Vertices()) {
		for _, u := range d.Out.Neighbors(v) {
			s.Join(v, u)
		}
	}
	return s.Components()
}
