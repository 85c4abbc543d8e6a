package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"heavytail/storage/csr"
)

// Scoring is how a Predictor scores pairs.
type Scoring struct {
	// Score is safe for concurrent use, and symmetric except for NewPredictorAlong. A pair whose score
	// is NaN is never an answer.
	Score            func(u, v uint32) float64
	HigherIsLikelier bool
	// Heuristic is the name of Score if it is a heuristic of the graph, otherwise
	// "". The scores of a heuristic are added up while the candidates are
	// enumerated, with the same bits as those of Score.
	Heuristic string

	// model, if not nil, is what Score belongs to, which scores pairs of one vertex in less time.
	model *Bound
}

// NewScoring returns the Scoring for the function that [New] made for the scorer of a
// name. For other names, such as that of a model, it is assumed that higher scores are
// likelier.
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
	// Admit reports whether a vertex may be an answer, or with All an end of a link;
	// nil admits all. It is called from several goroutines at a time.
	Admit func(v uint32) bool
	// Each says that the links of each vertex are asked for, one after the other by Limited:
	// Admit holds for their other ends only. Without it the vertices that are not admitted
	// have no part in what Many allows.
	Each bool
	// Sides divides the vertices of a bipartite graph; nil for none. Candidates are on
	// different sides: the ends of paths of three edges, of which scorers of common neighbours
	// give none a score, and the near vertices of the other side.
	Sides Sides
	// Degree returns the degree of a candidate of For, where the graph lacks its row; nil where
	// the graph has all rows. It is used by heuristics of common neighbours.
	Degree func(v uint32) int
	// Threshold is the lowest score of a link, or the highest if lower scores are likelier;
	// nil for none.
	Threshold *float64
	// Top is the number of links of a vertex in the answer of All: a link counts only if
	// it is among the Top likeliest of both its ends, for NewPredictorAlong of U. 0 means no limit.
	Top     int
	Workers int // goroutines of All, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives from All the number of vertices that are done, as the
	// stages "nearest" and "predicting".
	Progress func(stage string, done, total int64)
}

// Predictor finds the likeliest links that a graph does not have. Its candidates are
// the vertices two edges apart, and those that the caller names as near. For
// preferential_attachment they are all pairs of vertices with edges, for l3 the pairs
// that a path of three edges joins. A pair with a heuristic score of 0 is not a
// candidate, so a vertex without edges has no candidates.
//
// Links come in the order of their scores, the likeliest first, ties by vertex. A
// Predictor is safe for concurrent use. Each call that runs takes 12 bytes for each
// vertex of the graph, 24 by l3, 32 by models of paths of three edges, and keeps them for the
// next one.
type Predictor struct {
	g       ways
	s       Scoring
	opts    PredictOptions
	sum     *summed                             // nil if the score is not a sum over common neighbours
	weigh   func(common, triples int64) float64 // nil if the score does not count paths
	l3      *l3                                 // nil for other scores
	recent  *recent                             // nil for other scores
	budget  int64                               // largest number of steps of all vertices together, see Many
	few     int64                               // see Few
	many    func() func(u uint32) bool          // see Many
	order   func() []uint32                     // see degreesFor
	scratch sync.Pool
}

// NewPredictor returns a predictor of links of g.
func NewPredictor(g *csr.Graph, s Scoring, opts PredictOptions) *Predictor {
	return newPredictor(undirected(g), s, opts)
}

func newPredictor(g ways, s Scoring, opts PredictOptions) *Predictor {
	p := &Predictor{g: g, s: s, opts: opts, sum: summedBy(s.Heuristic), weigh: pathWeights(s.Heuristic)}
	if s.Heuristic == "l3" {
		p.l3 = newL3(g)
	}
	if s.Heuristic == recentNeighbors {
		p.recent, _ = newRecent(g) // without times there is no such score
	}
	p.budget, p.few, p.many = allSteps, max(64, allFew/int64(max(1, g.out.Vertices()))), sync.OnceValue(p.budgeted)
	if p.triples() {
		p.budget = allTriple
	}
	p.order = sync.OnceValue(func() []uint32 { return descending(g.in) })
	p.scratch.New = func() any { return &scratch{sums: make([]float64, g.out.Vertices())} }
	return p
}

// scratch is the working memory of the search for the candidates of one vertex.
type scratch struct {
	sums    []float64 // by vertex, all 0 between searches
	touched []uint32  // vertices whose sums are not 0, except linked ones
	ends    []float64 // as sums, of paths of three edges; nil until they are needed
	reached []uint32  // vertices whose ends are not 0, except linked ones
	work    int       // entries of rows since the context was checked
	scored  int64     // candidates that were scored
	around  *around   // of a model, started at the vertex of the search; nil without a model
}

// start prepares the scores by a model of pairs of a vertex.
func (s *scratch) start(of Scoring, u uint32) {
	if of.model == nil {
		return
	}
	if s.around == nil {
		s.around = of.model.newAround()
		s.around.full = true
	}
	s.around.start(u)
}

// For returns the k likeliest links of u, and how many candidates were scored. If
// the score is not a heuristic, the vertices of near are candidates as well; near
// may contain duplicates and neighbours of u, which are left out. It takes O(Σ
// d(x)) over the neighbours x of u, plus the time of scores that are not sums
// over paths.
func (p *Predictor) For(ctx context.Context, u uint32, near []uint32, k int) ([]PredictedLink, int64, error) {
	return p.one(ctx, u, near, k, p.search)
}

// Limited is [Predictor.For], but from a vertex of which [Predictor.Many] is true it
// follows only [Predictor.Few] paths, so that the links of all vertices take bounded time.
func (p *Predictor) Limited(ctx context.Context, u uint32, near []uint32, k int) ([]PredictedLink, int64, error) {
	if p.Many(u) {
		return p.one(ctx, u, near, k, p.searchFew)
	}
	return p.one(ctx, u, near, k, p.search)
}

// one finds the links of one vertex by one of the searches.
func (p *Predictor) one(ctx context.Context, u uint32, near []uint32, k int, search searchFunc) ([]PredictedLink, int64, error) {
	if k < 1 {
		return nil, 0, ctx.Err()
	}
	t := p.top(k)
	if p.s.Heuristic == "preferential_attachment" {
		return p.degreesFor(ctx, u, t)
	}
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	s.scored = 0
	if err := search(ctx, s, u, 0, near, t); err != nil {
		return nil, 0, fmt.Errorf("predicting: %w", err)
	}
	return t.sorted(), s.scored, nil
}

// searchFunc offers the links of u to all vertices with a number of at least from.
type searchFunc func(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error

// top returns an empty list of the k likeliest links.
func (p *Predictor) top(k int) *top {
	return &top{most: k, higher: p.s.HigherIsLikelier, threshold: p.opts.Threshold}
}

// search offers the links of u to the vertices from a number on.
func (p *Predictor) search(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error {
	if err := ctx.Err(); err != nil { // checked once per vertex, because many vertices may be left when a caller cancels
		return err
	}
	defer s.clear()
	switch {
	case p.s.model != nil:
		return p.searchModel(ctx, s, u, from, near, t)
	case p.s.Heuristic == "preferential_attachment": // across sides
		if p.opts.Sides[u] == 0 {
			s.scored += p.searchDegrees(u, t)
		}
		return nil
	case p.l3 != nil || p.opts.Sides != nil:
		return p.searchTriples(ctx, s, u, from, near, t)
	case p.weigh != nil:
		return p.searchPaths(ctx, s, u, from, t)
	}
	// The sums of vertices that are not candidates are NaN, which stays NaN whatever is
	// added.
	s.exclude(p.g.out, u)
	defer s.include(p.g.out, u)
	if err := p.gatherScores(ctx, s, u, from); err != nil {
		return err
	}
	if !p.sums() {
		for _, v := range near {
			if v >= from && s.sums[v] == 0 {
				s.sums[v] = 1
				s.touched = append(s.touched, v)
			}
		}
	}
	du := p.g.out.Degree(u)
	for i, v := range s.touched {
		if i%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !p.sums() {
			p.offerScored(s, u, v, t)
			continue
		}
		score := s.sums[v]
		if p.sum != nil && p.sum.finish != nil {
			score = p.sum.finish(score, du, p.degree(v))
		}
		s.scored++
		p.offer(u, v, score, t)
	}
	return ctx.Err()
}

func (p *Predictor) degree(v uint32) int {
	if p.opts.Degree != nil {
		return p.opts.Degree(v)
	}
	return p.g.in.Degree(v)
}

// sums reports whether scores are sums over common neighbours.
func (p *Predictor) sums() bool { return p.sum != nil || p.recent != nil }

// gatherScores is gather with the weights of the score.
func (p *Predictor) gatherScores(ctx context.Context, s *scratch, u, from uint32) error {
	switch {
	case p.recent != nil:
		return p.gatherRecent(ctx, s, u, from)
	case p.sum != nil:
		return p.gather(ctx, s, u, from, p.sum.weight)
	}
	return p.gather(ctx, s, u, from, one)
}

// offerScored scores a pair, if it is admitted, and offers it.
func (p *Predictor) offerScored(s *scratch, u, v uint32, t *top) {
	if !p.admits(v) {
		return
	}
	s.scored++
	if score := p.score(s, u, v); t.wants(score) {
		t.offer(PredictedLink{u, v, score})
	}
}

// score is that of a pair of the vertex of a search.
func (p *Predictor) score(s *scratch, u, v uint32) float64 {
	if s.around != nil {
		return Probability01(p.s.model.logOdds(s.around, u, v))
	}
	return p.s.Score(u, v)
}

// offer offers a pair whose score is known, if it is admitted.
func (p *Predictor) offer(u, v uint32, score float64, t *top) {
	if t.wants(score) && p.admits(v) {
		t.offer(PredictedLink{u, v, score})
	}
}

// lookAfter is the number of entries of rows between two checks of the context,
// about a millisecond.
const lookAfter = 1 << 20

// worked counts entries of rows, and checks the context after lookAfter of them.
func (s *scratch) worked(ctx context.Context, entries int) error {
	if s.work += entries; s.work <= lookAfter {
		return nil
	}
	s.work = 0
	return ctx.Err()
}

// gather adds the weights of the neighbours of u to the sums of their neighbours
// from a number on, in the order in which eachCommon finds them.
func (p *Predictor) gather(ctx context.Context, s *scratch, u, from uint32, weight func(degree int) float64) error {
	for _, x := range p.g.out.Neighbors(u) {
		row := p.g.out.Neighbors(x)
		w := weight(len(row))
		row = startingAt(row, from)
		if err := s.worked(ctx, len(row)); err != nil {
			return err
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

// gatherRecent is gather for paths weighted by their times.
func (p *Predictor) gatherRecent(ctx context.Context, s *scratch, u, from uint32) error {
	g, r := p.g.out, p.recent
	for i, x := range g.Neighbors(u) {
		lo, hi := g.Offsets[x], g.Offsets[x+1]
		divisor := penalty(int(hi - lo))
		lo = hi - int64(len(startingAt(g.Targets[lo:hi], from)))
		if err := s.worked(ctx, int(hi-lo)); err != nil {
			return err
		}
		first := g.Times[g.Offsets[u]+int64(i)]
		known := r.decay(first) / divisor
		for at := lo; at < hi; at++ {
			v, w := g.Targets[at], known
			if t := g.Times[at]; t > first {
				w = r.decay(t) / divisor
			}
			if s.sums[v] == 0 {
				s.touched = append(s.touched, v)
			}
			s.sums[v] += w
		}
	}
	return nil
}

// exclude prevents u and its neighbours from becoming candidates; include ends that.
func (s *scratch) exclude(g *csr.Graph, u uint32) { s.mark(s.sums, g, u, math.NaN()) }
func (s *scratch) include(g *csr.Graph, u uint32) { s.mark(s.sums, g, u, 0) }

// mark sets the entries of u and its neighbours.
func (s *scratch) mark(sums []float64, g *csr.Graph, u uint32, x float64) {
	sums[u] = x
	for _, v := range g.Neighbors(u) {
		sums[v] = x
	}
}

func (s *scratch) clear() {
	for _, v := range s.touched {
		s.sums[v] = 0
	}
	for _, v := range s.reached {
		s.ends[v] = 0
	}
	s.touched, s.reached = s.touched[:0], s.reached[:0]
}

// searchPaths is search for katz and local_path. A path of three edges from u to v ends with a
// step from a vertex y that is two edges from u, so that the paths of v are the sum of those of
// its neighbours. They are counted only if v can be among the likeliest, according to the
// largest of these numbers.
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
		row := p.g.in.Neighbors(v)
		if err := s.worked(ctx, len(row)); err != nil {
			return err
		}
		common := int64(s.sums[v])
		if t.full() && !t.wants(p.weigh(common, int64(most)*int64(len(row)))) || p.g.has(u, v) {
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

// LeastCandidates is the number of candidates of a vertex by a model, in addition to the near ones;
// it is ten times the number of links if that is more.
const LeastCandidates = 1000

// searchModel is search by a model: the likeliest vertices by l3 + resource_allocation, and the near
// ones, are scored.
func (p *Predictor) searchModel(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error {
	s.start(p.s, u)
	if err := s.worked(ctx, len(p.g.out.Targets)); err != nil {
		return err
	}
	keep := func(v uint32) bool { return p.opts.Sides.Across(u, v) && p.admits(v) }
	list := s.around.likeliest(max(LeastCandidates, 10*t.most), from, keep)
	for _, v := range list {
		s.sums[v] = 1
	}
	for _, v := range near {
		if v >= from && v != u && s.sums[v] == 0 && !s.around.to[v].linked && keep(v) {
			s.sums[v] = 1
			list = append(list, v)
		}
	}
	for _, v := range list {
		s.sums[v] = 0
		p.offerScored(s, u, v, t)
	}
	return ctx.Err()
}

// triples reports whether paths of three edges are followed.
func (p *Predictor) triples() bool {
	return p.l3 != nil || p.weigh != nil || p.opts.Sides != nil || p.s.model != nil
}

// searchTriples is search by l3, and by any scorer across sides. The candidates are the
// ends of paths of three edges from u. By l3 their sums are added up from u, in a different
// order than in Score, and those that are close to the likeliest are scored again; by scorers
// that count paths the sums are counts.
func (p *Predictor) searchTriples(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error {
	if p.sums() {
		return nil // no common neighbours
	}
	middle := one
	if p.l3 != nil {
		middle = func(degree int) float64 { return math.Ldexp(float64(p.l3.root(degree)), -rootBits) }
	}
	if err := p.gather(ctx, s, u, 0, middle); err != nil {
		return err
	}
	if s.ends == nil {
		s.ends = make([]float64, p.g.out.Vertices())
	}
	s.mark(s.ends, p.g.out, u, math.NaN())
	defer s.mark(s.ends, p.g.out, u, 0)
	for _, y := range s.touched {
		if y == u {
			continue
		}
		row := p.g.out.Neighbors(y)
		if err := s.worked(ctx, len(row)); err != nil {
			return err
		}
		part := s.sums[y] * middle(p.g.in.Degree(y))
		for _, v := range startingAt(row, from) {
			if s.ends[v] == 0 {
				s.reached = append(s.reached, v)
			}
			s.ends[v] += part
		}
	}
	if p.s.Heuristic == "" {
		for _, v := range near {
			if v >= from && s.ends[v] == 0 && p.opts.Sides.Across(u, v) {
				s.ends[v] = 1
				s.reached = append(s.reached, v)
			}
		}
	}
	const rounding = 1 + 1e-9 // an upper bound of the ratio of the sums in the two orders
	for i, v := range s.reached {
		if i%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case p.weigh != nil:
			s.scored++
			p.offer(u, v, p.weigh(0, int64(s.ends[v])), t)
		case p.l3 == nil:
			p.offerScored(s, u, v, t)
		default:
			s.scored++
			if t.wants(s.ends[v]*rounding) && p.admits(v) {
				p.offer(u, v, p.l3.score(u, v), t)
			}
		}
	}
	return ctx.Err()
}

// Few is the number of paths of two edges that are followed from a vertex with too
// many: 2²⁴ divided by the number of vertices, and at least 64.
func (p *Predictor) Few() int64 { return p.few }

// Many reports whether All and Limited follow only [Predictor.Few] paths from a vertex. Vertices
// are searched in full, in ascending order of their steps and equal ones together, as long as
// their total is at most 2³⁴ steps, or 2³⁷ for scorers of paths of three edges. A step is a path
// of two edges, and a score that is not a sum over the paths counts as 32 steps. For scorers of
// paths of three edges a step is such a path, but no vertex counts more steps than the graph has
// entries. From every other vertex, the few paths are those through the neighbours with the
// fewest edges, ties by vertex, to vertices in ascending order; the scores of their ends are
// exact. So a star with a million leaves takes seconds instead of the hours that all its pairs
// would take. The first call takes O(n log n + m) time; 8 bytes for each vertex are kept. By
// preferential_attachment it is always false.
func (p *Predictor) Many(u uint32) bool {
	if p.s.Heuristic == "preferential_attachment" {
		return false
	}
	return p.many()(u)
}

// CountMany returns the number of admitted vertices of which Many is true.
func (p *Predictor) CountMany() int64 {
	n := int64(0)
	for u := range uint32(p.g.out.Vertices()) {
		if p.begins(u) && p.Many(u) {
			n++
		}
	}
	return n
}

// budgeted returns the function that Many calls.
func (p *Predictor) budgeted() func(u uint32) bool {
	return manySteps(countSteps(p.g.out, p.triples(), p.s.Heuristic == ""), p.budget, p.begins)
}

func (p *Predictor) admits(v uint32) bool { return p.opts.Admit == nil || p.opts.Admit(v) }

// begins reports whether links of a vertex are asked for.
func (p *Predictor) begins(u uint32) bool { return p.opts.Each || p.admits(u) }

// searchFew is search for a vertex with too many paths.
func (p *Predictor) searchFew(ctx context.Context, s *scratch, u, from uint32, near []uint32, t *top) error {
	s.exclude(p.g.out, u)
	defer s.clear()
	defer s.include(p.g.out, u)
	touch := func(v uint32) {
		if s.sums[v] == 0 {
			s.sums[v] = 1
			s.touched = append(s.touched, v)
		}
	}
	left := p.Few()
	if p.opts.Sides != nil {
		p.fewEnds(u, from, left, touch)
		left = 0
	}
	for _, x := range byDegree(p.g.out, u) {
		if left == 0 {
			break
		}
		row := startingAt(p.g.out.Neighbors(x), from)
		row = row[:min(int64(len(row)), left)]
		for _, v := range row {
			touch(v)
		}
		left -= int64(len(row))
	}
	for _, v := range near {
		if v >= from && p.s.Heuristic == "" && p.opts.Sides.Across(u, v) {
			touch(v)
		}
	}
	for _, v := range s.touched {
		if p.s.Heuristic == "" || p.s.Score(u, v) != 0 {
			p.offerScored(s, u, v, t)
		}
	}
	return ctx.Err()
}

// fewEnds calls f for the ends of at most so many paths of three edges from u, to vertices
// from a number on, over the neighbours with fewest edges first.
func (p *Predictor) fewEnds(u, from uint32, left int64, f func(v uint32)) {
	for _, x := range byDegree(p.g.out, u) {
		for _, y := range p.g.out.Neighbors(x) {
			if y == u {
				continue
			}
			row := startingAt(p.g.out.Neighbors(y), from)
			for _, v := range row[:min(int64(len(row)), left)] {
				f(v)
			}
			if left -= min(int64(len(row)), left) + 1; left <= 0 {
				return
			}
		}
	}
}

// byDegree returns the neighbours of a vertex, those with fewest edges first.
func byDegree(g *csr.Graph, u uint32) []uint32 {
	list := slices.Clone(g.Neighbors(u))
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(g.Degree(a), g.Degree(b)) })
	return list
}
