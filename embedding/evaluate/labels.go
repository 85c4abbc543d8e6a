package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/classify"
	"heavytail/storage/vec"
)

// Labels are the classes of vertices. A vertex may have several classes or none.
type Labels struct {
	Names []string // of the classes
	// Of has the classes of each vertex as indices in Names, ascending and
	// without repetitions; empty if the vertex has none.
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

// Training returns the classes of the vertices that ClassifyLabels trains on, for a
// fraction, in its first order with this seed. The other vertices have no class in the
// result.
func (l Labels) Training(fraction float64, seed uint64) Labels {
	t := labelTrial{labels: l, opts: LabelOptions{Seed: seed}}
	known := Labels{Names: l.Names, Of: make([][]uint32, len(l.Of))}
	order := t.order(0)
	for _, v := range order[:trainingCut(len(order), fraction)] {
		known.Of[v] = l.Of[v]
	}
	return known
}

// trainingCut returns the number of training vertices: at least one, and not all.
func trainingCut(vertices int, fraction float64) int {
	return max(min(1, vertices), min(vertices-1, int(fraction*float64(vertices))))
}

// check returns an error if classes are out of range or not in ascending order.
func (l Labels) check() error {
	for v, own := range l.Of {
		for i, c := range own {
			if int64(c) >= int64(len(l.Names)) || i > 0 && own[i-1] >= c {
				return fmt.Errorf("classes %v of vertex %d, of %d: %w", own, v, len(l.Names), ErrLabels)
			}
		}
	}
	if n := l.Labelled(); n < 2 {
		return fmt.Errorf("vertices with a class: %d, and two are needed to train and to test: %w", n, ErrLabels)
	}
	if len(l.Names) < 2 {
		return fmt.Errorf("a single class: %w", ErrLabels)
	}
	return nil
}

// LabelOptions sets how classification is measured. The zero value works.
type LabelOptions struct {
	// Fractions are the fractions of the labelled vertices to train on, each above 0 and
	// below 1; the remaining vertices form the test set. nil means DefaultFractions. Both
	// sets have at least one vertex.
	Fractions []float64
	// Seeds is the number of random orders of the vertices; for every fraction
	// the first vertices of an order are the training set. 0 means
	// DefaultSeeds.
	Seeds int
	Seed  uint64 // seed of the first order; the next orders use the next seeds
	// Penalty is the penalty of the logistic regressions. 0 chooses it for every fraction
	// and order, from the training vertices alone; see ClassifyLabels. Choosing takes about
	// four times as long, and up to 17 times with at most 2,000 training vertices.
	Penalty float64
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of models that are trained, under the stage
	// "classifying".
	Progress func(stage string, done, total int64)
}

// DefaultSeeds is the number of orders that DeepWalk's authors averaged over.
const DefaultSeeds = 10

// labelPenalties are the penalties to choose from. The best one depends more on the vectors
// than on their number. On blogcatalog, the sum of micro- and macro-F1 is best at penalty
// 30 for DeepWalk: with 10 % and with 90 % of the vertices to train on, penalty 1 loses
// 0.08 and 0.01. For DP-Spectral it is best at 1, and 30 loses 0.04 and 0.03. The smallest
// and the largest penalty are seldom right, and lose much if they are chosen by chance.
func labelPenalties() []float64 { return []float64{0.3, 3, 30, 300} }

const (
	// choosing is the largest number of vertices by which a penalty is chosen.
	// It limits the cost of the choice. The penalty has the weight of one
	// vertex, so it is as good for more vertices.
	choosing = 10_000
	// labelFolds is the number of folds up to fewChoosing vertices: a single
	// fold of a few dozen vertices would choose by chance. With more vertices
	// one fold is enough.
	labelFolds  = 5
	fewChoosing = 2_000
)

// DefaultFractions are a small, a middle and a large fraction of training vertices.
func DefaultFractions() []float64 { return []float64{0.1, 0.5, 0.9} }

// Validate reports all faults of the options at once.
func (o LabelOptions) Validate() error {
	var faults []error
	for _, f := range o.Fractions {
		if !(f > 0 && f < 1) {
			faults = append(faults, fmt.Errorf("fraction (%v) must be above 0 and below 1: %w", f, ErrOption))
		}
	}
	if o.Fractions != nil && len(o.Fractions) == 0 {
		faults = append(faults, fmt.Errorf("no fractions to train on: %w", ErrOption))
	}
	if o.Seeds < 0 {
		faults = append(faults, fmt.Errorf("seeds (%d) must not be negative: %w", o.Seeds, ErrOption))
	}
	if !(o.Penalty >= 0) || math.IsInf(o.Penalty, 0) {
		faults = append(faults, fmt.Errorf("penalty (%v) must be finite and not negative: %w", o.Penalty, ErrOption))
	}
	return errors.Join(faults...)
}

func (o LabelOptions) withDefaults() LabelOptions {
	if o.Fractions == nil {
		o.Fractions = DefaultFractions()
	}
	o.Seeds = cmp.Or(o.Seeds, DefaultSeeds)
	return o
}

// ClassifyLabels measures how well vectors predict the classes of vertices. Row v of m is
// the vector of vertex v; vertices without a class are ignored.
//
// For every fraction and order it trains a logistic regression for each class
// against the rest, on the training vertices alone, and predicts for every
// test vertex its most probable classes: as many as the vertex has, which is
// the protocol of DeepWalk (Perozzi, Al-Rfou and Skiena, KDD 2014, section
// 5.3), and with one class for each vertex the plain classification of section
// 4 of the paper.
//
// Without a Penalty it is chosen on the training vertices among 0.3, 3, 30 and 300, by the
// sum of micro- and macro-F1. Up to 2,000 vertices are used in stratified five-fold
// cross-validation; of more, at most 10,000, three quarters train and the rest choose. The
// better of 3 and 30, of equal ones the smaller, is taken unless an outer one is better by
// more than the standard error of the difference. The final training uses all training
// vertices with the chosen penalty.
//
// The scores are in the order of the fractions. The same vectors, labels and
// options give the same scores. In addition to m it takes a copy of the
// training vectors; training takes a few dozen passes over them for each
// class, fraction and order. Errors are ErrShape, ErrLabels if there are fewer
// than two vertices or classes, ErrOption, [classify.ErrValue], and that of
// ctx.
func ClassifyLabels(ctx context.Context, m *vec.Matrix, labels Labels, opts LabelOptions) ([]LabelScore, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if m.Rows != len(labels.Of) {
		return nil, fmt.Errorf("%d vectors, labels of %d vertices: %w", m.Rows, len(labels.Of), ErrShape)
	}
	if err := labels.check(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	t := &labelTrial{m: m, labels: labels, opts: opts}
	models := 0
	for _, f := range opts.Fractions {
		models += opts.Seeds * len(labels.Names)
		if opts.Penalty == 0 {
			models += opts.Seeds * len(labels.Names) * len(labelPenalties()) * foldsOf(trainingCut(labels.Labelled(), f))
		}
	}
	t.report = vec.Reporter(opts.Progress, "classifying", int64(models))
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

// measure trains on the first vertices of an order, and counts the correct
// predictions for the rest.
func (t *labelTrial) measure(ctx context.Context, order []uint32, fraction float64) (labelTally, error) {
	cut := trainingCut(len(order), fraction)
	penalty := t.opts.Penalty
	if penalty == 0 {
		var err error
		if penalty, err = t.choose(ctx, order[:cut]); err != nil {
			return labelTally{}, err
		}
	}
	return t.tally(ctx, order[:cut], order[cut:], penalty)
}

// foldsOf is the number of splits of the training vertices to choose a
// penalty.
func foldsOf(training int) int {
	if training > fewChoosing {
		return 1
	}
	return min(labelFolds, training)
}

// choose returns the penalty with which some of the training vertices predict
// the rest best, with several folds if there are few.
func (t *labelTrial) choose(ctx context.Context, training []uint32) (float64, error) {
	folds := t.folds(training[:min(choosing, len(training))])
	scores := make([][]float64, len(labelPenalties())) // by penalty and fold
	for i, penalty := range labelPenalties() {
		for _, f := range folds {
			tally, err := t.tally(ctx, f.training, f.test, penalty)
			if err != nil {
				return 0, err
			}
			scores[i] = append(scores[i], tally.micro()+tally.macro())
		}
	}
	return labelPenalties()[bestPenalty(scores)], nil
}

type fold struct{ training, test []uint32 }

// folds splits training vertices for a choice. Classes are distributed evenly
// over parts, by the first class of each vertex.
func (t *labelTrial) folds(training []uint32) []fold {
	n := foldsOf(len(training))
	if n == 1 {
		cut := (3*len(training) + 3) / 4
		return []fold{{training[:cut], training[cut:]}}
	}
	order := slices.Clone(training)
	slices.SortStableFunc(order, func(u, v uint32) int { return cmp.Compare(t.labels.Of[u][0], t.labels.Of[v][0]) })
	list := make([]fold, n)
	for i, v := range order {
		for j := range list {
			if i%n == j {
				list[j].test = append(list[j].test, v)
			} else {
				list[j].training = append(list[j].training, v)
			}
		}
	}
	return list
}

// bestPenalty returns the index of the penalty to take, from the scores of each penalty in
// the same folds: the better one of the inner penalties, unless an outer one is better than
// it by more than the standard error of the difference. With a single training vertex no
// vertex is left to choose by, and all scores are NaN.
func bestPenalty(scores [][]float64) int {
	margin := func(a, b int) (mean, deviation float64) {
		differences := make([]float64, len(scores[a]))
		for f := range differences {
			differences[f] = scores[a][f] - scores[b][f]
		}
		d := measured(differences)
		if len(differences) < 2 {
			return d.Mean, 0
		}
		return d.Mean, d.Deviation / math.Sqrt(float64(len(differences)))
	}
	last := len(scores) - 1
	best := 1
	for i := 2; i < last; i++ {
		if mean, _ := margin(i, best); mean > 0 {
			best = i
		}
	}
	inner, most := best, 0.0
	for _, i := range []int{0, last} {
		if mean, deviation := margin(i, inner); mean > deviation && mean > most {
			best, most = i, mean
		}
	}
	return best
}

// tally trains on one list of vertices, and counts the correct predictions for another
// list.
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

// train trains on the given vertices only.
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
		return nil, err
	}
	t.done += int64(len(t.labels.Names))
	return ranker, nil
}

// predict predicts for each vertex as many classes as it has, in ascending order.
func (t *labelTrial) predict(ctx context.Context, ranker *classify.Ranker, vertices []uint32) ([][]uint32, error) {
	predicted := make([][]uint32, len(vertices))
	err := inBlocks(ctx, len(vertices), 64, t.opts.Workers, func(i int) {
		v := vertices[i]
		predicted[i] = ranker.Top(len(t.labels.Of[v]), t.m.Row(int(v)))
		slices.Sort(predicted[i])
	})
	return predicted, err
}
