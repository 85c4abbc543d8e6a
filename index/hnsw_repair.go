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
// chosen again once there are bridges. Where many vertices were not found, the bridges of the
// first pass are dropped then: most begin at the same hubs and make each search longer, and with
// the new links most vertices are found without them, at the price of one more pass.
//
// It takes one search for every vertex, which ends at the vertex, and two or
// more for every vertex if some were not found.
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
	earlier := slices.Clone(h.bridges)
	for pass := range repairPasses {
		h.mark(h.Len())
		lost, err := b.findable(ctx, all)
		if err != nil {
			return err
		}
		if err := b.relink(ctx, lost); err != nil {
			return err
		}
		if pass == 0 && manyLost*len(lost) > len(all) {
			h.bridges = earlier
		}
		before := len(h.bridges)
		if err := h.bridge(ctx); err != nil {
			return err
		}
		if len(lost) == 0 && len(h.bridges) == before {
			return nil
		}
	}
	return nil
}

// findable adds bridges until searches find the vertices that they did not
// find at first, and returns those vertices, ascending.
func (b *builder) findable(ctx context.Context, vertices []uint32) (first []uint32, err error) {
	h := b.h
	for round := range repairRounds {
		lost, err := b.strayed(ctx, vertices)
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
		h.addBridges(lost)
	}
	return first, nil
}

// relink chooses the links of level 0 of some vertices again, among their
// present links and the results of a search.
func (b *builder) relink(ctx context.Context, vertices []uint32) error {
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
				}
			}
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
	l.near.heap, l.best.heap = l.near.heap[:0], l.best.heap[:0]
	start := l.candidate(h.entry)
	for level := h.height; level > 0; level-- {
		start = l.descend(level, start)
	}
	l.best.heap = append(l.best.heap, start)
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

// strayed lists the given vertices that searches do not find, in their order.
func (b *builder) strayed(ctx context.Context, vertices []uint32) ([]strayed, error) {
	const block = 64
	h := b.h
	b.meter.Begin("checking", int64(len(vertices)))
	found := make([][]strayed, (len(vertices)+block-1)/block)
	vec.Parallel(len(vertices), block, len(b.workers), func(at, lo, hi int) {
		s := h.searchers.Get().(*searcher)
		defer h.searchers.Put(s)
		for _, v := range vertices[lo:hi] {
			if ctx.Err() != nil {
				return
			}
			if near, ok := s.finds(ctx, v); !ok {
				found[at] = append(found[at], strayed{v, near})
			}
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
// vertices.
func (h *HNSW) addBridges(list []strayed) {
	for _, s := range list[:min(len(list), max(0, 2*h.Len()-len(h.bridges)))] {
		h.bridges = append(h.bridges, edge{s.near, s.vertex})
	}
	h.mark(h.Len())
}
