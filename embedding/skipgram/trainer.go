package skipgram

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"heavytail/storage/vec"
)

// Corpus is a number of walks that can be generated repeatedly.
type Corpus struct {
	Vertices int // walks consist of vertices below it
	Walks    int
	// Append appends walk number i to dst. It is called from several goroutines
	// and must give the same walk every time.
	Append func(dst []uint32, i int) []uint32
	// AppendEach, if not nil, does the same for walk number first + j and
	// dst[j], for all of them, in less time.
	AppendEach func(dst [][]uint32, first int)
}

// abreast is how many walks are generated at a time.
const abreast = 8

// refill replaces walks by those from number first on.
func (c Corpus) refill(walks [][]uint32, first int) {
	for j := range walks {
		walks[j] = walks[j][:0]
		if c.AppendEach == nil {
			walks[j] = c.Append(walks[j], first+j)
		}
	}
	if c.AppendEach != nil {
		c.AppendEach(walks, first)
	}
}

// trainer holds the model while it is being trained.
type trainer struct {
	Options
	corpus Corpus

	at    State     // its vectors and nodes are in and out
	total int64     // visits on all walks, once
	saved time.Time // time of the last save

	constant bool          // the learning rate does not fall
	counting time.Duration // time of counting the visits; 0 if a state had them

	tree   *tree     // nil for negative sampling
	stride int       // from a row to the next: whole lines of the cache
	in     []float32 // rows of vertices as x
	out    []float32 // rows of nodes of the tree, or of vertices as centres

	outPart []uint8 // for negative sampling, the part of each vertex as a centre
	parts   []*part
	// For several parts.
	passing []float32 // for the tree, the fraction of all visits that pass each node
	visited []float32 // the fraction of all visits that are those of each vertex
	steps   float32   // of a pair, on average: a step for each row of its path or samples
	sharing sharing

	ahead     ahead
	now, next *batch // the batch being trained, and the next one
}

func newTrainer(c Corpus, o Options) *trainer {
	o.Partitions = o.parts(c.Vertices)
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &trainer{Options: o, corpus: c, saved: time.Now()}
}

// Streams of random numbers, one for each use.
const (
	useInit = iota + 1
	useWindow
	useNegative
)

// batchWalks returns the number of walks of a batch, a multiple of the number of parts that
// divide them.
func (t *trainer) batchWalks() int {
	all := float64(t.total) * float64(t.Window+1)
	pairs := float64(batchPairs)
	if t.Partitions > 1 {
		pairs = min(all/dividedBatches, dividedPairs)
	}
	walks := max(1, int(pairs/(all/float64(t.corpus.Walks))))
	return (walks + t.Partitions - 1) / t.Partitions * t.Partitions
}

// batch has the walks that are trained together, concatenated.
type batch struct {
	walks []uint32
	// Numbers of the first walk and of the one after the last.
	first, end int
	number     int // number of the batch, over all epochs
	alpha      float32
	overlap    float32 // of its vectors before it, see the method overlap

	// The window of the vertex at each place of walks, and the number of its walk
	// within the batch.
	windows []window
	parts   []int    // the place where the walks of each part begin, and the end
	shared  []shared // rows of which parts have copies
}

// window is the part of the walks around one place that its vertex is trained with.
type window struct{ lo, hi, walk int32 }

// ahead generates the walks of some batches at a time: training displaces the
// graph from the cache, so it is loaded once for all of them.
type ahead struct {
	walks      [][]uint32 // from number begin to below end
	begin, end int
}

// aheadVisits is about how many visits are generated at a time.
const aheadVisits = 1 << 16

// walk returns the walks [from, to); when it generates walks, it also
// generates later ones.
func (a *ahead) walk(t *trainer, from, to int) [][]uint32 {
	if from < a.begin || to > a.end {
		visits := max(1, int(t.total)/t.corpus.Walks*(to-from))
		batches := max(1, aheadVisits/visits)
		a.begin, a.end = from, min(from+batches*(to-from), t.corpus.Walks)
		for len(a.walks) < a.end-a.begin {
			a.walks = append(a.walks, nil)
		}
		vec.Parallel(a.end-a.begin, abreast, t.Workers, func(_, lo, hi int) {
			t.corpus.refill(a.walks[lo:hi], a.begin+lo)
		})
	}
	return a.walks[from-a.begin : to-a.begin]
}

// fill makes a batch of the given number of walks, beginning with number first, or of the
// remaining walks if there are fewer. Windows depend on the seed, the epoch and the number
// of the walk.
func (t *trainer) fill(b *batch, first, walks int) {
	b.first, b.end = first, min(first+walks, t.corpus.Walks)
	b.walks, b.windows, b.parts, b.shared = b.walks[:0], b.windows[:0], b.parts[:0], b.shared[:0]
	if b.first == b.end {
		return
	}
	for i, walk := range t.ahead.walk(t, b.first, b.end) {
		var random rand.PCG
		random.Seed(t.Seed, uint64(t.at.Epoch)<<40|uint64(first+i)<<8|useWindow)
		begin := int32(len(b.walks))
		for len(b.parts)*(b.end-b.first) <= i*t.Partitions {
			b.parts = append(b.parts, len(b.walks))
		}
		b.walks = append(b.walks, walk...)
		end := int32(len(b.walks))
		for at := begin; at < end; at++ {
			half := 1 + int32(below(&random, uint64(t.Window)))
			b.windows = append(b.windows, window{lo: max(begin, at-half), hi: min(end, at+half+1), walk: int32(i)})
		}
	}
	for len(b.parts) <= t.Partitions {
		b.parts = append(b.parts, len(b.walks))
	}
	t.share(b)
}

// share finds the rows that several parts train in a batch. With negative sampling they share
// all vectors, and no node.
func (t *trainer) share(b *batch) {
	if t.Partitions == 1 {
		return
	}
	for p := range t.Partitions {
		for at := b.parts[p]; at < b.parts[p+1]; at++ {
			v, w := b.walks[at], b.windows[at]
			if w.hi-w.lo < 2 {
				continue // without a pair
			}
			if t.tree != nil {
				t.sharing.path(v, t.tree.path(v), 1<<p)
			} else {
				t.sharing.path(v, nil, 1<<t.Partitions-1)
			}
		}
	}
	b.shared = t.sharing.take(b.shared)
}

// maxProduct is the largest magnitude of a scalar product that is trained: if a vector and
// a node agree or disagree more strongly, they do not change each other, as in the program
// of Mikolov et al.
const maxProduct = 6

// part trains the pairs of its walks of a batch or, for negative sampling, those of its own
// centres.
type part struct {
	*trainer
	number    int
	negatives *negativeSampler

	// The vectors and nodes, or copies of them during a batch, and the vectors of the
	// places of the batch from the first of the part to the end of the last window.
	vectors, nodes, places vec.RowList
	copies                 []float32   // of the shared rows
	coming                 vec.RowList // the row that is copied soon, and its copy

	// The lesson being trained, and the next one, whose rows are fetched into
	// the cache meanwhile.
	now, next *lesson
	one       vec.RowList // a single x of a lesson whose loss is measured
	products  []float32   // of it with the rows

	random rand.PCG
	drawn  []uint32 // vertices of rows, for negative sampling

	pairs    int64
	loss     float64
	measured int64
}

// lesson is a list of pairs of one centre that are trained with the same rows.
type lesson struct {
	xs   vec.RowList // vectors of the other vertices
	rows vec.RowList // rows of the path of the centre, or of the centre and its negative samples
	// The number of rows and xs that are probably in the cache already: nodes
	// near the root of the tree, and vectors of earlier windows.
	hotRows, hotXs int
	// 1 where the path turns to the side of 0, or the row is the centre's own.
	turns   []float32
	measure bool
}

func (l *lesson) reset(width int) {
	l.xs.Reset(width)
	l.rows.Reset(width)
	l.hotRows, l.hotXs = 0, 0
}

func newPart(t *trainer, number int) *part {
	p := &part{trainer: t, number: number}
	longest := 1 + t.Negative
	if t.tree != nil {
		for v := range uint32(t.corpus.Vertices) {
			longest = max(longest, len(t.tree.path(v)))
		}
	} else {
		p.negatives = newNegativeSampler(t.at.Visits, t.outPart, number)
	}
	p.now = &lesson{turns: make([]float32, longest)}
	p.next = &lesson{turns: make([]float32, longest)}
	p.products = make([]float32, longest)
	p.now.reset(t.stride)
	p.next.reset(t.stride)
	for _, list := range []*vec.RowList{&p.vectors, &p.nodes} {
		list.Reset(t.stride)
		list.Grow(t.corpus.Vertices)
	}
	for v := range t.corpus.Vertices {
		p.vectors.Add(t.in[v*t.stride:])
		p.nodes.Add(t.out[v*t.stride:])
	}
	return p
}

// pathAhead is the number of centres for which paths are fetched ahead. Their
// rows are fetched one centre ahead.
const pathAhead = 2

// hotSteps is the number of steps at the start of a path that need not be fetched, since
// recent paths included them too.
const hotSteps = 2

// train trains the pairs of its walks in a batch or, for negative sampling, of its centres,
// in the order of the walks.
func (p *part) train(b *batch) {
	p.copyShared(b)
	from, to := b.parts[p.number], b.parts[p.number+1]
	if p.tree == nil {
		from, to = 0, len(b.walks)
	}
	p.places.Reset(p.stride)
	p.random.Seed(p.Seed, uint64(b.number)<<20|uint64(p.number)<<8|useNegative)
	turn := vec.NewTurn(min(p.Workers, p.Partitions))
	for at := from; at < to; at++ {
		if p.tree != nil && at+pathAhead < to {
			vec.FetchList(p.tree.path(b.walks[at+pathAhead]))
		}
		p.centre(b, from, at)
		if at%16 == 0 {
			turn.Pass()
		}
	}
	p.turn(b.alpha)
	p.leaveShared(b)
}

// centre trains the pairs of the centre at a place. from is the first place of the part.
func (p *part) centre(b *batch, from, at int) {
	v, w := b.walks[at], b.windows[at]
	seen := p.places.Len()
	for place := from + seen; place < int(w.hi); place++ {
		p.places.Pick(&p.vectors, int(b.walks[place]))
	}
	if p.tree == nil {
		p.sampled(b, from, at)
		return
	}
	if w.hi-w.lo < 2 {
		return
	}
	p.next.measure = (b.first+int(w.walk))%64 == 0
	p.next.xs.Append(&p.places, int(w.lo)-from, at-from)
	p.next.xs.Append(&p.places, at+1-from, int(w.hi)-from)
	p.next.hotXs = min(max(0, from+seen-1-int(w.lo)), p.next.xs.Len()) // without the centre
	p.path(v)
	p.turn(b.alpha)
}

// sampled trains the pairs of a centre with negative samples, each by a lesson of its own.
func (p *part) sampled(b *batch, from, at int) {
	v, w := b.walks[at], b.windows[at]
	if int(p.outPart[v]) != p.number {
		return
	}
	for other := int(w.lo); other < int(w.hi); other++ {
		if other == at {
			continue
		}
		p.next.measure = (b.first+int(w.walk))%64 == 0
		p.next.xs.Append(&p.places, other-from, other-from+1)
		p.answers(v)
		p.turn(b.alpha)
	}
}

// turn trains the current lesson, and makes the next one current.
func (p *part) turn(alpha float32) {
	p.next.rows.Fetch(p.next.hotRows)
	p.next.xs.Fetch(p.next.hotXs)
	p.learn(p.now, alpha)
	p.now.reset(p.stride)
	p.now, p.next = p.next, p.now
}

func (p *part) learn(l *lesson, alpha float32) {
	p.pairs += int64(l.xs.Len())
	if !l.measure {
		l.rows.Learn(&l.xs, l.turns, alpha, maxProduct)
		return
	}
	for i := range l.xs.Len() {
		p.one.Reset(p.stride)
		p.one.Add(l.xs.Row(i))
		p.measure(l, l.xs.Row(i))
		l.rows.Learn(&p.one, l.turns, alpha, maxProduct)
	}
}

// path collects the rows on the way to a centre.
func (p *part) path(centre uint32) {
	l := p.next
	for i, step := range p.tree.path(centre) {
		l.rows.Pick(&p.nodes, int(step>>1))
		l.turns[i] = float32(1 - step&1)
	}
	l.hotRows = min(hotSteps, l.rows.Len())
}

// answers collects the vectors of negative sampling: that of the centre, which
// is the positive sample, and those of the negative samples. A vertex that is
// drawn twice, or is the centre, counts once.
func (p *part) answers(centre uint32) {
	l := p.next
	p.drawn = append(p.drawn[:0], centre)
	for range p.Negative {
		if v := p.negatives.draw(&p.random); !slices.Contains(p.drawn, v) {
			p.drawn = append(p.drawn, v)
		}
	}
	for i, v := range p.drawn {
		l.rows.Pick(&p.nodes, int(v))
		l.turns[i] = 0
	}
	l.turns[0] = 1
}

// measure adds the loss of a pair, before its step.
func (p *part) measure(l *lesson, x []float32) {
	l.rows.Dots(p.products, x)
	// One logarithm of a product, which is limited to prevent overflow, takes
	// less time than many logarithms.
	odds := 1.0
	for i, product := range p.products[:l.rows.Len()] {
		if l.turns[i] == 0 {
			product = -product
		}
		odds *= 1 + math.Exp(-float64(product))
		if odds > 1e20 {
			p.loss += math.Log(odds)
			odds = 1
		}
	}
	p.loss += math.Log(odds)
	p.measured++
}

// copyAhead is the number of rows that are fetched ahead of copying and merging.
const copyAhead = 8

// row returns a shared row.
func (t *trainer) row(s shared) []float32 {
	rows := t.in
	if s.node {
		rows = t.out
	}
	return rows[int(s.row)*t.stride:][:t.stride]
}

// set makes the part train another row instead of a shared one.
func (p *part) set(s shared, row []float32) {
	if s.node {
		p.nodes.Set(int(s.row), row)
	} else {
		p.vectors.Set(int(s.row), row)
	}
}

// own returns the copy of shared row i.
func (p *part) own(i int) []float32 { return p.copies[i*p.stride:][:p.stride] }

// copyShared makes copies of the shared rows that the part trains.
func (p *part) copyShared(b *batch) {
	if need := len(b.shared) * p.stride; len(p.copies) < need {
		p.copies = vec.Zeros[float32](need + need/4)
	}
	for i, s := range b.shared {
		if soon := i + copyAhead; soon < len(b.shared) {
			p.coming.Reset(p.stride)
			p.coming.Add(p.row(b.shared[soon]))
			p.coming.Add(p.own(soon))
			p.coming.Fetch(0)
		}
		if s.by>>p.number&1 != 0 {
			own := p.own(i)
			copy(own, p.row(s))
			p.set(s, own)
		}
	}
}

// leaveShared undoes what copyShared has set.
func (p *part) leaveShared(b *batch) {
	for _, s := range b.shared {
		if s.by>>p.number&1 != 0 {
			p.set(s, p.row(s))
		}
	}
}

// overlapPlaces is the number of places whose vectors overlap compares.
const overlapPlaces = 24

// overlap returns the mean of (x·y)² over some pairs of vectors x and y of a batch, relative
// to that of x·x: how far a step along x, and then one along y, are the same step.
func (t *trainer) overlap(b *batch) float32 {
	products, squares := float32(0), float32(0)
	for i := range overlapPlaces {
		x := t.sample(b, i)
		squares += vec.Dot(x, x)
		for j := range i {
			product := vec.Dot(x, t.sample(b, j))
			products += product * product
		}
	}
	if squares == 0 {
		return 0
	}
	return products / (overlapPlaces - 1) * 2 / squares
}

func (t *trainer) sample(b *batch, i int) []float32 {
	return t.row(shared{row: b.walks[i*len(b.walks)/overlapPlaces]})
}

// mergeRows is how many rows are merged at a time.
const mergeRows = 64

// merge changes each shared row of a batch by a fraction of the sum of what its copies have
// changed.
func (t *trainer) merge(b *batch) {
	vec.Parallel(len(b.shared), mergeRows, t.Workers, func(_, lo, hi int) {
		var coming vec.RowList
		for i := lo; i < hi; i++ {
			if soon := i + copyAhead; soon < hi {
				coming.Reset(t.stride)
				coming.Add(t.row(b.shared[soon]))
				coming.Fetch(0)
			}
			s := b.shared[i]
			sum := t.parts[bits.TrailingZeros64(s.by)].own(i)
			for rest := s.by & (s.by - 1); rest != 0; rest &= rest - 1 {
				vec.Axpy(1, t.parts[bits.TrailingZeros64(rest)].own(i), sum)
			}
			row, copies := t.row(s), bits.OnesCount64(s.by)
			vec.Axpy(-float32(copies), row, sum)
			vec.Axpy(t.fraction(b, s, copies), sum, row)
		}
	})
}

// mergeRate is about the mean of σ(p)(1−σ(p)) over the scalar products p of a training: so
// much of its distance along x to where a pair leads is what a step of α·(x·x) takes a node.
const mergeRate = 0.125

// fraction returns by how much of the sum of the changes of its copies a shared row is
// changed. If a copy has come to a fraction 1−q of the way to where its pairs lead, the
// next part would have moved only q as far from there, and the one after it q²: with k
// copies the fraction is (1+q+…+qᵏ⁻¹)/k. Only nodes near the root and hubs have so many pairs
// that it is not about 1.
func (t *trainer) fraction(b *batch, s shared, copies int) float32 {
	rate := t.visited[s.row] * t.steps // steps at the row per pair
	if s.node {
		rate = t.passing[s.row]
	}
	pairs := rate * float32(len(b.walks)*(t.Window+1)) / float32(copies)
	q := 1 / (1 + mergeRate*b.alpha*b.overlap*pairs)
	sum, power := float32(1), float32(1)
	for range copies - 1 {
		power *= q
		sum += power
	}
	return sum / float32(copies)
}
