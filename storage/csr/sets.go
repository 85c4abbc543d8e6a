package csr

import "heavytail/storage/vec"

// Sets are sets of vertices that are joined edge by edge. They find the components of a
// graph whose edges are read once and not kept. They take 4 bytes per vertex.
type Sets struct {
	parent []uint32 // of the smallest vertex of a set itself, of others a smaller vertex of the set
}

// NewSets returns n sets of one vertex each.
func NewSets(n int) *Sets {
	s := &Sets{parent: vec.Zeros[uint32](n)}
	for v := range s.parent {
		s.parent[v] = uint32(v)
	}
	return s
}

// Join joins the sets of u and v, and reports whether they were two. A sequence of calls takes O(log n)
// each on average, and close to constant time for edges in ascending order.
func (s *Sets) Join(u, v uint32) bool {
	u, v = s.smallest(u), s.smallest(v)
	s.parent[max(u, v)] = min(u, v)
	return u != v
}

// smallest returns the smallest vertex of a set, and halves the path to it.
func (s *Sets) smallest(v uint32) uint32 {
	for s.parent[v] != v {
		s.parent[v] = s.parent[s.parent[v]]
		v = s.parent[v]
	}
	return v
}

// largest returns the smallest vertex of the largest set, or 0.
func (s *Sets) largest() uint32 {
	size, largest := make([]uint32, len(s.parent)), uint32(0)
	for v := range s.parent {
		root := s.smallest(uint32(v))
		if size[root]++; size[root] > size[largest] {
			largest = root
		}
	}
	return largest
}
