package index

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

const (
	// repairEf is the number of candidates with which a search for the vector
	// of a vertex must find the vertex. A search with more candidates, or with
	// a filter, begins with the same steps and takes further ones, so that it
	// finds at least what this one finds.
	repairEf = 16
	// repairPasses is the maximum number of times that all vertices are
	// searched for: a new bridge or link may lead another search astray, which
	// the next pass corrects.
	repairPasses = 6
	// repairRounds bounds the rounds of bridges of a pass.
	repairRounds = 12
	// manyLost is the share of the vertices, as 1/manyLost, that the first pass must not find for
	// its bridges to be dropped. Of fastrp of a preferential-attachment graph, where a third was
	// not found, six tenths of the bridges remained and searches compared a fifth fewer vectors;
	// where a twentieth was not found, searches were the same.
	manyLost = 16
	// skipRounds is the number of rounds that skip the vertices linked to one
	// that gets a bridge: the next round finds most of them by that bridge.
	skipRounds = 6
)

// strayed is a vertex that a search for its vector does not find, and the
// nearest vertex that the search found instead.
type strayed struct{ vertex, near uint32 }

// repair makes a search with repairEf candidates for the vector of any vertex
// find that vertex. It is not enough that links lead to the vertex: from a
// small cluster that is far from all others, and equally far from each, all
// directions look alike, and a search ends before it reaches the vertex. Where
// the search ends, a bridge to the vertex begins. The search that chose the
// links of such a vertex did not reach its cluster either, so its links are
// chosen again once there are bridges, unless a scan chose them. Where the links of many vertices are chosen
// again, the bridges of the first pass are dropped then: most begin at the same hubs and make each search longer, and with
// the new links most vertices are found without them, at the price of one more pass.
//
// It takes one search for every vertex, which ends at the vertex, and more for the vertices
// that were not found and for those whose search has passed a vertex whose links or bridges have changed since.
func (b *builder) repair(ctx context.Context) error {
	h := b.h
	var all []uint32
	for v := range uint32(h.Len()) {
		if h.inGraph(v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		h.mark(h.Len())
		return nil
	}
	t := newTrails(h.Len())
	todo := all
	earlier := slices.Clone(h.bridges)
	for pass := range repairPasses {
		h.mark(h.Len())
		if pass > 0 {
			todo = b.stale(ctx, t, all)
		}
		lost, err := b.findable(ctx, t, todo)
		if err != nil {
			return err
		}
		again := b.mislinked(lost, pass == 0)
		if err := b.relink(ctx, t, again); err != nil {
			return err
		}
		if pass == 0 && manyLost*len(again) > len(all) {
			for _, e := range h.bridges {
				t.changed[e.from] = t.round
			}
			h.bridges = earlier
		}
		added, err := h.bridge(ctx)
		if err != nil {
			return err
		}
		t.add(added)
		if len(lost) == 0 && len(again) == 0 && len(added) == 0 {
			return nil
		}
	}
	return nil
}

// mislinked returns which vertices, ascending, are linked again: of those that were not found the ones that
// searches have linked, and in the first pass all of whose links a scan was not sure.
func (b *builder) mislinked(lost []uint32, first bool) []uint32 {
	if b.scanned == nil {
		return lost
	}
	var again []uint32
	for _, v := range lost {
		if b.scanned[v] == notScanned || b.scanned[v] == unsure && !first {
			again = append(again, v)
		}
	}
	if first {
		for v, s := range b.scanned {
			if s == unsure {
				again = append(again, uint32(v))
			}
		}
		slices.Sort(again)
	}
	return again
}

// findable adds bridges until searches find the vertices that they did not
// find at first, and returns those vertices, ascending.
func (b *builder) findable(ctx context.Context, t *trails, vertices []uint32) (first []uint32, err error) {
	h := b.h
	for round := range repairRounds {
		lost, err := b.strayed(ctx, t, vertices)
		if err != nil || len(lost) == 0 {
			return first, err
		}
		vertices = make([]uint32, len(lost))
		for i, s := range lost {
			vertices[i] = s.vertex
		}
		if round == 0 {
			first = vertices
		}
		if round < skipRounds {
			lost = h.apartOf(lost)
		}
		t.add(h.addBridges(lost))
	}
	return first, nil
}

// relink chooses the links of level 0 of some vertices again, among their
// present links and the results of a search.
func (b *builder) relink(ctx context.Context, t *trails, vertices []uint32) error {
	h := b.h
	b.meter.Begin("relinking", int64(len(vertices)))
	for batch := range slices.Chunk(vertices, batchSize) {
		chosen := make([][]uint32, len(batch))
		b.parallel(len(batch), func(l *linker, i int) {
			if ctx.Err() == nil {
				chosen[i] = l.better(ctx, batch[i])
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		var wanted []backLink
		for i, v := range batch {
			list := h.links(0, v)
			for _, u := range chosen[i] {
				if !slices.Contains(list, u) && !slices.Contains(h.links(0, u), v) {
					wanted = append(wanted, backLink{0, u, v})
					t.changed[u] = t.round
				}
			}
			t.changed[v] = t.round
			fill(list, chosen[i])
		}
		b.linkBack(wanted)
		b.meter.Add(int64(len(batch)))
	}
	return nil
}

// better chooses links of level 0 for a vertex that already has some, and
// writes nothing.
func (l *linker) better(ctx context.Context, v uint32) []uint32 {
	h := l.h
	l.score.row(h.exact, v)
	l.toLevel(0)
	l.explore(ctx, 0)
	l.found = append(l.found[:0], l.best.heap...)
	for _, u := range used(h.links(0, v)) {
		l.found = append(l.found, l.candidate(u))
	}
	slices.Sort(l.found)
	l.found = slices.DeleteFunc(slices.Compact(l.found), func(c candidate) bool { return c.vertex() == v })
	l.chosen = l.chosen[:0]
	l.choose(l.found, 2*h.opts.M)
	// Because of rounding, a vertex found in both ways can be chosen twice.
	slices.Sort(l.chosen)
	return slices.Clone(slices.Compact(l.chosen))
}

// stale returns the vertices whose searches may end differently now, of some that were searched for, in their order.
func (b *builder) stale(ctx context.Context, t *trails, vertices []uint32) []uint32 {
	const block = 256
	h := b.h
	t.sort()
	lists := make([][]uint32, (len(vertices)+block-1)/block)
	vec.Parallel(len(vertices), block, len(b.workers), func(at, lo, hi int) {
		s := h.searchers.Get().(*searcher)
		defer h.searchers.Put(s)
		for _, v := range vertices[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			s.score.set(h.exact, h.exact.m.Row(int(v)))
			if t.stale(v, &s.score) {
				lists[at] = append(lists[at], v)
			}
		}
	})
	return slices.Concat(lists...)
}

// strayed lists the given vertices that searches do not find, in their order.
func (b *builder) strayed(ctx context.Context, t *trails, vertices []uint32) ([]strayed, error) {
	const block = 64
	h := b.h
	b.meter.Begin("checking", int64(len(vertices)))
	t.round++
	found := make([][]strayed, (len(vertices)+block-1)/block)
	vec.Parallel(len(vertices), block, len(b.workers), func(at, lo, hi int) {
		s := h.searchers.Get().(*searcher)
		defer h.searchers.Put(s)
		for _, v := range vertices[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			s.way = t.ways[v][:0]
			if near, ok := s.finds(ctx, v); !ok {
				found[at] = append(found[at], strayed{v, near})
			}
			t.ways[v], t.searched[v] = s.way, t.round
		}
		b.meter.Add(int64(hi - lo))
	})
	return slices.Concat(found...), ctx.Err()
}

// finds reports whether a search for the vector of a vertex reaches the
// vertex, or fills its candidates with vertices equally near, and returns the
// nearest that it found.
func (s *searcher) finds(ctx context.Context, v uint32) (near uint32, ok bool) {
	h := s.h
	s.score.set(h.exact, h.exact.m.Row(int(v)))
	s.filter, s.budget, s.scored, s.gaveUp = nil, math.MaxInt, 0, false
	s.until = v
	s.explored(ctx, repairEf)
	s.until = none
	ok = s.seen[v/64]&(1<<(v%64)) != 0
	s.clear()
	if !ok && len(s.best.heap) == repairEf {
		ok = s.best.heap[0].key() <= s.score.one(v)
	}
	near = h.entry
	slices.Sort(s.best.heap)
	for _, c := range s.best.heap {
		if h.inGraph(c.vertex()) { // twins have no links to follow
			near = c.vertex()
			break
		}
	}
	return near, ok
}

// apartOf skips vertices that are linked to an earlier one of the list.
func (h *HNSW) apartOf(lost []strayed) []strayed {
	kept := make(map[uint32]bool, len(lost))
	var list []strayed
	for _, s := range lost {
		if !slices.ContainsFunc(used(h.links(0, s.vertex)), func(u uint32) bool { return kept[u] }) {
			kept[s.vertex] = true
			list = append(list, s)
		}
	}
	return list
}

// addBridges adds bridges from the vertices where searches end to the strayed
// vertices, and returns them.
func (h *HNSW) addBridges(list []strayed) []edge {
	var added []edge
	for _, s := range list[:min(len(list), max(0, 2*h.Len()-len(h.bridges)))] {
		added = append(added, edge{s.near, s.vertex})
	}
	h.bridges = append(h.bridges, added...)
	h.mark(h.Len())
	return added
}
