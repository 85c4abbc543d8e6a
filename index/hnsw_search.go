package index

import (
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/index/internal/base"
)

// Search returns the k nearest admissible vertices that it finds; see [Index]
// and [HNSW.Find].
func (h *HNSW) Search(ctx context.Context, query []float32, k int, opts SearchOptions) ([]Hit, error) {
	a, err := h.Find(ctx, query, k, opts)
	return a.Hits, err
}

// Find returns the k nearest admissible vertices that a search with opts.Ef
// candidates finds; distances are those of [Exact.Search]. The filter applies
// during the search, which continues until Ef admissible candidates are found.
// If so few vertices are admissible, or k or Ef is so large, that a search
// would cost more than a scan, it scans and sets Answer.Exact. Errors are
// those of [Index].
func (h *HNSW) Find(ctx context.Context, query []float32, k int, opts SearchOptions) (Answer, error) {
	s := h.searchers.Get().(*searcher)
	defer h.searchers.Put(s)
	a, err := s.find(ctx, query, k, opts)
	if err == nil && a.Exact != "" {
		a.Hits, err = h.exact.Search(ctx, query, k, h.without(opts))
	}
	return a, err
}

// find is Find without the scan: if Answer.Exact is set, there are no hits.
func (s *searcher) find(ctx context.Context, query []float32, k int, opts SearchOptions) (Answer, error) {
	ctx = base.OrBackground(ctx)
	if k < 1 {
		return Answer{}, fmt.Errorf("k = %d: %w", k, ErrK)
	}
	if err := s.aim(ctx, query, opts); err != nil {
		return Answer{}, err
	}
	h := s.h
	ef := max(k, h.ef(opts))
	if !opts.GraphOnly && ef > h.live/scanShare {
		return Answer{Exact: exactFew, Ef: ef}, nil
	}
	ef = min(ef, max(1, h.live))
	if s.search(ctx, ef); s.gaveUp {
		return Answer{Exact: s.reason(exactFew), Ef: ef, Scored: s.scored}, nil
	}
	if err := s.failed(ctx); err != nil {
		return Answer{}, err
	}
	slices.Sort(s.best.heap)
	return Answer{Hits: h.Metric().hits(s.best.heap, k), Ef: ef, Scored: s.scored}, nil
}

// Within returns the admissible vertices within the radius of the query that
// it finds; the rule is that of [Exact.Within]. It quadruples the number of
// candidates until at most half of them are within the radius, so that the
// radius is well inside the region searched: its recall is about that of a
// search for the nearest. If so many vertices are within the radius that a
// scan is cheaper, it scans and sets Answer.Exact.
func (h *HNSW) Within(ctx context.Context, query []float32, radius float64, opts SearchOptions) (Answer, error) {
	s := h.searchers.Get().(*searcher)
	defer h.searchers.Put(s)
	a, err := s.within(ctx, query, radius, opts)
	if err == nil && a.Exact != "" {
		a.Hits, err = h.exact.Within(ctx, query, radius, h.without(opts))
	}
	return a, err
}

// within is Within without the scan: if Answer.Exact is set, there are no hits.
func (s *searcher) within(ctx context.Context, query []float32, radius float64, opts SearchOptions) (Answer, error) {
	h := s.h
	ctx = base.OrBackground(ctx)
	if err := h.Metric().checkRadius(radius); err != nil {
		return Answer{}, err
	}
	if err := s.aim(ctx, query, opts); err != nil {
		return Answer{}, err
	}
	limit := h.Metric().limit(radius)
	for ef := h.ef(opts); ; ef *= 4 {
		if !opts.GraphOnly && ef > h.live/scanShare {
			return Answer{Exact: exactMany, Ef: ef, Scored: s.scored}, nil
		}
		if s.search(ctx, min(ef, max(1, h.live))); s.gaveUp {
			return Answer{Exact: s.reason(exactMany), Ef: ef, Scored: s.scored}, nil
		}
		if err := s.failed(ctx); err != nil {
			return Answer{}, err
		}
		slices.Sort(s.best.heap)
		within, _ := slices.BinarySearchFunc(s.best.heap, limit, func(c candidate, limit float64) int {
			if float64(c.key()) <= limit {
				return -1
			}
			return 1
		})
		if 2*within <= ef || ef >= h.live {
			return Answer{Hits: h.Metric().hits(s.best.heap, within), Ef: ef, Scored: s.scored}, nil
		}
	}
}

// ef is the number of candidates that a search keeps.
func (h *HNSW) ef(opts SearchOptions) int {
	if opts.Ef > 0 {
		return opts.Ef
	}
	return h.opts.Ef
}

// without excludes deleted vertices from a scan.
func (h *HNSW) without(opts SearchOptions) SearchOptions {
	if h.live == h.Len() {
		return opts
	}
	filter := opts.Filter
	opts.Filter = func(v uint32) bool { return h.levels[v] != absent && (filter == nil || filter(v)) }
	return opts
}

// searcher searches a graph for one query at a time.
type searcher struct {
	h      *HNSW
	view   *View // where links and vectors are read; nil if they are in memory
	score  scorer
	filter func(uint32) bool

	seen    []uint64 // bits of the vertices that were scored
	touched []uint32 // those vertices, to clear the bits
	ids     []uint32 // neighbours that are scored together
	keys    []float32

	near queue // candidates whose links are still to be followed
	best top   // the nearest admissible vertices

	way    []step // of a search with until
	until  uint32 // the walk ends when it has seen this vertex; none if there is no such vertex
	budget int    // vectors that may still be scored
	scored int
	gaveUp bool // the budget was spent
}

func newSearcher(h *HNSW) *searcher {
	width := 2 * h.opts.M
	return &searcher{
		h: h, until: none, seen: make([]uint64, (h.Len()+63)/64),
		ids: make([]uint32, 0, width), keys: make([]float32, width),
	}
}

// aim begins a search for a query. Errors are those of [Index], or that of ctx.
func (s *searcher) aim(ctx context.Context, query []float32, opts SearchOptions) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if err := opts.check(); err != nil {
		return err
	}
	if err := s.score.reset(s.h.exact, query); err != nil {
		return err
	}
	s.filter, s.scored, s.gaveUp = opts.Filter, 0, false
	s.budget = math.MaxInt
	switch {
	case opts.GraphOnly:
	case s.view != nil:
		s.budget = s.view.budget
	default:
		s.budget = max(1000, s.h.live/scanShare)
	}
	return nil
}

// failed returns the error that ended a search early, if any.
func (s *searcher) failed(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if s.view != nil {
		return s.view.err
	}
	return nil
}

// search leaves the ef nearest admissible vertices that it finds in best,
// unordered.
func (s *searcher) search(ctx context.Context, ef int) {
	s.explored(ctx, ef)
	s.clear()
}

// explored is search without clearing seen, which then has the scored
// vertices.
func (s *searcher) explored(ctx context.Context, ef int) {
	h := s.h
	s.best.heap = s.best.heap[:0]
	if h.height < 0 {
		return
	}
	entry := s.candidate(h.entry)
	start := entry
	for level := h.height; level > 0; level-- {
		start = s.descend(level, start)
	}
	s.begin(start)
	// Links and bridges lead from the entry to every vertex, but perhaps not
	// from the vertex where the descent ended.
	if start != entry {
		s.begin(entry)
	}
	for _, c := range s.near.heap {
		s.offer(c, ef)
	}
	s.walk(ctx, ef)
}

// reason returns why the budget was spent: because of the filter, or else
// otherwise, unless vectors are read in place.
func (s *searcher) reason(otherwise string) string {
	switch {
	case s.view != nil:
		return exactPlace
	case s.filter != nil:
		return exactFilter
	}
	return otherwise
}

// candidate scores one vertex.
func (s *searcher) candidate(v uint32) candidate {
	s.scored++
	if s.view != nil {
		var key [1]float32
		s.view.score(&s.score, key[:], []uint32{v})
		return candidateOf(key[0], v)
	}
	return candidateOf(s.score.one(v), v)
}

// links returns the list of a vertex on a level, which may be padded with none.
func (s *searcher) links(level int, v uint32) []uint32 {
	if s.view != nil {
		return s.view.links(level, v)
	}
	return s.h.links(level, v)
}

// twins returns the ways to the vertices whose vector equals that of v.
func (s *searcher) twins(v uint32) []edge {
	switch {
	case s.view != nil:
		return s.view.edges(s.view.head.twinsAt(), s.view.head.twins, v)
	case s.h.has(v):
		return of(s.h.twins, v)
	}
	return nil
}

// bridges returns the ways from v to vertices that no link leads to.
func (s *searcher) bridges(v uint32) []edge {
	switch {
	case s.view != nil:
		return s.view.edges(s.view.head.bridgesAt(), s.view.head.bridges, v)
	case s.h.has(v):
		return of(s.h.bridges, v)
	}
	return nil
}

// simple reports whether a search accepts every vertex and no vertex has twins.
func (s *searcher) simple() bool {
	if s.view != nil {
		return s.filter == nil && s.view.head.twins == 0
	}
	return s.filter == nil && s.h.marked == nil
}

// begin adds a vertex to those where the walk starts.
func (s *searcher) begin(c candidate) {
	v := c.vertex()
	s.seen[v/64] |= 1 << (v % 64)
	s.touched = append(s.touched, v)
	s.near.push(c)
}

// clear resets the seen vertices.
func (s *searcher) clear() {
	for _, v := range s.touched {
		s.seen[v/64] = 0
	}
	s.touched = s.touched[:0]
	s.near.heap = s.near.heap[:0]
}

// descend moves from a vertex to ever nearer neighbours on an upper level.
func (s *searcher) descend(level int, at candidate) candidate {
	for {
		s.ids = append(s.ids[:0], used(s.links(level, at.vertex()))...)
		s.scoreAll()
		next := at
		for i, u := range s.ids {
			next = min(next, candidateOf(s.keys[i], u))
		}
		if next == at {
			return at
		}
		at = next
	}
}

// scoreAll scores the listed vertices.
func (s *searcher) scoreAll() {
	if len(s.keys) < len(s.ids) {
		s.keys = make([]float32, 2*len(s.ids))
	}
	if s.view != nil {
		s.view.score(&s.score, s.keys, s.ids)
	} else {
		s.score.list(s.keys, s.ids)
	}
	s.scored += len(s.ids)
}

// offer adds a vertex that was scored, and its twins, to the best if they are
// admissible.
func (s *searcher) offer(c candidate, ef int) {
	if len(s.best.heap) == ef && c >= s.best.heap[0] {
		return
	}
	v := c.vertex()
	if s.filter == nil || s.filter(v) {
		s.best.offer(c, ef)
	}
	for _, e := range s.twins(v) {
		t := c - candidate(v) + candidate(e.to)
		if len(s.best.heap) == ef && t >= s.best.heap[0] {
			return
		}
		if s.filter == nil || s.filter(e.to) {
			s.best.offer(t, ef)
		}
	}
}

// walk follows the links of level 0 from the candidates in near until all
// remaining candidates are farther than the ef best.
func (s *searcher) walk(ctx context.Context, ef int) {
	plain := s.simple()
	for turns := 1; len(s.near.heap) > 0; turns++ {
		c := s.near.pop()
		if len(s.best.heap) == ef && c > s.best.heap[0] {
			return
		}
		if s.scored > s.budget {
			s.gaveUp = true
			return
		}
		if turns%64 == 0 && ctx.Err() != nil {
			return
		}
		v := c.vertex()
		s.gather(s.links(0, v), v)
		if s.until != none {
			s.way = append(s.way, s.step(v, ef))
			if s.seen[s.until/64]&(1<<(s.until%64)) != 0 {
				return
			}
		}
		s.scoreAll()
		for i, u := range s.ids {
			c := candidateOf(s.keys[i], u)
			if len(s.best.heap) == ef && c >= s.best.heap[0] {
				continue
			}
			s.near.push(c)
			if plain {
				s.best.offer(c, ef)
			} else {
				s.offer(c, ef)
			}
		}
	}
}

// step notes that the links of a vertex are followed.
func (s *searcher) step(v uint32, ef int) step {
	if len(s.best.heap) < ef {
		return step{v, float32(math.Inf(1))}
	}
	return step{v, s.best.heap[0].key()}
}

// gather lists the unseen vertices that the links and bridges of v lead to.
func (s *searcher) gather(links []uint32, v uint32) {
	ids, count := s.ids[:cap(s.ids)], 0
	for _, u := range links {
		if u == none {
			break
		}
		// About half of them were seen, in an order that a processor cannot
		// predict, so each is written without a branch, and the next one
		// overwrites it if it was seen.
		word, shift := u/64, u%64
		seen := s.seen[word]
		ids[count] = u
		count += int(^seen >> shift & 1)
		s.seen[word] = seen | 1<<shift
	}
	s.ids = ids[:count]
	for _, e := range s.bridges(v) {
		if bit := uint64(1) << (e.to % 64); s.seen[e.to/64]&bit == 0 {
			s.seen[e.to/64] |= bit
			s.ids = append(s.ids, e.to)
		}
	}
	s.touched = append(s.touched, s.ids...)
}
