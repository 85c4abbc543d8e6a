package index

import (
	"context"
	"math"
	"slices"
)

// pair splits fresh vertices, which ascend, into the first vertex of each distinct vector,
// which are to be linked, and their twins, each paired with that first vertex
// or with the vertex of the graph that has the same vector. Both ascend. It
// takes O(n·d) time and up to 28 bytes per vertex.
func (h *HNSW) pair(fresh []uint32, workers int) (first []uint32, twins []edge) {
	set := newRowSet(h.exact.m, workers)
	for v := range uint32(h.Len()) {
		if h.inGraph(v) {
			set.add(v)
		}
	}
	for _, v := range fresh {
		if at, added := set.add(v); added {
			first = append(first, v)
		} else {
			twins = append(twins, edge{set.first[at], v})
		}
	}
	slices.SortFunc(twins, edge.compare)
	return first, twins
}

// bridge makes every vertex of the graph reachable from the entry by links and
// bridges of level 0. For a vertex that cannot be reached it adds a bridge
// from the nearest vertex that a search finds among those that can, and one
// back, and returns these. Existing bridges remain. It takes O(n·M), and one search for every
// part that is cut off.
func (h *HNSW) bridge(ctx context.Context) (added []edge, err error) {
	h.mark(h.Len())
	if h.height < 0 {
		return nil, nil
	}
	reached := make([]uint64, (h.Len()+63)/64)
	stack := []uint32{h.entry}
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
			return nil, err
		}
		near := s.nearestReached(ctx, v)
		added = append(added, edge{near, v}, edge{v, near}) // searches do not follow them yet
		stack = append(stack[:0], v)
	}
	h.bridges = append(h.bridges, added...)
	h.mark(h.Len())
	return added, nil
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
