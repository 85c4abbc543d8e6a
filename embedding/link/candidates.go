package link

import (
	"context"
	"fmt"
	"math"
	"sort"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Scoring is how a Predictor scores pairs.
type Scoring struct {
	// Score is symmetric and safe for concurrent use. A pair whose score is NaN is
	// no answer.
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

// PredictOptions says which links a Predictor looks for, and how. The zero value
// works.
type PredictOptions struct {
	// Admit tells which vertices may be answers, or ends of the links of a whole
	// graph; nil admits all. It is called from several goroutines at a time.
	Admit   func(v uint32) bool
	Workers int // goroutines of All, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, is told by All of the vertices that are done, under the
	// stages "nearest" and "predicting".
	Progress func(stage string, done, total int64)
}

// Predictor finds the likeliest links that a graph does not have. Its candidates
// are the vertices two edges apart, and those that the caller names as near. By
// preferential_attachment they are all pairs of vertices with edges. A pair that
// scores 0 by a heuristic is no candidate, so that a vertex without edges has none.
//
// Links come in the order of their scores, the likeliest first, ties by vertex. A
// Predictor is safe for concurrent use. Each call that runs takes 12 bytes for each
// vertex of the graph, and keeps them for the next one.
type Predictor struct {
	g       *csr.Graph
	s       Scoring
	opts    PredictOptions
	sum     *summed // nil where the score is no sum over common neighbours
	scratch sync.Pool
}

// NewPredictor returns a predictor of links of g.
func NewPredictor(g *csr.Graph, s Scoring, opts PredictOptions) *Predictor {
	p := &Predictor{g: g, s: s, opts: opts, sum: summedBy(s.Heuristic)}
	p.scratch.New = func() any { return &scratch{sums: make([]float64, g.Vertices())} }
	return p
}

// scratch is what the search for the candidates of one vertex needs.
type scratch struct {
	sums    []float64 // by vertex, all 0 between searches
	touched []uint32  // vertices whose sums are not 0, but for linked ones
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
		return nil, 0, fmt.Errorf("link: predicting: %w", err)
	}
	return t.sorted(), s.scored, nil
}

// All returns the n likeliest links of the graph, and how many candidates were
// scored. near, if it is not nil, names the vertices near to one; it is called from
// several goroutines at a time, once for each vertex that is admitted. What it
// returns is kept until the end, 8 bytes each. It takes O(Σ d(x)²) over all vertices
// x, and the time of near and of the scores where they are no sums.
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
		return nil, 0, fmt.Errorf("link: predicting: %w", failed)
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
		return nil, fmt.Errorf("link: the nearest of vertices: %w", failed)
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
	if p.s.Heuristic == "katz" {
		return p.searchKatz(ctx, s, u, from, t)
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

// gather adds the weights of the neighbours of u to the sums of their neighbours
// from a number on, in the order in which eachCommon finds them.
func (p *Predictor) gather(ctx context.Context, s *scratch, u, from uint32, weight func(degree int) float64) error {
	for _, x := range p.g.Neighbors(u) {
		row := p.g.Neighbors(x)
		w := weight(len(row))
		if from > 0 {
			row = row[sort.Search(len(row), func(i int) bool { return row[i] >= from }):]
		}
		const look = 1 << 20 // about a millisecond
		if s.work += len(row); s.work > look {
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
func (s *scratch) exclude(g *csr.Graph, u uint32) { s.fill(g, u, math.NaN()) }
func (s *scratch) include(g *csr.Graph, u uint32) { s.fill(g, u, 0) }

func (s *scratch) fill(g *csr.Graph, u uint32, x float64) {
	s.sums[u] = x
	for _, v := range g.Neighbors(u) {
		s.sums[v] = x
	}
}

// clear makes all sums 0.
func (s *scratch) clear() {
	for _, v := range s.touched {
		s.sums[v] = 0
	}
	s.touched = s.touched[:0]
}

// searchKatz is search by katz. A path of three edges from u to v ends with a step
// from a vertex y that is two edges from u, so that the paths of v are the sum of
// those of its neighbours. They are counted only where v can be among the likeliest,
// by the greatest of these numbers.
func (p *Predictor) searchKatz(ctx context.Context, s *scratch, u, from uint32, t *top) error {
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
		if s.work += len(row); s.work > 1<<20 {
			s.work = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		common := int64(s.sums[v])
		if t.full() && !t.wants(katzSum(common, int64(most)*int64(len(row)))) || p.g.HasEdge(u, v) {
			continue
		}
		triples := 0.0
		for _, y := range row {
			triples += s.sums[y]
		}
		s.scored++
		p.offer(u, v, katzSum(common, int64(triples)), t)
	}
	return ctx.Err()
}
