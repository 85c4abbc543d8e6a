package index

import (
	"math/bits"
	"slices"

	"heavytail/storage/vec"
)

// equalRows groups the vertices whose vectors are equal. The leaves of a hub have equal vectors
// with methods that only read the edges, and isolated vertices with most methods. No bound can
// separate them, so a batch would score each of them for each query. Instead it scores one vector
// of each group.
type equalRows struct {
	first    []uint32 // vertex of each group
	distinct *Exact   // the vectors of these; nil before collect
	starts   []uint32 // of each group in vertices, and their end
	vertices []uint32 // of each group, ascending
	group    []uint32 // of each vertex
}

// newEqualRows returns the groups of the vectors of x if there are at most half as many as
// vectors, and nil otherwise. It reads the vectors once, and takes up to 30 bytes for each vertex.
// The groups take 8 bytes for each vertex, 12 for each group, and a copy of its vector, which
// collect makes.
func newEqualRows(x *Exact, workers int) *equalRows {
	rows := x.m.Rows
	hashes := make([]uint64, rows)
	vec.Parallel(rows, 256, workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			hashes[v] = hashRow(x.m.Row(v))
		}
	})
	// An open table of the first vertex of each group, 1 more than its number.
	table := make([]uint32, 1<<bits.Len(uint(2*rows)))
	mask := uint64(len(table) - 1)
	same := func(v, w uint32) bool {
		return hashes[v] == hashes[w] && slices.Equal(x.m.Row(int(v)), x.m.Row(int(w)))
	}
	e := &equalRows{group: make([]uint32, rows)}
	for v := range rows {
		at := hashes[v] & mask
		for table[at] != 0 && !same(e.first[table[at]-1], uint32(v)) {
			at = (at + 1) & mask
		}
		if table[at] == 0 {
			if 2*len(e.first) >= rows {
				return nil
			}
			e.first = append(e.first, uint32(v))
			table[at] = uint32(len(e.first))
		}
		e.group[v] = table[at] - 1
	}
	return e
}

// collect lists the vertices of each group, and copies the vectors of the groups.
func (e *equalRows) collect(x *Exact) {
	groups := len(e.first)
	e.starts = make([]uint32, groups+1)
	for _, g := range e.group {
		e.starts[g+1]++
	}
	for g := range groups {
		e.starts[g+1] += e.starts[g]
	}
	e.vertices = make([]uint32, len(e.group))
	next := slices.Clone(e.starts[:groups])
	for v, g := range e.group {
		e.vertices[next[g]] = uint32(v)
		next[g]++
	}
	e.distinct = &Exact{m: vec.NewMatrix(groups, x.m.Dim), metric: x.metric}
	for g, v := range e.first {
		copy(e.distinct.m.Row(g), x.m.Row(int(v)))
		if x.inverse != nil {
			e.distinct.inverse = append(e.distinct.inverse, x.inverse[v])
		}
	}
}

// of returns the vertices of a group, ascending.
func (e *equalRows) of(group uint32) []uint32 {
	return e.vertices[e.starts[group]:e.starts[group+1]]
}
