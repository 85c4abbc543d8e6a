package skipgram

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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
	// AppendEach, where not nil, does the same for walk number first + j and dst[j],
	// for all of them, in less time.
	AppendEach func(dst [][]uint32, first int)
}

// abreast is how many walks are asked for at a time.
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
	// StepsPerSecond is how fast the walks were walked once to count their visits;
	// 0 for a training that went on from a state.
	StepsPerSecond float64
}

// Train learns a vector for every vertex of a corpus. Row v of the result
// belongs to vertex v; one that is on no walk with another keeps its random
// beginning, in (−0.5, 0.5) / Dim.
//
// It takes O(visits · Window · Dim · log n). The result is the same for the same
// corpus and options with any number of workers on one kind of processor. The
// context is looked at between batches, some milliseconds each.
func Train(ctx context.Context, c Corpus, o Options) (*vec.Matrix, Stats, error) {
	state, stats, err := TrainState(ctx, c, o)
	if err != nil {
		return nil, stats, err
	}
	return state.Matrix(), stats, nil
}

// TrainState is Train for who wants to train on later: it returns the state after
// the last epoch, whose Matrix is what Train returns.
func TrainState(ctx context.Context, c Corpus, o Options) (*State, Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, Stats{}, err
	}
	started := time.Now()
	o = o.WithDefaults()
	if o.From != nil {
		if err := o.From.fits(c, o); err != nil {
			return nil, Stats{}, err
		}
	}
	t := newTrainer(c, o)
	if c.Vertices == 0 {
		return &State{Epoch: o.Epochs, Vectors: vec.Panel{Cols: t.Dim, Stride: t.Dim}}, Stats{}, nil
	}
	if err := t.begin(ctx); err != nil {
		return nil, Stats{}, fmt.Errorf("skipgram: %w", err)
	}
	before := t.at.Done + int64(t.at.Epoch)*t.total
	for t.at.Epoch < t.Epochs {
		if err := t.epoch(ctx); err != nil {
			return nil, t.stats(), fmt.Errorf("skipgram: %w", err)
		}
	}
	stats := t.stats()
	stats.Seconds = time.Since(started).Seconds()
	stats.VisitsPerSecond = float64(t.total*int64(t.Epochs)-before) / stats.Seconds
	return &t.at, stats, nil
}

// stats says what was trained so far.
func (t *trainer) stats() Stats {
	s := Stats{Visits: t.total, Pairs: t.at.Pairs, Loss: t.at.Loss}
	if t.counting > 0 {
		s.StepsPerSecond = float64(t.total) / t.counting.Seconds()
	}
	return s
}

// trainer holds the model while it is being trained.
type trainer struct {
	Options
	corpus Corpus

	at    State     // its vectors and nodes are in and out
	total int64     // visits on all walks, once
	saved time.Time // when the state was saved last

	constant bool          // the learning rate does not fall
	counting time.Duration // that counting the visits took; 0 where a state had them

	tree   *tree     // nil for negative sampling
	noise  []*noise  // of each part, for negative sampling
	stride int       // from a row to the next: whole lines of the cache
	in     []float32 // rows of vertices as x
	out    []float32 // rows of nodes of the tree, or of vertices as centres

	inPart, outPart []uint8 // part of each vertex as x and as centre
	top             int     // rows of out that blocks copy

	batch  batch
	blocks []*block
}

// partVertices is how many vertices a part has at least. On smaller graphs every
// vertex is in every round so often that the copies of the top of the tree all
// learn the same, and there is little to gain.
const partVertices = 512

func newTrainer(c Corpus, o Options) *trainer {
	o.Partitions = max(1, min(o.Partitions, c.Vertices/partVertices))
	return &trainer{Options: o, corpus: c, saved: time.Now()}
}

// begin makes the model as it is before training, or as the state to go on from
// has it.
func (t *trainer) begin(ctx context.Context) error {
	if t.From != nil {
		t.at = *t.From
		t.at.Loss = slices.Clone(t.From.Loss)
	} else {
		began := time.Now()
		t.at.Visits = make([]int64, t.corpus.Vertices)
		if err := t.count(ctx); err != nil {
			return err
		}
		t.counting = time.Since(began)
	}
	for _, n := range t.at.Visits {
		t.total += n
	}
	t.allocate()
	if t.From != nil {
		t.restore(t.in, t.From.Vectors)
		t.restore(t.out, t.From.Nodes)
	} else {
		t.randomize()
	}
	t.prepare()
	return nil
}

// allocate makes the rows of vectors and nodes, and has the state refer to them.
func (t *trainer) allocate() {
	n := t.corpus.Vertices
	t.stride = (t.Dim + 15) &^ 15
	t.in, t.out = make([]float32, n*t.stride), make([]float32, n*t.stride)
	t.at.Vectors = vec.Panel{Data: t.in, Rows: n, Cols: t.Dim, Stride: t.stride}
	t.at.Nodes = vec.Panel{Data: t.out, Rows: n, Cols: t.Dim, Stride: t.stride}
}

// restore copies the rows of a state.
func (t *trainer) restore(rows []float32, from vec.Panel) {
	for i := range from.Rows {
		copy(rows[i*t.stride:][:t.Dim], from.Data[i*from.Stride:])
	}
}

// count walks all walks once and counts the visits of each vertex.
func (t *trainer) count(ctx context.Context) error {
	const block = 4096 // walks
	type part struct {
		visits []int64
		walks  [abreast][]uint32
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
		for i := lo; i < hi; i += abreast {
			walks := p.walks[:min(abreast, hi-i)]
			t.corpus.refill(walks, i)
			for _, walk := range walks {
				for _, v := range walk {
					p.visits[v]++
				}
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
			t.at.Visits[v] += n
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

// randomize gives vectors their random beginning.
func (t *trainer) randomize() {
	vec.Parallel(t.corpus.Vertices, 1024, t.Workers, func(block, lo, hi int) {
		random := rand.NewPCG(t.Seed, uint64(block)<<8|useInit)
		for v := lo; v < hi; v++ {
			row := t.in[v*t.stride:][:t.Dim]
			for i := range row {
				row[i] = (float32(random.Uint64()>>40)/(1<<24) - 0.5) / float32(t.Dim)
			}
		}
	})
}

// prepare makes what follows from the visits, and the working space.
func (t *trainer) prepare() {
	if t.Negative == 0 && t.tree == nil {
		t.tree = newTree(t.at.Visits)
	}
	t.divide()
	t.blocks = make([]*block, t.Partitions)
	for b := range t.blocks {
		t.blocks[b] = newBlock(t)
	}
	t.batch.number = t.at.Batch
}

// epoch trains the rest of the walks of an epoch.
func (t *trainer) epoch(ctx context.Context) error {
	at := &t.at
	all := t.total * int64(t.Epochs)
	c := newCrew(t.Workers, t.Partitions)
	defer c.stop()
	for walks := t.batchWalks(); at.Walk < t.corpus.Walks; {
		if err := t.save(ctx); err != nil {
			return err
		}
		to := min(at.Walk+walks, t.corpus.Walks)
		t.batch.fill(t, at.Epoch, at.Walk, to)
		done := int64(at.Epoch)*t.total + at.Done
		t.batch.alpha = float32(t.Alpha * max(1-float64(done)/float64(all), 1e-4))
		if t.constant {
			t.batch.alpha = float32(t.Alpha)
		}
		for section := range t.sections() {
			for round := range t.Partitions {
				t.round(c, section, round)
			}
		}
		for _, b := range t.blocks {
			at.Pairs += b.pairs
			at.Sum += b.loss
			at.Measured += b.measured
			b.pairs, b.loss, b.measured = 0, 0, 0
		}
		trained := int64(len(t.batch.walks))
		at.Walk, at.Batch, at.Done = to, t.batch.number, at.Done+trained
		if t.Progress != nil {
			t.Progress(done+trained, all)
		}
	}
	at.Loss = append(at.Loss, at.Sum/float64(max(at.Measured, 1)))
	at.Epoch, at.Walk, at.Done, at.Sum, at.Measured = at.Epoch+1, 0, 0, 0, 0
	return nil
}

// save looks at the context and saves the state where it is time to.
func (t *trainer) save(ctx context.Context) error {
	err := ctx.Err()
	if t.Checkpoints.Save != nil && (err != nil || time.Since(t.saved) >= t.Checkpoints.Every) {
		err = errors.Join(err, t.Checkpoints.Save(&t.at))
		t.saved = time.Now()
	}
	return err
}

// round trains the blocks of a round of a section, which have no row in common but the
// top of the tree, and merges their copies of it.
func (t *trainer) round(c *crew, s section, round int) {
	c.run(t.Partitions, func(a int) { t.blocks[a].train(s, a, (a+round)%t.Partitions) })
	t.mergeTop()
}
