package skipgram

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"heavytail/storage/vec"
)

// Corpus is a number of walks that can be had again and again.
type Corpus struct {
	Vertices int // walks consist of vertices below it
	Walks    int
	// Append appends walk number i to dst. It is called from several goroutines
	// and must give the same walk every time.
	Append func(dst []uint32, i int) []uint32
}

// Stats says what training did.
type Stats struct {
	Visits int64 // vertices of all walks, once
	Pairs  int64 // steps
	// Loss is, for each epoch, the mean over its pairs of −ln of the probability
	// that the model gave to the centre (for negative sampling, to all answers),
	// before it learned from the pair. It is measured on every 64th walk. The
	// model has just learned from other pairs of the same walk then, and the more
	// so the more Partitions there are: compare it between epochs, not between
	// settings.
	Loss            []float64
	Seconds         float64
	VisitsPerSecond float64 // all epochs
}

// Train learns a vector for every vertex of a corpus. Row v of the result
// belongs to vertex v; one that is on no walk with another keeps its random
// beginning, in (−0.5, 0.5) / Dim.
//
// It takes O(visits · Window · Dim · log n). The result is the same for the same
// corpus and options with any number of workers on one kind of processor. The
// context is looked at between batches, some milliseconds each.
func Train(ctx context.Context, c Corpus, o Options) (*vec.Matrix, Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, Stats{}, err
	}
	started := time.Now()
	t := newTrainer(c, o.WithDefaults())
	if c.Vertices == 0 {
		return vec.NewMatrix(0, t.Dim), Stats{}, nil
	}
	if err := t.count(ctx); err != nil {
		return nil, Stats{}, fmt.Errorf("skipgram: %w", err)
	}
	t.prepare()
	stats := Stats{Visits: t.total}
	for epoch := range t.Epochs {
		if err := t.epoch(ctx, epoch, &stats); err != nil {
			return nil, stats, fmt.Errorf("skipgram: %w", err)
		}
	}
	stats.Seconds = time.Since(started).Seconds()
	stats.VisitsPerSecond = float64(t.total) * float64(t.Epochs) / stats.Seconds
	return t.result(), stats, nil
}

// trainer holds the model while it is being trained.
type trainer struct {
	Options
	corpus Corpus

	visits []int64 // of each vertex
	total  int64

	tree   *tree     // nil for negative sampling
	noise  []*noise  // of each part, for negative sampling
	stride int       // from a row to the next: whole lines of the cache
	in     []float32 // rows of vertices as x
	out    []float32 // rows of nodes of the tree, or of vertices as centres

	inPart, outPart []uint8 // part of each vertex as x and as centre
	top             int     // rows of out that every block has a copy of

	batch  batch
	blocks []*block
}

// partVertices is how many vertices a part has at least. On smaller graphs every
// vertex is in every round so often that the copies of the top of the tree all
// learn the same, and there is little to gain.
const partVertices = 512

func newTrainer(c Corpus, o Options) *trainer {
	o.Partitions = max(1, min(o.Partitions, c.Vertices/partVertices))
	return &trainer{Options: o, corpus: c, visits: make([]int64, c.Vertices)}
}

// count walks all walks once and counts the visits of each vertex.
func (t *trainer) count(ctx context.Context) error {
	const block = 4096 // walks
	type part struct {
		visits []int64
		walk   []uint32
	}
	// Sums of integers do not depend on who adds what.
	free := make(chan *part, 64)
	vec.Parallel(t.corpus.Walks, block, t.Workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		var p *part
		select {
		case p = <-free:
		default:
			p = &part{visits: make([]int64, t.corpus.Vertices)}
		}
		for i := lo; i < hi; i++ {
			p.walk = t.corpus.Append(p.walk[:0], i)
			for _, v := range p.walk {
				p.visits[v]++
			}
		}
		free <- p
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	close(free)
	for p := range free {
		for v, n := range p.visits {
			t.visits[v] += n
			t.total += n
		}
	}
	return nil
}

// Uses of the random numbers, to keep their streams apart.
const (
	useInit = iota + 1
	useWindow
	useNegative
)

// prepare makes the model as it is before training.
func (t *trainer) prepare() {
	n := t.corpus.Vertices
	t.stride = (t.Dim + 15) &^ 15
	t.in = make([]float32, n*t.stride)
	vec.Parallel(n, 1024, t.Workers, func(block, lo, hi int) {
		random := rand.NewPCG(t.Seed, uint64(block)<<8|useInit)
		for v := lo; v < hi; v++ {
			row := t.in[v*t.stride:][:t.Dim]
			for i := range row {
				row[i] = (float32(random.Uint64()>>40)/(1<<24) - 0.5) / float32(t.Dim)
			}
		}
	})
	t.out = make([]float32, n*t.stride)
	if t.Negative == 0 {
		t.tree = newTree(t.visits)
	}
	t.divide()
	t.blocks = make([]*block, t.Partitions)
	for b := range t.blocks {
		t.blocks[b] = newBlock(t)
	}
}

// epoch trains all walks once.
func (t *trainer) epoch(ctx context.Context, epoch int, stats *Stats) error {
	loss, measured := 0.0, int64(0)
	done := int64(epoch) * t.total
	walks := t.batchWalks()
	for from := 0; from < t.corpus.Walks; from += walks {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.batch.fill(t, epoch, from, min(from+walks, t.corpus.Walks))
		share := float64(done) / float64(t.total*int64(t.Epochs))
		t.batch.alpha = float32(t.Alpha * max(1-share, 1e-4))
		for round := range t.Partitions {
			t.round(round)
		}
		for _, b := range t.blocks {
			stats.Pairs += b.pairs
			loss += b.loss
			measured += b.measured
			b.pairs, b.loss, b.measured = 0, 0, 0
		}
		done += int64(len(t.batch.walks))
		if t.Progress != nil {
			t.Progress(done, t.total*int64(t.Epochs))
		}
	}
	stats.Loss = append(stats.Loss, loss/float64(max(measured, 1)))
	return nil
}

// round trains the blocks of a round, which have no row in common but the top of
// the tree, and merges their copies of it.
func (t *trainer) round(round int) {
	vec.Parallel(t.Partitions, 1, t.Workers, func(a, _, _ int) {
		t.blocks[a].train(a, (a+round)%t.Partitions)
	})
	t.mergeTop()
}

// result copies the rows of the vertices out of their lines.
func (t *trainer) result() *vec.Matrix {
	m := vec.NewMatrix(t.corpus.Vertices, t.Dim)
	for v := range t.corpus.Vertices {
		copy(m.Row(v), t.in[v*t.stride:])
	}
	return m
}
