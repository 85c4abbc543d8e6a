package skipgram

import (
	"math"
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

	tree   *tree     // until the parts have it; nil for negative sampling
	stride int       // from a row to the next: whole lines of the cache
	in     []float32 // rows of vertices as x
	out    []float32 // rows of nodes of the tree, or of vertices as centres

	outPart []uint8 // part of each row of out
	parts   []*part

	ahead     ahead
	now, next *batch // the batch being trained, and the next one
}

// partVertices is the minimum number of vertices of a part. On smaller graphs
// every vertex is so often in every batch that the copies of the parts would
// diverge, and there is little to gain.
const partVertices = 512

func newTrainer(c Corpus, o Options) *trainer {
	o.Partitions = max(1, min(o.Partitions, c.Vertices/partVertices))
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

func (t *trainer) batchWalks() int {
	length := float64(t.total) / float64(t.corpus.Walks)
	return max(1, int(batchPairs/(length*float64(t.Window+1))))
}

// batch has the walks that are trained together, concatenated.
type batch struct {
	walks []uint32
	// Numbers of the first walk and of the one after the last.
	first, end int
	number     int // number of the batch, over all epochs
	alpha      float32

	// The window of the vertex at each place of walks, and the number of its walk
	// within the batch.
	windows []window
	// The distinct vertices of the batch, in the order of their first places,
	// and for each place of walks the index of its vertex among them.
	vertices []uint32
	slots    []uint32
}

// window is the part of the walks around one place that its vertex is trained with.
type window struct{ lo, hi, walk int32 }

// ahead generates the walks of some batches at a time: training displaces the
// graph from the cache, so it is loaded once for all of them.
type ahead struct {
	walks      [][]uint32 // from number begin to below end
	begin, end int
	slot       []uint32 // of each vertex in the batch that is being filled, plus 1; else 0
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
	b.walks, b.windows, b.vertices, b.slots = b.walks[:0], b.windows[:0], b.vertices[:0], b.slots[:0]
	if b.first == b.end {
		return
	}
	for i, walk := range t.ahead.walk(t, b.first, b.end) {
		var random rand.PCG
		random.Seed(t.Seed, uint64(t.at.Epoch)<<40|uint64(first+i)<<8|useWindow)
		begin := int32(len(b.walks))
		b.walks = append(b.walks, walk...)
		end := int32(len(b.walks))
		for at := begin; at < end; at++ {
			half := 1 + int32(below(&random, uint64(t.Window)))
			b.windows = append(b.windows, window{lo: max(begin, at-half), hi: min(end, at+half+1), walk: int32(i)})
		}
	}
	t.ahead.number(b)
}

// number assigns slots to the vertices of a batch.
func (a *ahead) number(b *batch) {
	for _, v := range b.walks {
		if a.slot[v] == 0 {
			b.vertices = append(b.vertices, v)
			a.slot[v] = uint32(len(b.vertices))
		}
		b.slots = append(b.slots, a.slot[v]-1)
	}
	for _, v := range b.vertices {
		a.slot[v] = 0
	}
}

// maxProduct is the largest magnitude of a scalar product that is trained: if a vector and
// a node agree or disagree more strongly, they do not change each other, as in the program
// of Mikolov et al.
const maxProduct = 6

// part trains its own nodes of the tree with all pairs or, for negative sampling, the pairs
// of its own centres.
type part struct {
	*trainer
	number    int
	tree      *tree // the steps of each path at nodes of the part; nil for negative sampling
	negatives *negativeSampler

	// Copies of the vectors of the batch, at their slots, which only the nodes
	// of this part change; nil if there is only one part. Slots below copied
	// have been copied.
	copies []float32
	copied int
	coming vec.RowList // the vector that is copied soon

	// The lesson being trained, and the next one, whose rows are fetched into
	// the cache meanwhile.
	now, next *lesson
	seen      int32       // places below it have already been in a window
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
		p.tree = t.tree.only(t.outPart, uint8(number))
		for v := range uint32(t.corpus.Vertices) {
			longest = max(longest, len(p.tree.path(v)))
		}
	} else {
		p.negatives = newNegativeSampler(t.at.Visits, t.outPart, number)
	}
	p.now = &lesson{turns: make([]float32, longest)}
	p.next = &lesson{turns: make([]float32, longest)}
	p.products = make([]float32, longest)
	p.now.reset(t.stride)
	p.next.reset(t.stride)
	return p
}

// pathAhead is the number of centres for which paths are fetched ahead. Their
// rows are fetched one centre ahead.
const pathAhead = 2

// hotSteps is the number of steps at the start of a path that need not be fetched, since
// recent paths included them too.
const hotSteps = 2

// copyAhead is the number of vectors that are fetched ahead of copying.
const copyAhead = 4

// train trains the pairs of a batch, in the order of the walks.
func (p *part) train(b *batch) {
	p.seen, p.copied = 0, 0
	if need := len(b.vertices) * p.stride; p.Partitions > 1 && len(p.copies) < need {
		p.copies = vec.Zeros[float32](need)
	}
	p.random.Seed(p.Seed, uint64(b.number)<<20|uint64(p.number)<<8|useNegative)
	turn := vec.NewTurn(min(p.Workers, p.Partitions))
	for at, w := range b.windows {
		if p.tree != nil && at+pathAhead < len(b.walks) {
			vec.FetchList(p.tree.path(b.walks[at+pathAhead]))
		}
		p.centre(b, int32(at), w)
		if at%16 == 0 {
			turn.Pass()
		}
	}
	p.turn(b.alpha)
	if p.Partitions > 1 {
		p.copyTo(b, len(b.vertices)) // the rest, which this part has not reached
	}
	if p.number > 0 { // merge adds the changes, which are still in the cache of this processor
		for slot, v := range b.vertices {
			vec.Axpy(-1, p.row(v), p.own(slot))
		}
	}
}

// vector returns the row of the vertex at a place of the walks, as x.
func (p *part) vector(b *batch, at int32) []float32 {
	if p.Partitions == 1 {
		return p.row(b.walks[at])
	}
	slot := int(b.slots[at])
	p.copyTo(b, slot+1)
	return p.own(slot)
}

// copyTo makes the copies of the vectors with slots below end.
func (p *part) copyTo(b *batch, end int) {
	for ; p.copied < end; p.copied++ {
		if soon := p.copied + copyAhead; soon < len(b.vertices) {
			p.coming.Reset(p.stride)
			p.coming.Add(p.row(b.vertices[soon]))
			p.coming.Fetch(0)
		}
		copy(p.own(p.copied), p.row(b.vertices[p.copied]))
	}
}

// row returns the row of a vertex as x.
func (t *trainer) row(v uint32) []float32 { return t.in[int(v)*t.stride:][:t.stride] }

// own returns the copy of the row of the vertex with a slot.
func (p *part) own(slot int) []float32 { return p.copies[slot*p.stride:][:p.stride] }

// trains reports whether pairs of a centre change rows of this part.
func (p *part) trains(centre uint32) bool {
	if p.tree != nil {
		return len(p.tree.path(centre)) > 0
	}
	return int(p.outPart[centre]) == p.number
}

// counts reports whether this part counts its pairs. With a tree all parts train the same
// pairs, on different steps of the paths, so only the first part counts. With negative
// sampling each part trains different pairs, and every part counts.
func (p *part) counts() bool { return p.number == 0 || p.tree == nil }

func (p *part) centre(b *batch, at int32, w window) {
	v := b.walks[at]
	if !p.trains(v) {
		return
	}
	p.next.measure = (b.first+int(w.walk))%64 == 0
	for other := w.lo; other < w.hi; other++ {
		if other == at {
			continue
		}
		p.next.xs.Add(p.vector(b, other))
		if other < p.seen {
			p.next.hotXs++
		}
		if p.tree == nil {
			p.answers(v)
			p.turn(b.alpha)
		}
	}
	p.seen = max(p.seen, w.hi)
	if p.next.xs.Len() > 0 {
		p.path(v)
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
	p.next.measure = p.now.measure // the next may be of the same centre
}

func (p *part) learn(l *lesson, alpha float32) {
	if p.counts() {
		p.pairs += int64(l.xs.Len())
	}
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
		l.rows.Add(p.out[int(step>>1)*p.stride:][:p.stride])
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
		l.rows.Add(p.out[int(v)*p.stride:][:p.stride])
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
	if p.counts() {
		p.measured++
	}
}

// mergeRows is how many vectors are merged at a time.
const mergeRows = 64

// merge sets each vector of a batch to the copy of the first part, and adds the changes that
// the others have left.
func (t *trainer) merge(b *batch) {
	if t.Partitions == 1 {
		return
	}
	vec.Parallel(len(b.vertices), mergeRows, t.Workers, func(_, lo, hi int) {
		for slot := lo; slot < hi; slot++ {
			x := t.row(b.vertices[slot])
			copy(x, t.parts[0].own(slot))
			for _, p := range t.parts[1:] {
				vec.Axpy(1, p.own(slot), x)
			}
		}
	})
}
