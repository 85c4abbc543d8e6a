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
// centres. It has a copy of the top of the tree.
type block struct {
	*trainer
	top []float32 // rows of the top, as in trainer.out

	rows  vec.RowList // of the present centre: those of its path, or its own and those of the negatives
	turns []float32   // 1 where the path turns to the side of 0, or the row is the centre's own
	gains []float32   // scalar products, then steps

	random rand.PCG
	drawn  []uint32 // vertices of rows, for negative sampling

	pairs    int64
	loss     float64
	measured int64
}

func newBlock(t *trainer) *block {
	longest := 1 + t.Negative
	if t.tree != nil {
		for v := range uint32(t.corpus.Vertices) {
			longest = max(longest, len(t.tree.path(v)))
		}
	}
	return &block{
		trainer: t,
		top:     make([]float32, t.top*t.stride),
		turns:   make([]float32, longest),
		gains:   make([]float32, longest),
	}
}

// train trains the pairs of the batch whose x is in part in and whose centre is
// in part out, in the order of the walks.
func (b *block) train(in, out int) {
	copy(b.top, b.out[:len(b.top)])
	b.random.Seed(b.Seed, uint64(b.batch.number)<<24|uint64(in)<<16|uint64(out)<<8|useNegative)
	walks, others := b.batch.walks, b.batch.in[in]
	for _, centre := range b.batch.out[out] {
		w := b.batch.windows[centre]
		for len(others) > 0 && others[0] < w.widest {
			others = others[1:]
		}
		measure := (b.batch.first+int(w.walk))%64 == 0
		pairs := uint32(0)
		for _, at := range others {
			if at >= w.hi {
				break
			}
			if at < w.lo || at == centre {
				continue
			}
			if pairs == 0 && b.tree != nil {
				b.path(walks[centre])
			}
			if b.tree == nil {
				b.answers(walks[centre], b.noise[out])
			}
			pairs++
			b.pair(b.in[int(walks[at])*b.stride:][:b.Dim], measure)
		}
		b.pairs += int64(pairs)
	}
}

// path collects the rows on the way to a centre.
func (b *block) path(centre uint32) {
	b.rows.Reset(b.Dim)
	for i, step := range b.tree.path(centre) {
		node := int(step >> 1)
		from := b.out
		if node < b.trainer.top {
			from = b.top
		}
		b.rows.Add(from[node*b.stride:][:b.Dim])
		b.turns[i] = float32(1 - step&1)
	}
}

// answers collects the rows of negative sampling: that of the centre, which is to
// be told apart, and those of vertices drawn from the noise. One that is drawn
// twice, or is the centre, counts once.
func (b *block) answers(centre uint32, n *noise) {
	b.rows.Reset(b.Dim)
	b.drawn = append(b.drawn[:0], centre)
	for range b.Negative {
		if v := n.draw(&b.random); !slices.Contains(b.drawn, v) {
			b.drawn = append(b.drawn, v)
		}
	}
	for i, v := range b.drawn {
		b.rows.Add(b.out[int(v)*b.stride:][:b.Dim])
		b.turns[i] = 0
	}
	b.turns[0] = 1
}

// pair makes one step for x and the rows of its centre.
func (b *block) pair(x []float32, measure bool) {
	b.rows.Dots(b.gains, x)
	gains := b.gains[:b.rows.Len()]
	turns := b.turns[:len(gains)]
	if measure {
		b.measure(gains, turns)
	}
	vec.LogisticSteps(gains, turns, b.batch.alpha, maxProduct)
	b.rows.Steps(x, gains)
}

// measure adds the loss of a pair, before its step.
func (b *block) measure(products, turns []float32) {
	for i, product := range products {
		if turns[i] == 0 {
			product = -product
		}
		b.loss += math.Log1p(math.Exp(-float64(product)))
	}
	b.measured++
}

// mergeTop brings the copies of the top together: a row moves by the sum of what
// the blocks changed in their copies of it, as if they had come one after the
// other. Steps that all blocks make the same way add up to too much, which is why
// rounds are short (batchWalks); their mean would be safe, but learns less.
func (t *trainer) mergeTop() {
	for node := range t.top {
		row := t.out[node*t.stride:][:t.Dim]
		vec.Axpy(-float32(t.Partitions), row, row) // leaves 1 − Partitions times the row
		for _, b := range t.blocks {
			vec.Axpy(1, b.top[node*t.stride:][:t.Dim], row)
		}
	}
}
