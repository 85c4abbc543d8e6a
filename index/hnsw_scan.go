package index

import (
	"context"
	"math"
	"slices"

	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// linkScan links vertices by scans. It is the workspace of one worker.
type linkScan struct {
	*linker
	bytes byteSearch
	from  *byteOrder
}

// scan links vertices of an order, the first of which become the graph: on each level every vertex to the
// nearest of all others that products of bytes find, without a search. It returns how many it has
// linked on level 0, none if the graph has vertices or products of bytes are slow.
//
// The vertices above level 0, a sample of all, are linked first. They show whether it pays
// to go on: whether bytes tell the nearest of the vectors apart, and whether a search for the nearest
// compares so many of them that a scan takes less.
func (b *builder) scan(ctx context.Context, order []uint32) (int, error) {
	h := b.h
	if h.height >= 0 || len(order) == 0 || !vec.FastBytes() || h.Dim() == 0 || h.Dim() >= screen.ByteDim {
		return 0, nil
	}
	workers := make(chan *linkScan, len(b.workers))
	all := newByteOrder(h, order, b.workers[0].score.spare, len(b.workers))
	for _, l := range b.workers {
		workers <- &linkScan{linker: l, from: all}
	}
	b.scanned = make([]scanned, h.Len())
	h.entry, h.height = order[0], int(h.levels[order[0]])
	end := 0
	for level := h.height; level >= 0; level-- {
		sample := end
		if level > 0 || b.scanPays(ctx, order[:sample], order[sample:]) {
			for end < len(order) && int(h.levels[order[end]]) >= level {
				end++
			}
		}
		vec.Parallel(end, byteBlock, len(b.workers), func(_, lo, hi int) {
			w := <-workers
			defer func() { workers <- w }()
			turn := vec.NewTurn(len(b.workers))
			w.bytes.nearest(ctx, &turn, all, lo, hi, end, h.opts.EfConstruction)
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				b.scanned[order[i]] = w.link(level, order[i], w.bytes.best[i-lo])
			}
			if level == 0 {
				b.meter.Add(int64(hi - lo))
			}
		})
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b.linkAllBack(level, order[:end])
	}
	return end, nil
}

// link sets the links of a vertex on a level, given the nearest places that bytes found, and
// reports whether these are sure to be about the nearest.
func (w *linkScan) link(level int, v uint32, near []candidate) scanned {
	h := w.h
	w.ids = w.ids[:0]
	for _, c := range near {
		w.ids = append(w.ids, w.from.order[c.vertex()])
	}
	w.score.row(h.exact, v)
	w.scoreAll()
	w.found = w.found[:0]
	for i, u := range w.ids {
		w.found = append(w.found, candidateOf(w.keys[i], u))
	}
	slices.Sort(w.found)
	result := sure
	if len(near) == h.opts.EfConstruction && !w.tells(near) {
		result = unsure
	}
	if int(h.levels[v]) > level {
		// The links of the level above are longer.
		for _, u := range used(h.links(level+1, v)) {
			if !slices.Contains(w.ids, u) {
				w.found = append(w.found, w.candidate(u))
			}
		}
		slices.Sort(w.found)
	}
	list := h.links(level, v)
	w.chosen = w.chosen[:0]
	w.choose(w.found, len(list))
	copy(list, w.chosen)
	return result
}

// tells reports whether distances of bytes tell the nearer third of candidates, which were scored and sorted, from
// vertices that are none: whether twice the deviation of their errors is less than the difference of the
// distances of the third and the last.
func (w *linkScan) tells(near []candidate) bool {
	by := 2 * w.from.scale * w.from.scale // of keys, which are negated products, for squared distances
	if w.h.Metric() == L2 {
		by /= 2
	}
	sum, squares := 0.0, 0.0
	for i, c := range near {
		off := float64(c.key()) - by*float64(w.keys[i])
		sum += off
		squares += off * off
	}
	n := float64(len(near))
	deviation := math.Sqrt(max(0, squares/n-sum/n*sum/n))
	return 2*deviation <= by*(float64(w.found[len(near)-1].key())-float64(w.found[len(near)/3].key()))
}

// linkAllBack adds to the lists of a level the links in the other direction.
func (b *builder) linkAllBack(level int, vertices []uint32) {
	h := b.h
	var wanted []backLink
	for _, v := range vertices {
		for _, u := range used(h.links(level, v)) {
			if !slices.Contains(h.links(level, u), v) {
				wanted = append(wanted, backLink{level, u, v})
			}
		}
	}
	b.linkBack(wanted)
}

// scanPays reports whether vertices are linked sooner by a scan than by searches, to judge by a
// sample of them that is linked on level 1.
func (b *builder) scanPays(ctx context.Context, sample, others []uint32) bool {
	const (
		doubtful = 8 // as 1/doubtful, the share of the sample of which bytes may tell too little
		queries  = 64
		// share is how many vectors a scan compares in the time in which a search compares one of those that it compares
		// in the sample. A search among all takes up to four times as long as in the sample. Of 100,000 vectors, a scan took 1.0
		// of the time of searches for 465 compared in the sample, 0.9 for 434 and .4 for 1,131.
		share = 250
	)
	h, l := b.h, b.workers[0]
	if len(sample) == 0 {
		return true
	}
	count := 0
	for _, v := range sample {
		if b.scanned[v] == unsure {
			count++
		}
	}
	if doubtful*count > len(sample) {
		return false
	}
	count = min(queries, len(others))
	l.scored = 0
	for i := range count {
		l.score.row(h.exact, others[i*len(others)/count])
		l.toLevel(0)
		l.explore(ctx, 1)
	}
	return (len(sample)+len(others))*count <= share*l.scored
}
