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
// The vertices above level 0, a sample of all, are linked first. Then scanPays decides about the others.
func (b *builder) scan(ctx context.Context, order []uint32) (int, error) {
	h := b.h
	if h.height >= 0 || len(order) == 0 || !vec.FastBytes() || b.search || h.Dim() == 0 || h.Dim() >= screen.ByteDim {
		return 0, nil
	}
	workers := make(chan *linkScan, len(b.workers))
	all := newByteOrder(h, order, b.workers[0].score.spare, len(b.workers))
	for _, l := range b.workers {
		workers <- &linkScan{linker: l, from: all}
	}
	b.scanned = make([]scanned, h.Len())
	h.entry, h.height = order[0], int(h.levels[order[0]])
	pays := func(sample int) bool {
		w := <-workers
		defer func() { workers <- w }()
		return w.scanPays(ctx, sample)
	}
	end := 0
	for level := h.height; level >= 0; level-- {
		sample := end
		if level > 0 || pays(sample) {
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
	result := w.measure(v, near)
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

// measure leaves in found the nearest places that bytes found, scored and sorted, and
// reports whether they are sure to be about the nearest.
func (w *linkScan) measure(v uint32, near []candidate) scanned {
	w.ids = w.ids[:0]
	for _, c := range near {
		w.ids = append(w.ids, w.from.order[c.vertex()])
	}
	w.rank(v)
	if len(near) == w.h.opts.EfConstruction && !w.separates(near) {
		return unsure
	}
	return sure
}

// separates reports whether distances of bytes separate the nearer third of candidates, which were scored and sorted, from
// vertices that are none: whether twice the deviation of their errors is at most the difference of the
// distances of the third and the last, by bytes and by the vectors.
func (w *linkScan) separates(near []candidate) bool {
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
	n, third := float64(len(near)), (len(near)+2)/3
	deviation := math.Sqrt(max(0, squares/n-sum/n*sum/n))
	between := float64(slices.Max(near).key()) - float64(kth(near, third).key())
	return 2*deviation <= min(between, by*(float64(w.found[len(near)-1].key())-float64(w.found[third-1].key())))
}

// linkAllBack adds to the lists of a level the links in the other direction. It takes 4 bytes for each link and 8 for each vertex.
func (b *builder) linkAllBack(level int, vertices []uint32) {
	h := b.h
	start := make([]int, h.Len()+1)
	each := func(f func(v, u uint32)) {
		for _, v := range vertices {
			for _, u := range used(h.links(level, v)) {
				if !slices.Contains(h.links(level, u), v) {
					f(v, u)
				}
			}
		}
	}
	each(func(_, u uint32) { start[u+1]++ })
	for u := range h.Len() {
		start[u+1] += start[u]
	}
	from := make([]uint32, start[h.Len()])
	each(func(v, u uint32) {
		from[start[u]] = v
		start[u]++ // is where the next vertex began
	})
	b.parallel(len(vertices), func(l *linker, i int) {
		begin, u := 0, vertices[i]
		if u > 0 {
			begin = start[u-1]
		}
		if begin < start[u] {
			l.linkBack(level, u, from[begin:start[u]])
		}
	})
}

// scanPays reports whether vertices are linked sooner by a scan than by searches, to judge by the searches of some
// on level 1, which has a number of them, and by the nearest of the first.
func (w *linkScan) scanPays(ctx context.Context, sample int) bool {
	const (
		doubtful = 8 // as 1/doubtful, the share of the first of which bytes may separate too little
		queries  = 64
		// share is how many vectors a scan compares in the time in which a search compares one of those that it compares
		// in the sample. A search among all takes up to four times as long as in the sample. Of 100,000 vectors, a scan took 1.0
		// of the time of searches for 465 compared in the sample, 0.9 for 434 and .4 for 1,131.
		share = 250
	)
	order := w.from.order
	if sample == 0 {
		return true
	}
	first, turn := min(byteBlock, len(order)), vec.NewTurn(1)
	w.bytes.nearest(ctx, &turn, w.from, 0, first, len(order), w.h.opts.EfConstruction)
	count := 0
	for i, v := range order[:first] {
		if w.measure(v, w.bytes.best[i]) == unsure {
			count++
		}
	}
	if doubtful*count > first {
		return false
	}
	others := order[sample:]
	count = min(queries, len(others))
	w.scored = 0
	for i := range count {
		w.score.row(w.h.exact, others[i*len(others)/count])
		w.toLevel(0)
		w.explore(ctx, 1)
	}
	return len(order)*count <= share*w.scored
}
