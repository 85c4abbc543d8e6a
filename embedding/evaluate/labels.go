package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/classify"
	"heavytail/storage/vec"
)

// Labels are the classes of vertices, each of which may have several or none.
type Labels struct {
	Names []string // of the classes
	// Of has the classes of each vertex, indices in Names, ascending and each
	// once; empty where the vertex has none.
	Of [][]uint32
}

// Labelled returns the number of vertices that have a class.
func (l Labels) Labelled() int {
	n := 0
	for _, own := range l.Of {
		if len(own) > 0 {
			n++
		}
	}
	return n
}

// check refuses classes that are out of range or out of order.
func (l Labels) check() error {
	for v, own := range l.Of {
		for i, c := range own {
			if int64(c) >= int64(len(l.Names)) || i > 0 && own[i-1] >= c {
				return fmt.Errorf("evaluate: classes %v of vertex %d, of %d: %w", own, v, len(l.Names), ErrLabels)
			}
		}
	}
	if n := l.Labelled(); n < 2 {
		return fmt.Errorf("evaluate: vertices with a class: %d, and two are needed to train and to test: %w", n, ErrLabels)
	}
	if len(l.Names) < 2 {
		return fmt.Errorf("evaluate: a single class: %w", ErrLabels)
	}
	return nil
}

// LabelOptions sets how classification is measured. The zero value works.
type LabelOptions struct {
	// Fractions are the shares of the labelled vertices to train on, each above 0
	// and below 1; the others are to be told. nil means DefaultFractions. At least
	// one vertex trains and one tests.
	Fractions []float64
	// Seeds is the number of random orders of the vertices, of which every
	// fraction takes its first ones to train on; 0 means DefaultSeeds.
	Seeds int
	Seed  uint64 // of the first of those orders; the others follow
	// Penalty is that of the logistic regressions. 0 chooses it for every fraction
	// and order, by the training vertices alone; see ClassifyLabels. That takes
	// some four times as long.
	Penalty float64
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, is told of models that are trained, under the stage
	// "classifying".
	Progress func(stage string, done, total int64)
}

// DefaultSeeds is the number of orders that DeepWalk's authors averaged over.
const DefaultSeeds = 10

// labelPenalties are those to choose from. Which is best depends on the vectors
// more than on their number: on blogcatalog the sum of micro- and macro-F1 is
// best at 30 for DeepWalk, at 10 % as at 90 % to train on, where 1 loses 0.08 and
// 0.01, and for DP-Spectral at 1, where 30 loses 0.04 and 0.03.
func labelPenalties() []float64 { return []float64{0.3, 3, 30, 300} }

// choosing is the largest number of vertices to choose a penalty by. It bounds
// what the choice costs; the penalty counts as much as one row does, so that it
// is as good for more rows.
const choosing = 10_000

// DefaultFractions shows few, half and most labels as known.
func DefaultFractions() []float64 { return []float64{0.1, 0.5, 0.9} }

// Validate reports all faults of the options at once.
func (o LabelOptions) Validate() error {
	var faults []error
	for _, f := range o.Fractions {
		if !(f > 0 && f < 1) {
			faults = append(faults, fmt.Errorf("evaluate: fraction (%v) must be above 0 and below 1: %w", f, ErrOption))
		}
	}
	if o.Fractions != nil && len(o.Fractions) == 0 {
		faults = append(faults, fmt.Errorf("evaluate: no fractions to train on: %w", ErrOption))
	}
	if o.Seeds < 0 {
		faults = append(faults, fmt.Errorf("evaluate: seeds (%d) must not be negative: %w", o.Seeds, ErrOption))
	}
	if !(o.Penalty >= 0) || math.IsInf(o.Penalty, 0) {
		faults = append(faults, fmt.Errorf("evaluate: penalty (%v) must be finite and not negative: %w", o.Penalty, ErrOption))
	}
	return errors.Join(faults...)
}

func (o LabelOptions) withDefaults() LabelOptions {
	if o.Fractions == nil {
		o.Fractions = DefaultFractions()
	}
	if o.Seeds == 0 {
		o.Seeds = DefaultSeeds
	}
	return o
}

// ClassifyLabels measures how well the classes of vertices can be told from
// their vectors. Row v of m is the vector of vertex v; vertices without a class
// take no part.
//
// For every fraction and order it trains a logistic regression for each class
// against the rest, on the training vertices alone, and gives every test vertex
// its likeliest classes: as many as it has, which is the protocol of DeepWalk
// (Perozzi, Al-Rfou and Skiena, KDD 2014, section 5.3) and with one class for
// each vertex the plain classification of section 4 of the paper.
//
// Without a Penalty the first three quarters of the training vertices train for
// each of 0.3, 3, 30 and 300, at most 7,500 of them, and the others choose: that
// with the highest sum of micro- and macro-F1, of equal ones the smallest. All of
// them train again with it.
//
// The scores are in the order of the fractions. The same vectors, labels and
// options give the same scores. Beside m it takes a copy of the rows to train
// on; training takes a few dozen passes over them for each class, fraction and
// order. Errors are ErrShape, ErrLabels where fewer than two vertices or classes
// are there, ErrOption, [classify.ErrValue], and that of ctx.
func ClassifyLabels(ctx context.Context, m *vec.Matrix, labels Labels, opts LabelOptions) ([]LabelScore, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if m.Rows != len(labels.Of) {
		return nil, fmt.Errorf("evaluate: %d vectors, labels of %d vertices: %w", m.Rows, len(labels.Of), ErrShape)
	}
	if err := labels.check(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	t := &labelTrial{m: m, labels: labels, opts: opts}
	models := opts.Seeds * len(opts.Fractions) * len(labels.Names)
	if opts.Penalty == 0 {
		models *= len(labelPenalties()) + 1
	}
	t.report = newReporter(opts.Progress, "classifying", int64(models))
	t.report(0)
	tallies := make([][]labelTally, len(opts.Fractions))
	for s := range opts.Seeds {
		order := t.order(uint64(s))
		for i, f := range opts.Fractions {
			tally, err := t.measure(ctx, order, f)
			if err != nil {
				return nil, err
			}
			tallies[i] = append(tallies[i], tally)
		}
	}
	scores := make([]LabelScore, len(opts.Fractions))
	for i, f := range opts.Fractions {
		scores[i] = summarise(f, tallies[i])
	}
	return scores, nil
}

// labelTrial is one measurement under way.
type labelTrial struct {
	m      *vec.Matrix
	labels Labels
	opts   LabelOptions
	report func(done int64)
	done   int64 // models trained by the splits so far
}

// order returns the labelled vertices in a random order.
func (t *labelTrial) order(number uint64) []uint32 {
	var order []uint32
	for v, own := range t.labels.Of {
		if len(own) > 0 {
			order = append(order, uint32(v))
		}
	}
	random := splitRandom(t.opts.Seed+number, "labels")
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// measure trains on the first vertices of an order, and counts what it gets
// right of the others.
func (t *labelTrial) measure(ctx context.Context, order []uint32, fraction float64) (labelTally, error) {
	cut := max(1, min(len(order)-1, int(fraction*float64(len(order)))))
	penalty := t.opts.Penalty
	if penalty == 0 {
		var err error
		if penalty, err = t.choose(ctx, order[:cut]); err != nil {
			return labelTally{}, err
		}
	}
	return t.tally(ctx, order[:cut], order[cut:], penalty)
}

// choose returns the penalty that does best when some of the training vertices
// are told from the others.
func (t *labelTrial) choose(ctx context.Context, training []uint32) (float64, error) {
	training = training[:min(choosing, len(training))]
	cut := (3*len(training) + 3) / 4
	best, most := 0.0, math.Inf(-1)
	for _, penalty := range labelPenalties() {
		tally, err := t.tally(ctx, training[:cut], training[cut:], penalty)
		if err != nil {
			return 0, err
		}
		// A single training vertex leaves none to choose by, and NaN for all.
		if f1 := tally.micro() + tally.macro(); f1 > most || best == 0 {
			best, most = penalty, f1
		}
	}
	return best, nil
}

// tally trains on some vertices, and counts what it gets right of others.
func (t *labelTrial) tally(ctx context.Context, training, test []uint32, penalty float64) (labelTally, error) {
	ranker, err := t.train(ctx, training, penalty)
	if err != nil {
		return labelTally{}, err
	}
	predicted, err := t.predict(ctx, ranker, test)
	if err != nil {
		return labelTally{}, err
	}
	tally := newLabelTally(len(t.labels.Names), len(training), len(test))
	for i, v := range test {
		tally.count(t.labels.Of[v], predicted[i])
	}
	return tally, nil
}

// train learns from the vertices that it is given, and sees no other.
func (t *labelTrial) train(ctx context.Context, vertices []uint32, penalty float64) (*classify.Ranker, error) {
	x := vec.NewMatrix(len(vertices), t.m.Dim)
	own := make([][]uint32, len(vertices))
	for i, v := range vertices {
		copy(x.Row(i), t.m.Row(int(v)))
		own[i] = t.labels.Of[v]
	}
	before := t.done
	ranker, err := classify.OneVsRest(ctx, x, own, len(t.labels.Names), classify.Options{
		Penalty: penalty, Workers: t.opts.Workers,
		Progress: func(done, _ int64) { t.report(before + done) },
	})
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	t.done += int64(len(t.labels.Names))
	return ranker, nil
}

// predict gives each vertex as many classes as it has, ascending.
func (t *labelTrial) predict(ctx context.Context, ranker *classify.Ranker, vertices []uint32) ([][]uint32, error) {
	const block = 64
	predicted := make([][]uint32, len(vertices))
	vec.Parallel(len(vertices), block, t.opts.Workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			v := vertices[i]
			predicted[i] = ranker.Top(len(t.labels.Of[v]), t.m.Row(int(v)))
			slices.Sort(predicted[i])
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	return predicted, nil
}
