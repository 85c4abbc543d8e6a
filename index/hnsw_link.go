package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// batchSize is how many vertices are linked at a time. They search for
// candidates in the graph as it was before the batch, and among the vertices
// of the batch before them, which costs on average half a batch of distances
// for each. So the result is about as good as linking one after the other, and
// does not depend on the number of workers.
const batchSize = 128

// builder adds vertices to an HNSW that no one else uses yet.
type builder struct {
	h       *HNSW
	workers []*linker
	meter   *base.Meter

	search  bool      // without a scan
	scanned []scanned // by vertex: whether a scan has linked it; nil if none was done

	// Workspaces of batch and linkBack.
	wanted [batchSize][]backLink
	links  []backLink
	groups [][]backLink
}

// scanned says whether a scan has linked a vertex, and whether its links may be farther than they should.
type scanned uint8

const (
	notScanned scanned = iota
	sure
	unsure
)

// backLink is a link that a vertex of a batch requests from another vertex.
type backLink struct {
	level    int
	to, from uint32
}

func newBuilder(h *HNSW, opts HNSWOptions, vertices int) *builder {
	count := base.Processors(opts.Workers)
	b := &builder{h: h, search: opts.search, meter: base.NewMeter(opts.Progress, "linking", int64(vertices))}
	spare := h.spare(count)
	for range min(count, batchSize) {
		b.workers = append(b.workers, newLinker(h, spare))
	}
	return b
}

// spare returns, under Dot, how much each vector must be extended to reach the
// length of the longest. The graph is built for vectors with this additional
// element, which all have the same length. Among vectors of equal length the
// largest products are those with the nearest vectors, and a query, whose
// additional element is 0, has the same products as before.
func (h *HNSW) spare(workers int) []float32 {
	if h.Metric() != Dot {
		return nil
	}
	m := h.exact.m
	squares := make([]float64, m.Rows)
	vec.Parallel(m.Rows, base.ScanRows(m.Dim), workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			squares[v] = dot64(m.Row(v), m.Row(v))
		}
	})
	longest := 0.0
	for _, s := range squares {
		longest = max(longest, s)
	}
	spare := make([]float32, m.Rows)
	for v, s := range squares {
		spare[v] = toFloat32(math.Sqrt(longest - s))
	}
	return spare
}

// insert links vertices that are absent. Vertices of higher levels come first,
// so that the first of them becomes the entry, and so that a random sample
// gets long links. The others follow by number: vertices with close numbers
// are often near each other, so the vectors that one reads are in the cache
// for the next.
func (b *builder) insert(ctx context.Context, order []uint32) error {
	for len(order) > 0 {
		batch := order[:min(batchSize, len(order))]
		order = order[len(batch):]
		if err := b.batch(ctx, batch); err != nil {
			return err
		}
		b.meter.Add(int64(len(batch)))
	}
	return nil
}

// ordered draws the levels of vertices that are absent, and returns them in the order in which they are linked.
func (b *builder) ordered(vertices []uint32) []uint32 {
	h := b.h
	order := slices.Clone(vertices)
	for _, v := range order {
		level := levelOf(h.opts.Seed, v, h.opts.M)
		h.levels[v] = uint8(level)
		if level > 0 && h.upperAt[v] == none {
			h.upperAt[v] = uint32(len(h.upper) / h.opts.M)
			h.upper = append(h.upper, slices.Repeat([]uint32{none}, level*h.opts.M)...)
		}
	}
	slices.SortFunc(order, func(u, v uint32) int {
		return cmp.Or(-cmp.Compare(h.levels[u], h.levels[v]),
			cmp.Compare(u, v))
	})
	return order
}

// batch links one batch of vertices.
func (b *builder) batch(ctx context.Context, batch []uint32) error {
	h := b.h
	b.parallel(len(batch), func(l *linker, i int) {
		if ctx.Err() == nil {
			b.wanted[i] = l.link(ctx, batch, i, b.wanted[i][:0])
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	b.links = b.links[:0]
	for _, wanted := range b.wanted[:len(batch)] {
		b.links = append(b.links, wanted...)
	}
	b.linkBack(b.links)
	if top := int(h.levels[batch[0]]); top > h.height {
		h.entry, h.height = batch[0], top
	}
	return nil
}

// linkBack adds the requested links to the lists of their vertices.
func (b *builder) linkBack(links []backLink) {
	slices.SortFunc(links, func(a, b backLink) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from))
	})
	// The lists of different vertices change independently of each other.
	groups := b.groups[:0]
	for len(links) > 0 {
		n := 1
		for n < len(links) && links[n].level == links[0].level && links[n].to == links[0].to {
			n++
		}
		groups = append(groups, links[:n])
		links = links[n:]
	}
	b.groups = groups
	b.parallel(len(groups), func(l *linker, i int) {
		l.from = l.from[:0]
		for _, w := range groups[i] {
			l.from = append(l.from, w.from)
		}
		l.linkBack(groups[i][0].level, groups[i][0].to, l.from)
	})
}

// parallel calls f for 0 to n−1, each call with a worker that no other call
// uses at the same time.
func (b *builder) parallel(n int, f func(l *linker, i int)) {
	free := make(chan *linker, len(b.workers))
	for _, l := range b.workers {
		free <- l
	}
	const block = 4
	vec.Parallel(n, block, len(b.workers), func(_, lo, hi int) {
		l := <-free
		defer func() { free <- l }()
		for i := lo; i < hi; i++ {
			f(l, i)
		}
	})
}

// linker chooses links. It is the workspace of one worker.
type linker struct {
	*searcher
	pair    scorer // scores a candidate against the chosen vertices
	found   []candidate
	chosen  []uint32
	skipped []uint32 // workspace of choose
	from    []uint32 // of linkBack

	peers    []candidate // the vertices of the same batch, scored
	peerKeys []float32
}

func newLinker(h *HNSW, spare []float32) *linker {
	l := &linker{searcher: newSearcher(h)}
	l.budget = math.MaxInt
	l.score.spare, l.pair.spare = spare, spare
	return l
}

// link sets the links of vertex i of a batch, and appends to wanted the links that it
// requests from other vertices. It writes only to the lists of vertex i.
func (l *linker) link(ctx context.Context, batch []uint32, i int, wanted []backLink) []backLink {
	h, v := l.h, batch[i]
	l.score.row(h.exact, v)
	highest := int(h.levels[v])
	l.scorePeers(batch[:i])
	l.toLevel(highest)
	for level := highest; level >= 0; level-- {
		l.found = l.found[:0]
		if level <= h.height {
			l.explore(ctx, level)
			l.found = append(l.found, l.best.heap...)
		}
		for _, c := range l.peers {
			if int(h.levels[c.vertex()]) >= level {
				l.found = append(l.found, c)
			}
		}
		slices.Sort(l.found)
		l.chosen = l.chosen[:0]
		l.choose(l.found, h.opts.M)
		copy(h.links(level, v), l.chosen)
		for _, u := range l.chosen {
			wanted = append(wanted, backLink{level, u, v})
		}
	}
	return wanted
}

// toLevel descends from the entry to a level, and leaves the vertex that it reaches, if there is one, as the only one in best.
func (l *linker) toLevel(level int) {
	h := l.h
	l.near.heap, l.best.heap = l.near.heap[:0], l.best.heap[:0]
	if h.height < 0 {
		return
	}
	start := l.candidate(h.entry)
	for above := h.height; above > level; above-- {
		start = l.descend(above, start)
	}
	l.best.heap = append(l.best.heap, start)
}

// scorePeers scores vertices of the same batch.
func (l *linker) scorePeers(batch []uint32) {
	l.peerKeys = slices.Grow(l.peerKeys[:0], len(batch))[:len(batch)]
	l.score.list(l.peerKeys, batch)
	l.peers = l.peers[:0]
	for i, u := range batch {
		l.peers = append(l.peers, candidateOf(l.peerKeys[i], u))
	}
}

// explore searches one level, starting from the candidates in best, and leaves
// the nearest vertices there.
func (l *linker) explore(ctx context.Context, level int) {
	ef := l.h.opts.EfConstruction
	for _, c := range l.best.heap {
		l.begin(c)
	}
	// best already has the vertices of the level above, as a heap of at most
	// ef.
	for turns := 1; len(l.near.heap) > 0; turns++ {
		c := l.near.pop()
		if len(l.best.heap) == ef && c > l.best.heap[0] || turns%64 == 0 && ctx.Err() != nil {
			break
		}
		l.gather(l.h.links(level, c.vertex()), c.vertex())
		l.scoreAll()
		for i, u := range l.ids {
			c := candidateOf(l.keys[i], u)
			if len(l.best.heap) == ef && c >= l.best.heap[0] {
				continue
			}
			l.near.push(c)
			l.best.offer(c, ef)
		}
	}
	l.clear()
}

// choose selects links among candidates, nearest first, and adds them to chosen until it has
// the maximum number. It first skips every candidate that is nearer to a link chosen before
// than to the vertex, so that the links lead in different directions, and then fills up with
// the nearest of those (algorithm 4 of the paper, with keepPrunedConnections). Where a few
// vectors are among the nearest of most others, as in embeddings of scale-free graphs, the
// first alone are 6 to 10 links, and no link leads to a tenth of the vertices.
func (l *linker) choose(candidates []candidate, most int) {
	const step = 4 // distances that the kernel computes at a time
	var keys [step]float32
	l.skipped = l.skipped[:0]
next:
	for _, c := range candidates {
		if len(l.chosen) == most {
			return
		}
		l.pair.row(l.h.exact, c.vertex())
		for lo := 0; lo < len(l.chosen); lo += step {
			part := l.chosen[lo:min(lo+step, len(l.chosen))]
			l.pair.list(keys[:], part)
			for _, key := range keys[:len(part)] {
				if key < c.key() {
					l.skipped = append(l.skipped, c.vertex())
					continue next
				}
			}
		}
		l.chosen = append(l.chosen, c.vertex())
	}
	l.chosen = append(l.chosen, l.skipped[:min(len(l.skipped), most-len(l.chosen))]...)
}

// linkBack adds links to some vertices to one list. If they do not fit, it chooses among them
// and the existing links.
func (l *linker) linkBack(level int, to uint32, from []uint32) {
	list := l.h.links(level, to)
	count := len(used(list))
	if count+len(from) <= len(list) {
		copy(list[count:], from)
		return
	}
	l.ids = append(append(l.ids[:0], list[:count]...), from...)
	l.chosen = l.chosen[:0]
	l.relink(list, to)
}

// relink fills the list of a vertex with the chosen links and the best choice
// of ids.
func (l *linker) relink(list []uint32, v uint32) {
	l.rank(v)
	l.choose(l.found, len(list))
	fill(list, l.chosen)
}

// rank leaves in found the ids as candidates for links of a vertex, nearest first.
func (l *linker) rank(v uint32) {
	l.score.row(l.h.exact, v)
	l.scoreAll()
	l.found = l.found[:0]
	for i, u := range l.ids {
		l.found = append(l.found, candidateOf(l.keys[i], u))
	}
	slices.Sort(l.found)
}

// levelOf draws the level of a vertex: l or more with probability M⁻ˡ.
func levelOf(seed uint64, v uint32, m int) int {
	uniform := (float64(vec.Mix(vec.Mix(seed)^uint64(v))>>11) + 0.5) * 0x1p-53
	return min(maxLevel, int(-math.Log(uniform)/math.Log(float64(m))))
}
