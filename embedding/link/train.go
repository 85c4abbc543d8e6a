package link

import (
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/embedding/classify"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Pairs are what a model learns from.
type Pairs struct {
	Links  []csr.Edge // pairs that are links, which Graph does not have
	Others []csr.Edge // pairs that are none
}

// TrainOptions sets how Train works. The zero value works.
type TrainOptions struct {
	Terms Terms
	// Penalties are the factors λ of the squared weights of features, of which the
	// validation chooses one; see [classify.Options]. nil means DefaultPenalties.
	// Weights of scorers have a factor of 1.
	Penalties []float64
	// Folds is the number of parts of the pairs, each of which is scored by a model
	// of the others for validation and calibration. 0 means DefaultFolds.
	Folds   int
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, is told of regressions that are done, under the stage
	// "fitting".
	Progress func(stage string, done, total int64)
}

// DefaultFolds is the number of parts for validation.
const DefaultFolds = 4

// DefaultPenalties are tried on weights of features.
func DefaultPenalties() []float64 { return []float64{10, 100, 1000, 10000} }

// leastLinks is the number of links, and of pairs that are none, below which
// nothing can be said of a model.
const leastLinks = 10

// Validate reports all faults of the options at once.
func (o TrainOptions) Validate() error {
	faults := []error{o.Terms.Validate()}
	for _, x := range o.Penalties {
		if !(x > 0) || math.IsInf(x, 0) {
			faults = append(faults, fmt.Errorf("link: penalty (%v) must be finite and positive: %w", x, ErrOption))
		}
	}
	if o.Folds < 0 || o.Folds == 1 || o.Folds > leastLinks {
		faults = append(faults, fmt.Errorf("link: folds (%d) must be from 2 to %d: %w", o.Folds, leastLinks, ErrOption))
	}
	return errors.Join(faults...)
}

// Candidate is a set of terms that a model may be made from.
type Candidate struct {
	Name    string  // "heuristics", "features", "all", or the name of one scorer
	Penalty float64 // of the features, 0 without
	// AUC is the probability that a link of a part scores higher than another pair
	// of it, by a model of the other parts: the mean over the parts.
	AUC    float64
	Chosen bool
}

// TrainReport says how a model came about.
type TrainReport struct {
	Candidates []Candidate
}

// Train learns a model from pairs, of which the graph and the vectors must know
// nothing: the graph has none of the links, and the vectors are an embedding of
// that graph. vectors may be nil where no term needs them.
//
// Terms are standardised and fitted by a logistic regression with squared weights
// as penalty. A model of one scorer, one of all, one of all features and one of
// everything are compared by the AUC that they have on pairs that they have not
// learned from, and the best is taken. Its scores of such pairs are what the
// probabilities are calibrated by (Platt 1999).
//
// The same pairs give the same model at any number of workers. Errors are
// ErrOption, those of Terms, ErrTooFew, ErrNeedsGraph, ErrNeedsEmbedding,
// ErrDimension, those of [classify.Logistic] and that of ctx.
func Train(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*Model, TrainReport, error) {
	if err := opts.Validate(); err != nil {
		return nil, TrainReport{}, err
	}
	if opts.Penalties == nil {
		opts.Penalties = DefaultPenalties()
	}
	if opts.Folds == 0 {
		opts.Folds = DefaultFolds
	}
	t, err := newTraining(ctx, g, vectors, pairs, opts)
	if err != nil {
		return nil, TrainReport{}, err
	}
	return t.run()
}

// training has the table of all pairs, links first: a column for each scorer, on
// its curve, then the columns of the features.
type training struct {
	ctx      context.Context
	opts     TrainOptions
	dim      int
	terms    []term
	planes   []plane
	features []Feature
	x        *vec.Matrix
	linked   []bool
	fold     []int
	fitted   int64
	fits     int64
}

// trial is a choice of columns with a penalty.
type trial struct {
	Candidate
	terms  []int // indices
	planes bool
	scores []float64 // of all pairs, each by a model that has not seen it
}

func newTraining(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*training, error) {
	if min(len(pairs.Links), len(pairs.Others)) < leastLinks {
		return nil, fmt.Errorf("link: %d links, %d other pairs, at least %d are needed: %w", len(pairs.Links), len(pairs.Others), leastLinks, ErrTooFew)
	}
	scorers, features, err := opts.Terms.resolve()
	if err != nil {
		return nil, err
	}
	t := &training{ctx: ctx, opts: opts, features: features}
	m := &Model{}
	for _, s := range scorers {
		m.terms = append(m.terms, term{name: s.Name, curve: curveOf(s)})
	}
	width := len(scorers)
	if opts.Terms.NeedsEmbedding() {
		if vectors == nil {
			return nil, fmt.Errorf("link: model: %w", ErrNeedsEmbedding)
		}
		t.dim = vectors.Dim
		for _, f := range features {
			m.planes = append(m.planes, plane{name: f.Name, weights: make([]float32, f.Width(t.dim))})
			width += f.Width(t.dim)
		}
	}
	m.dim = t.dim
	b, err := m.bind(g, vectors)
	if err != nil {
		return nil, err
	}
	t.terms, t.planes = m.terms, m.planes
	t.table(b, pairs, width)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return t, nil
}

// table fills in the table.
func (t *training) table(b *bound, pairs Pairs, width int) {
	all := append(append([]csr.Edge(nil), pairs.Links...), pairs.Others...)
	t.linked, t.fold = make([]bool, len(all)), make([]int, len(all))
	for i := range all {
		t.linked[i] = i < len(pairs.Links)
		t.fold[i] = i % t.opts.Folds
	}
	t.x = vec.NewMatrix(len(all), width)
	const block = 256
	vec.Parallel(len(all), block, t.opts.Workers, func(_, lo, hi int) {
		if t.ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			b.set(t.x.Row(i), all[i].U, all[i].V)
		}
	})
}

// set writes the values of all terms.
func (b *bound) set(dst []float32, u, v uint32) {
	for i, t := range b.m.terms {
		dst[i] = float32(t.curve.at(b.scorers[i](u, v)))
	}
	at := len(b.m.terms)
	for i, p := range b.m.planes {
		end := at + len(p.weights)
		b.planes[i].Set(dst[at:end], b.vectors.Row(int(u)), b.vectors.Row(int(v)))
		at = end
	}
}

// trials lists what is compared, simpler ones first.
func (t *training) trials() []*trial {
	var list []*trial
	all := make([]int, len(t.terms))
	for i, term := range t.terms {
		all[i] = i
		list = append(list, &trial{Candidate: Candidate{Name: term.name}, terms: []int{i}})
	}
	if len(all) > 1 {
		list = append(list, &trial{Candidate: Candidate{Name: "heuristics"}, terms: all})
	}
	if len(t.planes) > 0 {
		for _, penalty := range t.opts.Penalties {
			list = append(list, &trial{Candidate: Candidate{Name: "features", Penalty: penalty}, planes: true})
		}
	}
	if len(t.planes) > 0 && len(all) > 0 {
		for _, penalty := range t.opts.Penalties {
			list = append(list, &trial{Candidate: Candidate{Name: "all", Penalty: penalty}, terms: all, planes: true})
		}
	}
	return list
}

func (t *training) run() (*Model, TrainReport, error) {
	list := t.trials()
	t.fits = int64(len(list)*t.opts.Folds) + 1
	best := list[0]
	for _, c := range list {
		if err := t.validate(c); err != nil {
			return nil, TrainReport{}, err
		}
		if c.AUC > best.AUC {
			best = c
		}
	}
	best.Chosen = true
	report := TrainReport{}
	for _, c := range list {
		report.Candidates = append(report.Candidates, c.Candidate)
	}
	fit, err := t.fit(best, -1)
	if err != nil {
		return nil, TrainReport{}, err
	}
	m := t.model(best, fit)
	m.slope, m.shift = calibrate(best.scores, t.linked)
	return m, report, nil
}

// validate scores all pairs, each part by a model of the others.
func (t *training) validate(c *trial) error {
	c.scores = make([]float64, len(t.linked))
	for fold := range t.opts.Folds {
		fit, err := t.fit(c, fold)
		if err != nil {
			return err
		}
		var links, others []float64
		row := make([]float32, t.width(c))
		for i := range t.linked {
			if t.fold[i] != fold {
				continue
			}
			t.cut(c, row, i)
			c.scores[i] = fit.Score(row)
			if t.linked[i] {
				links = append(links, c.scores[i])
			} else {
				others = append(others, c.scores[i])
			}
		}
		c.AUC += auc(links, others) / float64(t.opts.Folds)
	}
	return nil
}

// width is the number of columns of a trial.
func (t *training) width(c *trial) int {
	if !c.planes {
		return len(c.terms)
	}
	return len(c.terms) + t.x.Dim - len(t.terms)
}

// cut copies the columns of a trial from a row of the table.
func (t *training) cut(c *trial, dst []float32, i int) {
	row := t.x.Row(i)
	for j, k := range c.terms {
		dst[j] = row[k]
	}
	if c.planes {
		copy(dst[len(c.terms):], row[len(t.terms):])
	}
}

// fit learns from all pairs but those of one part.
func (t *training) fit(c *trial, without int) (*classify.Model, error) {
	var rows []int
	for i, f := range t.fold {
		if f != without {
			rows = append(rows, i)
		}
	}
	x, linked := vec.NewMatrix(len(rows), t.width(c)), make([]bool, len(rows))
	for k, i := range rows {
		t.cut(c, x.Row(k), i)
		linked[k] = t.linked[i]
	}
	penalties := make([]float64, x.Dim)
	for j := range penalties {
		penalties[j] = 1
		if j >= len(c.terms) {
			penalties[j] = c.Penalty
		}
	}
	fit, err := classify.Logistic(t.ctx, x, linked, classify.Options{Penalties: penalties, Workers: t.opts.Workers})
	if err != nil {
		return nil, fmt.Errorf("link: %s: %w", c.Name, err)
	}
	t.fitted++
	if t.opts.Progress != nil {
		t.opts.Progress("fitting", t.fitted, t.fits)
	}
	return fit, nil
}

// model makes a model of a regression on all pairs.
func (t *training) model(c *trial, fit *classify.Model) *Model {
	mean := make([]float64, t.width(c))
	row := make([]float32, len(mean))
	for i := range t.linked {
		t.cut(c, row, i)
		for j, x := range row {
			mean[j] += float64(x) / float64(len(t.linked))
		}
	}
	m := &Model{bias: fit.Bias}
	at := 0
	for _, k := range c.terms {
		term := t.terms[k]
		term.weight = fit.Weights[at]
		term.offset = term.weight * mean[at]
		m.bias += term.offset
		m.terms = append(m.terms, term)
		at++
	}
	if c.planes {
		for _, p := range t.planes {
			own := plane{name: p.name, weights: make([]float32, len(p.weights))}
			for j := range own.weights {
				own.weights[j] = float32(fit.Weights[at])
				own.offset += float64(own.weights[j]) * mean[at]
				at++
			}
			m.bias += own.offset
			m.planes = append(m.planes, own)
		}
	}
	if len(m.planes) > 0 || m.scoresVectors() {
		m.dim = t.dim
	}
	return m
}

// scoresVectors reports whether a scorer of the model needs the embedding.
func (m *Model) scoresVectors() bool {
	return Terms{Heuristics: append([]string{}, m.Heuristics()...), Features: ""}.NeedsEmbedding()
}
