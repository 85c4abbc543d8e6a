package skipgram

import (
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/vec"
)

// maxProduct: a pair and a node that agree or disagree so strongly do not change
// each other, as in the program of Mikolov et al.
const maxProduct = 6

// block trains the pairs of one part of the vertices as x and one part of the
// centres. It has copies of those rows of the top of the tree that it comes by.
type block struct {
	*trainer
	top    []float32 // copies, at the places of trainer.out; after a round what was changed
	copied []int     // nodes that have a copy in this round, in the order of their first use
	round  []uint64  // in which each node was copied last
	rounds uint64    // so far

	// What is trained now, and what comes after it: its rows are fetched into the
	// cache meanwhile.
	now, next *lesson
	seen      int32       // places below it have been in a window
	one       vec.RowList // a single x of a lesson that is measured
	products  []float32   // of it with the rows

	random rand.PCG
	drawn  []uint32 // vertices of rows, for negative sampling

	pairs    int64
	loss     float64
	measured int64
}

// lesson is some pairs of one centre that are trained with the same rows.
type lesson struct {
	xs   vec.RowList // rows of the others
	rows vec.RowList // of the path of the centre, or its own and those of the negatives
	// The first rows and xs that are in the cache as it is: the root of the tree and
	// what is near it, and the others of windows before.
	hotRows, hotXs int
	// 1 where the path turns to the side of 0, or the row is the centre's own.
	turns   []float32
	measure bool
}

// reset empties the lists.
func (l *lesson) reset(width int) {
	l.xs.Reset(width)
	l.rows.Reset(width)
	l.hotRows, l.hotXs = 0, 0
}

func newBlock(t *trainer) *block {
	longest := 1 + t.Negative
	if t.tree != nil {
		for v := range uint32(t.corpus.Vertices) {
			longest = max(longest, len(t.tree.path(v)))
		}
	}
	b := &block{
		trainer:  t,
		top:      make([]float32, t.top*t.stride),
		round:    make([]uint64, t.top),
		now:      &lesson{turns: make([]float32, longest)},
		next:     &lesson{turns: make([]float32, longest)},
		products: make([]float32, longest),
	}
	b.now.reset(t.stride)
	b.next.reset(t.stride)
	return b
}

// pathAhead is for how many centres ahead paths are fetched. Their rows are fetched
// for the next one.
const pathAhead = 2

// hotSteps is how many steps of every path need not be fetched, as one of the last
// paths had them too.
const hotSteps = 3

// train trains the pairs of a section of the batch whose x is in part in and whose
// centre is in part out, in the order of the walks.
func (b *block) train(s section, in, out int) {
	b.begin()
	b.random.Seed(b.Seed, s.number<<24|uint64(in)<<16|uint64(out)<<8|useNegative)
	centres := between(b.batch.out[out], s.lo, s.hi)
	others := between(b.batch.in[in], s.widest, len(b.batch.walks))
	for i, centre := range centres {
		if b.tree != nil && i+pathAhead < len(centres) {
			vec.FetchList(b.tree.path(b.batch.walks[centres[i+pathAhead]]))
		}
		w := b.batch.windows[centre]
		for len(others) > 0 && others[0] < w.widest {
			others = others[1:]
		}
		b.centre(centre, w, others, out)
	}
	b.turn()
	b.difference()
}

// begin forgets the copies of the last round, and what was fetched in it.
func (b *block) begin() {
	b.seen = 0
	b.copied = b.copied[:0]
	b.rounds++
}

// own returns the copy of a row of the top, which is made when it is first used in
// a round.
func (b *block) own(node int) []float32 {
	row := b.top[node*b.stride:][:b.stride]
	if b.round[node] != b.rounds {
		b.round[node] = b.rounds
		b.copied = append(b.copied, node)
		copy(row, b.out[node*b.stride:])
	}
	return row
}

// difference leaves in the copies what was changed in them.
func (b *block) difference() {
	for _, node := range b.copied {
		vec.Axpy(-1, b.out[node*b.stride:][:b.Dim], b.top[node*b.stride:][:b.Dim])
	}
}

// centre prepares the lessons of one centre, with those of the others that are in
// its window.
func (b *block) centre(at int32, w window, others []int32, out int) {
	v := b.batch.walks[at]
	b.next.measure = (b.batch.first+int(w.walk))%64 == 0
	for _, other := range others {
		if other >= w.hi {
			break
		}
		if other < w.lo || other == at {
			continue
		}
		b.next.xs.Add(b.in[int(b.batch.walks[other])*b.stride:][:b.stride])
		if other < b.seen {
			b.next.hotXs++
		}
		if b.tree == nil {
			b.answers(v, b.noise[out])
			b.turn()
		}
	}
	b.seen = max(b.seen, w.hi)
	if b.next.xs.Len() > 0 {
		b.path(v)
		b.turn()
	}
}

// turn makes the next lesson the present one, after training with that.
func (b *block) turn() {
	b.next.rows.Fetch(b.next.hotRows)
	b.next.xs.Fetch(b.next.hotXs)
	b.learn(b.now)
	b.now.reset(b.stride)
	b.now, b.next = b.next, b.now
	b.next.measure = b.now.measure // the next may be of the same centre
}

// learn trains the pairs of a lesson.
func (b *block) learn(l *lesson) {
	b.pairs += int64(l.xs.Len())
	if !l.measure {
		l.rows.Learn(&l.xs, l.turns, b.batch.alpha, maxProduct)
		return
	}
	for i := range l.xs.Len() {
		b.one.Reset(b.stride)
		b.one.Add(l.xs.Row(i))
		b.measure(l, l.xs.Row(i))
		l.rows.Learn(&b.one, l.turns, b.batch.alpha, maxProduct)
	}
}

// path collects the rows on the way to a centre.
func (b *block) path(centre uint32) {
	l := b.next
	for i, step := range b.tree.path(centre) {
		node := int(step >> 1)
		if node < b.trainer.top {
			l.rows.Add(b.own(node))
		} else {
			l.rows.Add(b.out[node*b.stride:][:b.stride])
		}
		l.turns[i] = float32(1 - step&1)
	}
	l.hotRows = min(hotSteps, l.rows.Len())
}

// answers collects the rows of negative sampling: that of the centre, which is to
// be told apart, and those of vertices drawn from the noise. One that is drawn
// twice, or is the centre, counts once.
func (b *block) answers(centre uint32, n *noise) {
	l := b.next
	b.drawn = append(b.drawn[:0], centre)
	for range b.Negative {
		if v := n.draw(&b.random); !slices.Contains(b.drawn, v) {
			b.drawn = append(b.drawn, v)
		}
	}
	for i, v := range b.drawn {
		l.rows.Add(b.out[int(v)*b.stride:][:b.stride])
		l.turns[i] = 0
	}
	l.turns[0] = 1
}

// measure adds the loss of a pair, before its step.
func (b *block) measure(l *lesson, x []float32) {
	l.rows.Dots(b.products, x)
	// One logarithm of a product, which is kept from an overflow, takes less time
	// than many.
	odds := 1.0
	for i, product := range b.products[:l.rows.Len()] {
		if l.turns[i] == 0 {
			product = -product
		}
		odds *= 1 + math.Exp(-float64(product))
		if odds > 1e20 {
			b.loss += math.Log(odds)
			odds = 1
		}
	}
	b.loss += math.Log(odds)
	b.measured++
}

// mergeTop adds to the rows of the top what the blocks changed in their copies, as
// if they had come one after the other.
func (t *trainer) mergeTop() {
	for _, b := range t.blocks {
		for _, node := range b.copied {
			vec.Axpy(1, b.top[node*t.stride:][:t.Dim], t.out[node*t.stride:][:t.Dim])
		}
	}
}
