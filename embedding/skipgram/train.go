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

// Stats are figures of a training.
type Stats struct {
	Visits int64 // vertices of all walks, once
	Pairs  int64 // steps
	// Loss is, for each epoch, the mean over its pairs of −ln of the
	// probability that the model assigned to the centre (for negative
	// sampling, to the labels of all samples), before it learned from the
	// pair. It is measured on every 64th walk. By then the model has learned
	// from other pairs of the same walk: compare the loss between epochs, not
	// between settings.
	Loss            []float64
	Seconds         float64
	SetupSeconds    float64 // of them before the first visit: tree and initial vectors, which take the same for any number of visits
	VisitsPerSecond float64 // all epochs
	// StepsPerSecond is the speed of generating the walks once to count their
	// visits; 0 for a training that continued from a state.
	StepsPerSecond float64
}

// Train learns a vector for every vertex of a corpus. Row v of the result
// belongs to vertex v; a vertex without a pair keeps its random initial
// vector, in (−0.5, 0.5) / Dim.
//
// It takes O(visits · Window · Dim · log n). The result is the same for the
// same corpus and options with any number of workers on one kind of processor.
// The context is checked between batches, at most some ten milliseconds apart.
func Train(ctx context.Context, c Corpus, o Options) (*vec.Matrix, Stats, error) {
	state, stats, err := TrainState(ctx, c, o)
	if err != nil {
		return nil, stats, err
	}
	return joined(state.Vectors, c.Vertices), stats, nil
}

// TrainState is Train for callers that continue training later: it returns the
// state after the last epoch, whose Vectors are the result of Train.
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
	o.From = nil // its memory is free once it is restored
	if c.Vertices == 0 {
		return &State{Epoch: o.Epochs, Vectors: vec.Panel{Cols: t.Dim, Stride: t.Dim}}, Stats{}, nil
	}
	if err := t.begin(ctx); err != nil {
		return nil, Stats{}, err
	}
	setup := time.Since(started) - t.counting
	before := t.at.Done + int64(t.at.Epoch)*t.total
	for t.at.Epoch < t.Epochs {
		if err := t.epoch(ctx); err != nil {
			return nil, t.stats(), err
		}
	}
	stats := t.stats()
	stats.Seconds, stats.SetupSeconds = time.Since(started).Seconds(), setup.Seconds()
	stats.VisitsPerSecond = float64(t.total*int64(t.Epochs)-before) / stats.Seconds
	at := t.at // a pointer into the trainer would keep its tree and the corpus
	return &at, stats, nil
}

func (t *trainer) stats() Stats {
	s := Stats{Visits: t.total, Pairs: t.at.Pairs, Loss: t.at.Loss}
	if t.counting > 0 {
		s.StepsPerSecond = float64(t.total) / t.counting.Seconds()
	}
	return s
}

// begin initialises the model, or restores it from a state.
func (t *trainer) begin(ctx context.Context) error {
	from := t.From
	t.From = nil
	if from != nil {
		t.at = *from
		t.at.Loss = slices.Clone(from.Loss)
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
	t.allocate(from)
	if from == nil {
		t.randomize()
	}
	t.prepare()
	return nil
}

// allocate allocates the rows of vectors and nodes, and makes the state refer to them. Those of
// a state that is continued are taken over, or copied if their rows end elsewhere.
func (t *trainer) allocate(from *State) {
	n := t.corpus.Vertices
	t.stride = (t.Dim + 15) &^ 15
	if from != nil && t.Dim == t.stride && from.Vectors.Stride == t.Dim && from.Nodes.Stride == t.Dim {
		t.in, t.out = from.Vectors.Data[:n*t.stride], from.Nodes.Data[:n*t.stride]
	} else {
		t.in, t.out = vec.Zeros[float32](n*t.stride), vec.Zeros[float32](n*t.stride)
		if from != nil {
			t.restore(t.in, from.Vectors)
			t.restore(t.out, from.Nodes)
		}
	}
	t.at.Vectors = vec.Panel{Data: t.in, Rows: n, Cols: t.Dim, Stride: t.stride}
	t.at.Nodes = vec.Panel{Data: t.out, Rows: n, Cols: t.Dim, Stride: t.stride}
}

func (t *trainer) restore(rows []float32, from vec.Panel) {
	for i := range from.Rows {
		copy(rows[i*t.stride:][:t.Dim], from.Data[i*from.Stride:])
	}
}

// count generates all walks once and counts the visits of each vertex.
func (t *trainer) count(ctx context.Context) error {
	const block = 4096 // walks
	type part struct {
		visits []int64
		walks  [abreast][]uint32
	}
	// Sums of integers do not depend on the order of addition.
	free := make(chan *part, 64)
	vec.Parallel(t.corpus.Walks, block, t.Workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		var p *part
		select {
		case p = <-free:
		default:
			p = &part{visits: vec.Zeros[int64](t.corpus.Vertices)}
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

// randomize sets the random initial vectors.
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

// prepare derives the tree and the parts from the visits, and allocates the
// workspace.
func (t *trainer) prepare() {
	if t.Negative == 0 && t.tree == nil {
		t.tree = newTree(t.at.Visits)
	}
	t.divide()
	t.parts = make([]*part, t.Partitions)
	for p := range t.parts {
		t.parts[p] = newPart(t, p)
	}
	t.now, t.next = &batch{}, &batch{}
}

func (t *trainer) epoch(ctx context.Context) error {
	at := &t.at
	all := t.total * int64(t.Epochs)
	walks := t.batchWalks()
	t.fill(t.now, at.Walk, walks)
	for at.Walk < t.corpus.Walks {
		if err := t.save(ctx); err != nil {
			return err
		}
		done := int64(at.Epoch)*t.total + at.Done
		at.Batch++
		t.now.number = at.Batch
		t.now.alpha = float32(t.Alpha * max(1-float64(done)/float64(all), 1e-4))
		if t.constant {
			t.now.alpha = float32(t.Alpha)
		}
		if t.Partitions > 1 {
			t.now.overlap = t.overlap(t.now)
		}
		// The first worker that has trained its part prepares the next batch.
		vec.Parallel(t.Partitions+1, 1, t.Workers, func(i, _, _ int) {
			if i < t.Partitions {
				t.parts[i].train(t.now)
			} else {
				t.fill(t.next, t.now.end, walks)
			}
		})
		t.merge(t.now)
		for _, p := range t.parts {
			at.Pairs += p.pairs
			at.Sum += p.loss
			at.Measured += p.measured
			p.pairs, p.loss, p.measured = 0, 0, 0
		}
		trained := int64(len(t.now.walks))
		at.Walk, at.Done = t.now.end, at.Done+trained
		if t.Progress != nil {
			t.Progress(done+trained, all)
		}
		t.now, t.next = t.next, t.now
	}
	at.Loss = append(at.Loss, at.Sum/float64(max(at.Measured, 1)))
	at.Epoch, at.Walk, at.Done, at.Sum, at.Measured = at.Epoch+1, 0, 0, 0, 0
	return nil
}

// save checks the context, and saves the state if a save is due.
func (t *trainer) save(ctx context.Context) error {
	err := ctx.Err()
	if t.Checkpoints.Save != nil && (err != nil || time.Since(t.saved) >= t.Checkpoints.Every) {
		err = errors.Join(err, t.Checkpoints.Save(&t.at))
		t.saved = time.Now()
	}
	return err
}

// fits returns an error if a training cannot continue from a state.
func (s *State) fits(c Corpus, o Options) error {
	rows := func(p vec.Panel) bool {
		return p.Rows == c.Vertices && p.Cols == o.Dim && p.Stride >= p.Cols && len(p.Data) >= (p.Rows-1)*p.Stride+p.Cols
	}
	switch {
	case len(s.Visits) != c.Vertices || !rows(s.Vectors) || !rows(s.Nodes):
		return fmt.Errorf("%w: %d × %d vectors of %d visited vertices, and %d nodes, for %d vertices and %d dimensions", ErrState,
			s.Vectors.Rows, s.Vectors.Cols, len(s.Visits), s.Nodes.Rows, c.Vertices, o.Dim)
	case s.Epoch < 0 || s.Epoch > o.Epochs || s.Walk < 0 || s.Walk > c.Walks || len(s.Loss) != s.Epoch:
		return fmt.Errorf("%w: walk %d of %d in epoch %d of %d", ErrState, s.Walk, c.Walks, s.Epoch, o.Epochs)
	}
	return nil
}
