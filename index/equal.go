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
	set := newRowSet(x.m, workers)
	e := &equalRows{group: make([]uint32, rows)}
	for v := range uint32(rows) {
		at, added := set.add(v)
		if added && 2*(len(set.first)-1) >= rows {
			return nil
		}
		e.group[v] = at
	}
	e.first = set.first
	return e
}

// rowSet finds equal rows of a matrix. It takes up to 24 bytes for each row, and 4 for each that
// was added.
type rowSet struct {
	m      *vec.Matrix
	hashes []uint64
	first  []uint32 // the distinct rows, in the order in which they were added
	table  []uint32 // an open table of 1 more than their places in first
}

func newRowSet(m *vec.Matrix, workers int) *rowSet {
	s := &rowSet{m: m, hashes: make([]uint64, m.Rows), table: make([]uint32, 1<<bits.Len(uint(2*m.Rows)))}
	vec.Parallel(m.Rows, 256, workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			s.hashes[v] = hashRow(m.Row(v))
		}
	})
	return s
}

// add returns the place in first of a row that equals row v: v itself, which is then added, if there
// is no other.
func (s *rowSet) add(v uint32) (place uint32, added bool) {
	mask := uint64(len(s.table) - 1)
	at := s.hashes[v] & mask
	for ; s.table[at] != 0; at = (at + 1) & mask {
		place = s.table[at] - 1
		if w := s.first[place]; s.hashes[v] == s.hashes[w] && slices.Equal(s.m.Row(int(v)), s.m.Row(int(w))) {
			return place, false
		}
	}
	s.first = append(s.first, v)
	s.table[at] = uint32(len(s.first))
	return s.table[at] - 1, true
}

// hashRow hashes the values of a vector: 0 and −0, which are equal, alike.
func hashRow(row []float32) uint64 {
	h := uint64(len(row))
	for _, x := range row {
		h = (h ^ uint64(candidateOf(x, 0)>>32)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
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
