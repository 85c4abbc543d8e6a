package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Scoring is how a Predictor scores pairs.
type Scoring struct {
	// Score is symmetric and safe for concurrent use. A pair whose score is NaN is
	// never an answer.
	Score            func(u, v uint32) float64
	HigherIsLikelier bool
	// Heuristic is the name of the heuristic of the graph that Score is, "" where it
	// is none. The scores of a heuristic are added up while the candidates are
	// enumerated, with the same bits as those of Score.
	Heuristic string
}

// NewScoring is the scoring by a function of pairs that [New] made for the scorer of a
// name. Of other names, such as that of a model, higher is likelier, and nothing else
// is known.
func NewScoring(name string, score func(u, v uint32) float64) Scoring {
	s := Scoring{Score: score, HigherIsLikelier: true}
	for _, known := range Scorers() {
		if known.Name != name {
			continue
		}
		s.HigherIsLikelier = known.HigherIsLikelier
		if !known.NeedsEmbedding {
			s.Heuristic = name
		}
	}
	return s
}

// PredictOptions sets which links a Predictor searches, and how. The zero value works.
type PredictOptions struct {
	// Admit reports whether a vertex may be an answer, or an end of a link of a whole
	// graph; nil admits all. It is called from several goroutines at a time.
	Admit   func(v uint32) bool
	Workers int // goroutines of All, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives from All the number of vertices that are done, as the
	// stages "nearest" and "predicting".
	Progress func(stage string, done, total int64)
}

// Predictor finds the likeliest links that a graph does not have. Its candidates
// are the vertices two edges apart, and those that the caller names as near. By
// preferential_attachment they are all pairs of vertices with edges, by l3 those that a
// path of three edges joins. A pair that
// scores 0 by a heuristic is no candidate, so that a vertex without edges has none.
//
// Links come in the order of their scores, the likeliest first, ties by vertex. A
// Predictor is safe for concurrent use. Each call that runs takes 12 bytes for each
// vertex of the graph, 24 by l3, and keeps them for the next one.
type Predictor struct {
	g       *csr.Graph
	s       Scoring
	opts    PredictOptions
	sum     *summed                             // nil where the score is no sum over common neighbours
	weigh   func(common, triples int64) float64 // nil where the score counts no paths
	l3      *l3                                 // nil for other scores
	limit   int64                               // see Many
	few     int64                               // see Few
	scratch sync.Pool
}

// NewPredictor returns a predictor of links of g.
func NewPredictor(g *csr.Graph, s Scoring, opts PredictOptions) *Predictor {
	p := &Predictor{g: g, s: s, opts: opts, sum: summedBy(s.Heuristic), weigh: pathWeights(s.Heuristic)}
	if s.Heuristic == "l3" {
		p.l3 = newL3(g)
	}
	p.setLimits()
	p.scratch.New = func() any { return &scratch{sums: make([]float64, g.Vertices())} }
	return p
}

// scratch is what the search for the candidates of one vertex needs.
type scratch struct {
	sums    []float64 // by vertex, all 0 between searches
	touched []uint32  // vertices whose sums are not 0, but for linked ones
	ends    []float64 // as sums, of paths of three edges; nil until they are needed
	reached []uint32  // vertices whose ends are not 0, but for linked ones
	work    int       // entries of rows since the context was looked at
	scored  int64     // candidates that were scored
}

// For returns the k likeliest links of u, and how many candidates were scored. By
// what is no heuristic, the vertices of near are candidates too; they may repeat
// and include neighbours of u, which are left out. It takes O(Σ d(x)) over the
// neighbours x of u, and the time of the scores where they are no sums.
func (p *Predictor) For(ctx context.Context, u uint32, near []uint32, k int) ([]PredictedLink, int64, error) {
	t := &top{most: k, higher: p.s.HigherIsLikelier}
	if k < 1 {
		return nil, 0, ctx.Err()
	}
	if p.s.Heuristic == "preferential_attachment" {
		return p.degreesFor(ctx, u, t)
	}
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	s.scored = 0
	if err := p.search(ctx, s, u, 0, near, t); err != nil {
		return nil, 0, fmt.Errorf("predicting: %w", err)
	}
	return t.sorted(), s.scored, nil
}

// All returns the n likeliest links of the graph, and how many candidates were
// scored. near, if it is not nil, names the vertices near to one; it is called from
// several goroutines at a time, once for each vertex that is admitted. What it
// returns is kept until the end, 8 bytes each. It takes O(Σ d(x)²) over all vertices
// x, and the time of near and of the scores where they are no sums. From vertices with
// very many paths it follows a few only: see [Predictor.Many].
func (p *Predictor) All(ctx context.Context, near func(u uint32) ([]uint32, error), n int) ([]PredictedLink, int64, error) {
	if n < 1 {
		return nil, 0, ctx.Err()
	}
	if p.s.Heuristic == "preferential_attachment" {
		return p.degreesAll(ctx, n)
	}
	var higher [][]uint32
	if near != nil && p.s.Heuristic == "" {
		var err error
		if higher, err = p.nearPairs(ctx, near); err != nil {
			return nil, 0, err
		}
	}
	var (
		mu     sync.Mutex
		tops   []*top
		free   []*top
		scored int64
		failed error
	)
	vertices := p.g.Vertices()
	report := newReporter(p.opts.Progress, "predicting", int64(vertices))
	const block = 16 // of hubs some milliseconds
	vec.Parallel(vertices, block, p.opts.Workers, func(_, lo, hi int) {
		mu.Lock()
		var t *top
		if last := len(free) - 1; last >= 0 {
			t, free = free[last], free[:last]
		} else {
			t = &top{most: n, higher: p.s.HigherIsLikelier}
			tops = append(tops, t)
		}
		mu.Unlock()
		s := p.scratch.Get().(*scratch)
		s.scored = 0
		var err error
		for u := uint32(lo); u < uint32(hi) && err == nil; u++ {
			if p.opts.Admit != nil && !p.opts.Admit(u) {
				continue
			}
			var also []uint32
			if higher != nil {
				also = higher[u]
			}
			if p.Many(u) {
				p.searchFew(s, u, u+1, also, t)
				err = ctx.Err()
				continue
			}
			err = p.search(ctx, s, u, u+1, also, t)
		}
		mu.Lock()
		defer mu.Unlock()
		scored += s.scored
		p.scratch.Put(s)
		free = append(free, t)
		if err != nil {
			failed = err
		}
		report(int64(hi - lo))
	})
	if failed != nil {
		return nil, 0, fmt.Errorf("predicting: %w", failed)
	}
	all := &top{most: n, higher: p.s.HigherIsLikelier}
	for _, t := range tops {
		for _, l := range t.links {
			all.offer(l)
		}
	}
	return all.sorted(), scored, ctx.Err()
}

// nearPairs returns for each vertex the later ones that near joins it with, from
// either side.
func (p *Predictor) nearPairs(ctx context.Context, near func(u uint32) ([]uint32, error)) ([][]uint32, error) {
	vertices := p.g.Vertices()
	lists := make([][]uint32, vertices)
	report := newReporter(p.opts.Progress, "nearest", int64(vertices))
	var mu sync.Mutex
	var failed error
	const block = 16
	vec.Parallel(vertices, block, p.opts.Workers, func(_, lo, hi int) {
		for u := lo; u < hi; u++ {
			err := ctx.Err()
			if err == nil && (p.opts.Admit == nil || p.opts.Admit(uint32(u))) {
				lists[u], err = near(uint32(u))
			}
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
		}
		mu.Lock()
		report(int64(hi - lo))
		mu.Unlock()
	})
	if failed != nil {
		return nil, fmt.Errorf("the nearest of vertices: %w", failed)
	}
	higher := make([][]uint32, vertices)
	for u, list := range lists {
		for _, v := range list {
			low, high := uint32(u), v
			if low > high {
				low, high = high, low
			}
			higher[low] = append(higher[low], high)
		}
	}
	return higher, nil
}

// search offers the links of u to the vertices from a number on.
func (p *Predictor) search(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error {
	if err := ctx.Err(); err != nil { // once a vertex: many are left where a caller has given up
		return err
	}
	defer s.clear()
	switch {
	case p.weigh != nil:
		return p.searchPaths(ctx, s, u, from, t)
	case p.l3 != nil:
		return p.searchL3(ctx, s, u, from, t)
	}
	// NaN keeps out what is no candidate: it stays NaN whatever is added.
	s.exclude(p.g, u)
	defer s.include(p.g, u)
	weight := one
	if p.sum != nil {
		weight = p.sum.weight
	}
	if err := p.gather(ctx, s, u, from, weight); err != nil {
		return err
	}
	if p.sum == nil {
		for _, v := range near {
			if v >= from && s.sums[v] == 0 {
				s.sums[v] = 1
				s.touched = append(s.touched, v)
			}
		}
	}
	du := p.g.Degree(u)
	for i, v := range s.touched {
		if i%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		if p.sum == nil {
			p.offerScored(s, u, v, t)
			continue
		}
		score := s.sums[v]
		if p.sum.finish != nil {
			score = p.sum.finish(score, du, p.g.Degree(v))
		}
		s.scored++
		p.offer(u, v, score, t)
	}
	return ctx.Err()
}

// offerScored scores a pair, if it is admitted, and offers it.
func (p *Predictor) offerScored(s *scratch, u, v uint32, t *top) {
	if p.opts.Admit != nil && !p.opts.Admit(v) {
		return
	}
	s.scored++
	if score := p.s.Score(u, v); t.wants(score) {
		t.offer(PredictedLink{u, v, score})
	}
}

// offer offers a pair whose score is known, if it is admitted.
func (p *Predictor) offer(u, v uint32, score float64, t *top) {
	if t.wants(score) && (p.opts.Admit == nil || p.opts.Admit(v)) {
		t.offer(PredictedLink{u, v, score})
	}
}

// lookAfter is after how many entries of rows the context is looked at, about every
// millisecond.
const lookAfter = 1 << 20

// gather adds the weights of the neighbours of u to the sums of their neighbours
// from a number on, in the order in which eachCommon finds them.
func (p *Predictor) gather(ctx context.Context, s *scratch, u, from uint32, weight func(degree int) float64) error {
	for _, x := range p.g.Neighbors(u) {
		row := p.g.Neighbors(x)
		w := weight(len(row))
		if from > 0 {
			row = row[sort.Search(len(row), func(i int) bool { return row[i] >= from }):]
		}
		if s.work += len(row); s.work > lookAfter {
			s.work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for _, v := range row {
			if s.sums[v] == 0 {
				s.touched = append(s.touched, v)
			}
			s.sums[v] += w
		}
	}
	return nil
}

// exclude keeps u and its neighbours from being touched, include ends that.
func (s *scratch) exclude(g *csr.Graph, u uint32) { s.mark(s.sums, g, u, math.NaN()) }
func (s *scratch) include(g *csr.Graph, u uint32) { s.mark(s.sums, g, u, 0) }

// mark sets the entries of u and its neighbours.
func (s *scratch) mark(sums []float64, g *csr.Graph, u uint32, x float64) {
	sums[u] = x
	for _, v := range g.Neighbors(u) {
		sums[v] = x
	}
}

// clear makes all sums 0.
func (s *scratch) clear() {
	for _, v := range s.touched {
		s.sums[v] = 0
	}
	s.touched = s.touched[:0]
}

// clearEnds makes all ends 0.
func (s *scratch) clearEnds() {
	for _, v := range s.reached {
		s.ends[v] = 0
	}
	s.reached = s.reached[:0]
}

// searchPaths is search by katz and local_path. A path of three edges from u to v ends with a step
// from a vertex y that is two edges from u, so that the paths of v are the sum of
// those of its neighbours. They are counted only where v can be among the likeliest,
// by the greatest of these numbers.
func (p *Predictor) searchPaths(ctx context.Context, s *scratch, u, from uint32, t *top) error {
	if err := p.gather(ctx, s, u, 0, one); err != nil {
		return err
	}
	most := 0.0
	for _, v := range s.touched {
		if v != u {
			most = max(most, s.sums[v])
		}
	}
	for _, v := range s.touched {
		if v < from || v == u {
			continue
		}
		row := p.g.Neighbors(v)
		if s.work += len(row); s.work > lookAfter {
			s.work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		common := int64(s.sums[v])
		if t.full() && !t.wants(p.weigh(common, int64(most)*int64(len(row)))) || p.g.HasEdge(u, v) {
			continue
		}
		triples := 0.0
		for _, y := range row {
			triples += s.sums[y]
		}
		s.scored++
		p.offer(u, v, p.weigh(common, int64(triples)), t)
	}
	return ctx.Err()
}

// searchL3 is search by l3. The candidates are the vertices that a path of three edges
// leads to. Their sums are added up from u, in another order than Score has, and those that
// come near to the likeliest are scored again.
func (p *Predictor) searchL3(ctx context.Context, s *scratch, u, from uint32, t *top) error {
	if err := p.gather(ctx, s, u, 0, p.l3.rootOf); err != nil {
		return err
	}
	if s.ends == nil {
		s.ends = make([]float64, p.g.Vertices())
	}
	s.mark(s.ends, p.g, u, math.NaN())
	defer s.mark(s.ends, p.g, u, 0)
	defer s.clearEnds()
	for _, y := range s.touched {
		if y == u {
			continue
		}
		row := p.g.Neighbors(y)
		if s.work += len(row); s.work > lookAfter {
			s.work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		part := s.sums[y] * p.l3.root(len(row))
		for _, v := range row[sort.Search(len(row), func(i int) bool { return row[i] >= from }):] {
			if s.ends[v] == 0 {
				s.reached = append(s.reached, v)
			}
			s.ends[v] += part
		}
	}
	const rounding = 1 + 1e-9 // more than the orders of the sums can differ by
	for _, v := range s.reached {
		s.scored++
		if t.wants(s.ends[v]*rounding) && (p.opts.Admit == nil || p.opts.Admit(v)) {
			p.offer(u, v, p.l3.score(u, v), t)
		}
	}
	return ctx.Err()
}

// Limits of [Predictor.All], over all vertices of a graph. So many paths of two edges take
// about half a minute of a processor to follow, and as many of three edges as l3 may
// follow some minutes. A vertex may use the share of a vertex; of one with more, as
// many candidates are scored as take some seconds for all vertices together.
const (
	allPaths  = 1 << 34
	allTriple = 1 << 37
	allFew    = 1 << 24
)

// setLimits divides the limits between the vertices.
func (p *Predictor) setLimits() {
	n := int64(max(1, p.g.Vertices()))
	p.limit, p.few = allPaths/n, max(64, allFew/n)
	if p.l3 != nil {
		p.limit = allTriple / n
	}
}

// Few is how many paths of two edges All follows from a vertex that has too many: 2²⁴
// over the number of vertices, and at least 64.
func (p *Predictor) Few() int64 { return p.few }

// Many reports whether All follows only [Predictor.Few] paths from a vertex: where it has
// more than 2³⁴/n paths of two edges, n vertices, or by l3 2³⁷/n of three. They are those over
// the neighbours with fewest edges, ties by vertex, to later vertices in their order,
// and the scores of their ends are those of Score. So a star of a million leaves takes
// seconds and not the hours of its pairs. It takes O(degree), by l3 O(Σ d(x)).
func (p *Predictor) Many(u uint32) bool {
	if p.s.Heuristic == "preferential_attachment" {
		return false
	}
	paths := int64(0)
	for _, x := range p.g.Neighbors(u) {
		if p.l3 == nil {
			paths += int64(p.g.Degree(x))
			continue
		}
		for _, y := range p.g.Neighbors(x) {
			if paths += int64(p.g.Degree(y)); paths > p.limit {
				return true
			}
		}
	}
	return paths > p.limit
}

// CountMany returns the number of admitted vertices of which Many is true.
func (p *Predictor) CountMany() int64 {
	n := int64(0)
	for u := range uint32(p.g.Vertices()) {
		if (p.opts.Admit == nil || p.opts.Admit(u)) && p.Many(u) {
			n++
		}
	}
	return n
}

// searchFew is search from a vertex with too many paths.
func (p *Predictor) searchFew(s *scratch, u, from uint32, near []uint32, t *top) {
	s.exclude(p.g, u)
	defer s.clear()
	defer s.include(p.g, u)
	touch := func(v uint32) {
		if s.sums[v] == 0 {
			s.sums[v] = 1
			s.touched = append(s.touched, v)
		}
	}
	left := p.Few()
	for _, x := range byDegree(p.g, u) {
		row := p.g.Neighbors(x)
		row = row[sort.Search(len(row), func(i int) bool { return row[i] >= from }):]
		row = row[:min(int64(len(row)), left)]
		for _, v := range row {
			touch(v)
		}
		if left -= int64(len(row)); left == 0 {
			break
		}
	}
	for _, v := range near {
		if v >= from && p.s.Heuristic == "" {
			touch(v)
		}
	}
	for _, v := range s.touched {
		if p.s.Heuristic == "" || p.s.Score(u, v) != 0 {
			p.offerScored(s, u, v, t)
		}
	}
}

// byDegree returns the neighbours of a vertex, those with fewest edges first.
func byDegree(g *csr.Graph, u uint32) []uint32 {
	list := slices.Clone(g.Neighbors(u))
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(g.Degree(a), g.Degree(b)) })
	return list
}
