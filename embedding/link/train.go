package link

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

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
	// Penalties are the factors λ of the squared weights of coordinates, of which the
	// validation chooses one; see [classify.Options]. nil means DefaultPenalties.
	// Weights of scorers, and of the sums of features over all coordinates, have a
	// factor of 1: what is held back is how much coordinates differ.
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

// DefaultPenalties are tried on weights of coordinates.
func DefaultPenalties() []float64 { return []float64{100, 1000} }

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
	Penalty float64 // of coordinates; 0 where all have the same weight, and without features
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

// training has the table of all pairs, links first. Its columns are the scorers, on
// their curves, the sums of the features over all coordinates, whether vectors are
// not comparable, and then the features.
type training struct {
	ctx      context.Context
	opts     TrainOptions
	m        *Model // all terms and planes, without weights
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
	narrow []int     // columns before those of the features
	wide   bool      // with those
	scores []float64 // of pairs, each by a model that has not seen it
	linked []bool    // the same pairs
}

func newTraining(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*training, error) {
	if min(len(pairs.Links), len(pairs.Others)) < leastLinks {
		return nil, fmt.Errorf("link: %d links, %d other pairs, at least %d are needed: %w", len(pairs.Links), len(pairs.Others), leastLinks, ErrTooFew)
	}
	scorers, features, err := opts.Terms.resolve()
	if err != nil {
		return nil, err
	}
	t := &training{ctx: ctx, opts: opts, features: features, m: &Model{}}
	for _, s := range scorers {
		t.m.terms = append(t.m.terms, term{name: s.Name, curve: curveOf(s), vectors: s.NeedsEmbedding})
	}
	if opts.Terms.NeedsEmbedding() {
		if vectors == nil {
			return nil, fmt.Errorf("link: model: %w", ErrNeedsEmbedding)
		}
		t.m.dim = vectors.Dim
		for _, f := range features {
			t.m.planes = append(t.m.planes, plane{name: f.Name, weights: make([]float32, f.Width(vectors.Dim))})
		}
	}
	b, err := t.m.bind(g, vectors)
	if err != nil {
		return nil, err
	}
	t.table(b, pairs)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return t, nil
}

// apart is the column that tells whether vectors are not comparable.
func (t *training) apart() int { return len(t.m.terms) + len(t.m.planes) }

// narrow is the number of columns before those of the features.
func (t *training) narrow() int { return t.apart() + 1 }

// table fills in the table.
func (t *training) table(b *Bound, pairs Pairs) {
	all := append(append([]csr.Edge(nil), pairs.Links...), pairs.Others...)
	t.linked, t.fold = make([]bool, len(all)), make([]int, len(all))
	for i := range all {
		t.linked[i] = i < len(pairs.Links)
		t.fold[i] = i % t.opts.Folds
	}
	width := t.narrow()
	for _, p := range t.m.planes {
		width += len(p.weights)
	}
	t.x = vec.NewMatrix(len(all), width)
	const block = 256
	vec.Parallel(len(all), block, t.opts.Workers, func(_, lo, hi int) {
		if t.ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			t.set(t.x.Row(i), b, all[i].U, all[i].V)
		}
	})
	t.complete()
}

// set writes the values of all columns.
func (t *training) set(dst []float32, b *Bound, u, v uint32) {
	var x values
	b.measure(&x, u, v, true)
	for i, term := range t.m.terms {
		dst[i] = float32(term.curve.at(x[i]))
	}
	if !b.comparable(u, v) {
		dst[t.apart()] = 1
		return
	}
	at := t.narrow()
	for i, p := range t.m.planes {
		values := dst[at : at+len(p.weights)]
		t.features[i].Set(values, b.vectors.Row(int(u)), b.vectors.Row(int(v)))
		sum := 0.0
		for _, x := range values {
			sum += float64(x)
		}
		dst[len(t.m.terms)+i] = float32(sum)
		at += len(values)
	}
}

// looksAtVectors reports whether a column does.
func (t *training) looksAtVectors(j int) bool {
	return j >= len(t.m.terms) && j != t.apart() || j < len(t.m.terms) && t.m.terms[j].vectors
}

// complete gives pairs whose vectors are not comparable the mean of the others in
// all columns that look at vectors.
func (t *training) complete() {
	mean, count := make([]float64, t.x.Dim), 0.0
	for i := range t.linked {
		if row := t.x.Row(i); row[t.apart()] == 0 {
			count++
			for j, x := range row {
				mean[j] += float64(x)
			}
		}
	}
	for i := range t.linked {
		row := t.x.Row(i)
		if row[t.apart()] == 0 {
			continue
		}
		for j := range row {
			if t.looksAtVectors(j) {
				row[j] = float32(mean[j] / max(1, count))
			}
		}
	}
}

// trials lists what is compared, simpler ones first.
func (t *training) trials() []*trial {
	var list []*trial
	add := func(name string, narrow []int, wide bool, penalty float64) {
		if slices.ContainsFunc(narrow, t.looksAtVectors) {
			narrow = append(slices.Clone(narrow), t.apart())
		}
		list = append(list, &trial{Candidate: Candidate{Name: name, Penalty: penalty}, narrow: narrow, wide: wide})
	}
	var terms, sums []int
	for i, term := range t.m.terms {
		terms = append(terms, i)
		add(term.name, []int{i}, false, 0)
	}
	for i := range t.m.planes {
		sums = append(sums, len(t.m.terms)+i)
	}
	if len(terms) > 1 {
		add("heuristics", terms, false, 0)
	}
	wide := slices.ContainsFunc(t.m.planes, func(p plane) bool { return len(p.weights) > 1 })
	for _, c := range []struct {
		name   string
		narrow []int
	}{{"features", sums}, {"all", slices.Concat(terms, sums)}} {
		if len(sums) == 0 || c.name == "all" && len(terms) == 0 {
			continue
		}
		add(c.name, c.narrow, false, 0)
		if wide {
			for _, penalty := range slices.Backward(slices.Sorted(slices.Values(t.opts.Penalties))) {
				add(c.name, c.narrow, true, penalty)
			}
		}
	}
	return list
}

func (t *training) run() (*Model, TrainReport, error) {
	list := t.trials()
	t.fits = int64(len(list)*t.visited()) + 1
	for _, c := range list {
		if err := t.validate(c); err != nil {
			return nil, TrainReport{}, err
		}
	}
	best := t.choose(list)
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
	m.slope, m.shift = calibrate(best.scores, best.linked)
	return m, report, nil
}

// sure is by how many standard errors of an AUC a model with a weight for each
// coordinate must be better than others. Such weights hold less for other vectors than
// for those that they were learned from, which the validation does not see: with 1,
// the AUC on new links and the vectors of the whole graph is 0.951 and not 0.956 on
// ca-GrQc, and 0.716 and not 0.731 on 2,000 vertices of preferential attachment; on
// cora, where the weights are worth 0.03, they are 10 standard errors better.
const sure = 3

// choose takes the trial of the best AUC, but one with a weight for each coordinate
// only where that is sure.
func (t *training) choose(list []*trial) *trial {
	best := list[0]
	for _, c := range list {
		need := 0.0
		if c.wide && !best.wide {
			need = sure * math.Sqrt(c.AUC*(1-c.AUC)/float64(t.scored()/2))
		}
		if c.AUC > best.AUC+need {
			best = c
		}
	}
	return best
}

// visited is the number of parts that are scored: so many that they have enough
// pairs, and one at least.
func (t *training) visited() int {
	const enough = 10_000
	return min(t.opts.Folds, (enough*t.opts.Folds+len(t.linked)-1)/len(t.linked))
}

// scored is the number of pairs in those parts.
func (t *training) scored() int {
	n := 0
	for _, f := range t.fold {
		if f < t.visited() {
			n++
		}
	}
	return n
}

// validate scores the pairs of each part by a model of the others.
func (t *training) validate(c *trial) error {
	c.scores = nil
	c.linked = nil
	for fold := range t.visited() {
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
			score := fit.Score(row)
			c.scores, c.linked = append(c.scores, score), append(c.linked, t.linked[i])
			if t.linked[i] {
				links = append(links, score)
			} else {
				others = append(others, score)
			}
		}
		c.AUC += auc(links, others) / float64(t.visited())
	}
	return nil
}

// width is the number of columns of a trial.
func (t *training) width(c *trial) int {
	if !c.wide {
		return len(c.narrow)
	}
	return len(c.narrow) + t.x.Dim - t.narrow()
}

// cut copies the columns of a trial from a row of the table.
func (t *training) cut(c *trial, dst []float32, i int) {
	row := t.x.Row(i)
	for j, k := range c.narrow {
		dst[j] = row[k]
	}
	if c.wide {
		copy(dst[len(c.narrow):], row[t.narrow():])
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
		if j >= len(c.narrow) {
			penalties[j] = c.Penalty
		}
	}
	fit, err := classify.Logistic(t.ctx, x, linked, classify.Options{Penalties: penalties, Tolerance: 1e-4, Workers: t.opts.Workers})
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
	mean := make([]float64, t.x.Dim)
	for i := range t.linked {
		for j, x := range t.x.Row(i) {
			mean[j] += float64(x) / float64(len(t.linked))
		}
	}
	m := &Model{bias: fit.Bias}
	weights := make([]float64, t.x.Dim)
	for j, k := range c.narrow {
		weights[k] = fit.Weights[j]
	}
	if c.wide {
		copy(weights[t.narrow():], fit.Weights[len(c.narrow):])
	}
	for i, term := range t.m.terms {
		if !slices.Contains(c.narrow, i) {
			continue
		}
		term.weight, term.offset = weights[i], weights[i]*mean[i]
		m.bias += term.offset
		m.terms = append(m.terms, term)
		if term.vectors {
			m.dim = t.m.dim
		}
	}
	at := t.narrow()
	for i, p := range t.m.planes {
		sum := len(t.m.terms) + i
		own := plane{name: p.name, weights: make([]float32, len(p.weights))}
		for j := range own.weights {
			own.weights[j] = float32(weights[sum] + weights[at+j])
			own.offset += float64(own.weights[j]) * mean[at+j]
		}
		at += len(p.weights)
		if !slices.Contains(c.narrow, sum) {
			continue
		}
		m.bias += own.offset
		m.planes = append(m.planes, own)
		m.dim = t.m.dim
	}
	m.apart = weights[t.apart()]
	return m
}

// scoresVectors reports whether a scorer of the model needs the embedding.
func (m *Model) scoresVectors() bool {
	return slices.ContainsFunc(m.terms, func(t term) bool { return t.vectors })
}
