package index

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// pair splits fresh vertices into the first vertex of each distinct vector,
// which are to be linked, and their twins, each paired with that first vertex
// or with the vertex of the graph that has the same vector. Both ascend. It
// takes O(n·d) time and 16 bytes per vertex.
func (h *HNSW) pair(fresh []uint32) (first []uint32, twins []edge) {
	type hashed struct {
		hash   uint64
		vertex uint32
		fresh  uint32 // 0 or 1
	}
	m := h.exact.m
	list := make([]hashed, 0, len(fresh))
	for v := range uint32(h.Len()) {
		if h.inGraph(v) {
			list = append(list, hashed{hashRow(m.Row(int(v))), v, 0})
		}
	}
	for _, v := range fresh {
		list = append(list, hashed{hashRow(m.Row(int(v))), v, 1})
	}
	slices.SortFunc(list, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.fresh, b.fresh), cmp.Compare(a.vertex, b.vertex))
	})
	for len(list) > 0 {
		same := 1
		for same < len(list) && list[same].hash == list[0].hash {
			same++
		}
		// Vectors with the same hash are equal, apart from a few.
		var heads []uint32
	next:
		for _, e := range list[:same] {
			for _, head := range heads {
				if slices.Equal(m.Row(int(head)), m.Row(int(e.vertex))) {
					twins = append(twins, edge{head, e.vertex})
					continue next
				}
			}
			heads = append(heads, e.vertex)
			if e.fresh == 1 {
				first = append(first, e.vertex)
			}
		}
		list = list[same:]
	}
	slices.Sort(first)
	slices.SortFunc(twins, edge.compare)
	return first, twins
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

// bridge makes every vertex of the graph reachable from the entry by links and
// bridges of level 0. For a vertex that cannot be reached it adds a bridge
// from the nearest vertex that a search finds among those that can, and one
// back. Existing bridges remain. It takes O(n·M), and one search for every
// part that is cut off.
func (h *HNSW) bridge(ctx context.Context) error {
	h.mark(h.Len())
	if h.height < 0 {
		return nil
	}
	reached := make([]uint64, (h.Len()+63)/64)
	stack := []uint32{h.entry}
	built := slices.Clone(h.bridges) // searches do not follow the new ones yet
	s := newSearcher(h)
	for v := uint32(0); ; {
		h.flood(reached, stack)
		for int(v) < h.Len() && (!h.inGraph(v) || reached[v/64]&(1<<(v%64)) != 0) {
			v++
		}
		if int(v) == h.Len() {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		near := s.nearestReached(ctx, v)
		built = append(built, edge{near, v}, edge{v, near})
		stack = append(stack[:0], v)
	}
	h.bridges = built
	h.mark(h.Len())
	return nil
}

// flood marks as reached every vertex that links of level 0 and bridges lead
// to from the vertices of the stack.
func (h *HNSW) flood(reached []uint64, stack []uint32) {
	for _, v := range stack {
		reached[v/64] |= 1 << (v % 64)
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reach := func(u uint32) {
			if reached[u/64]&(1<<(u%64)) == 0 {
				reached[u/64] |= 1 << (u % 64)
				stack = append(stack, u)
			}
		}
		for _, u := range used(h.links(0, v)) {
			reach(u)
		}
		if h.has(v) {
			for _, e := range of(h.bridges, v) {
				reach(e.to)
			}
		}
	}
}

// nearestReached returns the vertex nearest to v that a search from the entry
// finds. It is not v, since no link leads to v.
func (s *searcher) nearestReached(ctx context.Context, v uint32) uint32 {
	s.score.set(s.h.exact, s.h.exact.m.Row(int(v)))
	s.budget, s.best.heap = math.MaxInt, s.best.heap[:0]
	s.filter = s.h.inGraph // searches do not follow bridges from a twin
	entry := s.candidate(s.h.entry)
	s.begin(entry)
	s.best.offer(entry, defaultEf)
	s.walk(ctx, defaultEf)
	s.clear()
	return slices.Min(s.best.heap).vertex()
}
