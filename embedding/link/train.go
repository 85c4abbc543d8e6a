package link

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heavytail/embedding/classify"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Pairs are the training pairs of a model.
type Pairs struct {
	Links  []csr.Edge // links that the graph does not have
	Others []csr.Edge // non-links
}

// TrainOptions sets how Train works. The zero value works.
type TrainOptions struct {
	Terms Terms
	// Folds is the number of parts in the cross-validation: for validation and
	// calibration, each part is scored by a model of the other parts. 0 means
	// DefaultFolds.
	Folds   int
	Workers int // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of finished regressions, as the stage
	// "fitting".
	Progress func(stage string, done, total int64)
}

// DefaultFolds is the number of parts for validation.
const DefaultFolds = 4

// leastLinks is the smallest number of links, and of non-links, that a model is
// trained on.
const leastLinks = 10

// Validate reports all faults of the options at once.
func (o TrainOptions) Validate() error {
	faults := []error{o.Terms.Validate()}
	if o.Folds < 0 || o.Folds == 1 || o.Folds > leastLinks {
		faults = append(faults, fmt.Errorf("folds (%d) must be from 2 to %d: %w", o.Folds, leastLinks, ErrOption))
	}
	return errors.Join(faults...)
}

// Candidate is a set of terms that a model may be made from.
type Candidate struct {
	Name string `json:"name"` // "heuristics", "features", "all", or the name of one scorer
	// AUC is the probability that a link of a part scores higher than a non-link of the
	// same part, by a model of the other parts: the mean over the parts.
	AUC    float64 `json:"auc"`
	Chosen bool    `json:"chosen"`
}

// TrainReport lists the candidates that were compared, with their AUC.
type TrainReport struct {
	Candidates []Candidate
}

// Train learns a model from pairs. Neither the graph nor the vectors may have seen the
// links: the graph has none of them, and the vectors are an embedding of that graph.
// vectors may be nil if no term needs them.
//
// Terms are standardised and fitted by a logistic regression with squared weights
// as penalty. Train compares models of one scorer each, of all scorers, of all features
// and of everything by their AUC on held-out pairs and takes the best. The scores of
// held-out pairs also calibrate the probabilities (Platt 1999).
//
// A feature has one weight, for the sum of its values over all coordinates. A separate
// weight for each coordinate fits only the vectors from which it was learned: on
// ego-facebook (dp_spectral) the AUC of new links, with the vectors of a graph with more
// edges rotated to the old ones, was 0.807 with it and 0.994 without, and neither
// cross-validation nor a test one step before had shown the loss.
//
// The same pairs give the same model at any number of workers. Errors are
// ErrOption, those of Terms, ErrTooFew, ErrNeedsGraph, ErrNeedsEmbedding,
// ErrDimension, those of [classify.Logistic] and that of ctx.
func Train(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*Model, TrainReport, error) {
	if err := opts.Validate(); err != nil {
		return nil, TrainReport{}, err
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
// their curves, the sums of the features over all coordinates, and whether the vectors
// are not comparable.
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

// trial is a candidate: a choice of columns.
type trial struct {
	Candidate
	columns []int
	scores  []float64 // of pairs, each by a model that has not seen it
	linked  []bool    // the same pairs
}

func newTraining(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, pairs Pairs, opts TrainOptions) (*training, error) {
	if min(len(pairs.Links), len(pairs.Others)) < leastLinks {
		return nil, fmt.Errorf("%d links, %d other pairs, at least %d are needed: %w", len(pairs.Links), len(pairs.Others), leastLinks, ErrTooFew)
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
			return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
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
		return nil, fmt.Errorf("%w", err)
	}
	return t, nil
}

// apart is the last column: 1 where the vectors of a pair are not comparable.
func (t *training) apart() int { return len(t.m.terms) + len(t.m.planes) }

// table fills in the table.
func (t *training) table(b *Bound, pairs Pairs) {
	all := append(append([]csr.Edge(nil), pairs.Links...), pairs.Others...)
	t.linked, t.fold = make([]bool, len(all)), make([]int, len(all))
	for i := range all {
		t.linked[i] = i < len(pairs.Links)
		t.fold[i] = i % t.opts.Folds
	}
	t.x = vec.NewMatrix(len(all), t.apart()+1)
	const block = 256
	vec.Parallel(len(all), block, t.opts.Workers, func(_, lo, hi int) {
		if t.ctx.Err() != nil {
			return
		}
		scratch := make([]float32, t.widest())
		for i := lo; i < hi; i++ {
			t.set(t.x.Row(i), b, all[i].U, all[i].V, scratch)
		}
	})
	t.complete()
}

// widest is the largest number of values of a feature.
func (t *training) widest() int {
	widest := 0
	for _, p := range t.m.planes {
		widest = max(widest, len(p.weights))
	}
	return widest
}

// set writes the values of all columns. scratch has room for the values of a feature.
func (t *training) set(dst []float32, b *Bound, u, v uint32, scratch []float32) {
	var x values
	b.measure(&x, u, v, true)
	for i, term := range t.m.terms {
		dst[i] = float32(term.curve.at(x[i]))
	}
	if !b.comparable(u, v) {
		dst[t.apart()] = 1
		return
	}
	for i, p := range t.m.planes {
		values := scratch[:len(p.weights)]
		t.features[i].Set(values, b.vectors.Row(int(u)), b.vectors.Row(int(v)))
		sum := 0.0
		for _, x := range values {
			sum += float64(x)
		}
		dst[len(t.m.terms)+i] = float32(sum)
	}
}

// needsVectors reports whether column j is computed from vectors.
func (t *training) needsVectors(j int) bool {
	return j >= len(t.m.terms) && j != t.apart() || j < len(t.m.terms) && t.m.terms[j].vectors
}

// complete sets, for pairs whose vectors are not comparable, all columns that are
// computed from vectors to the mean of the other pairs.
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
			if t.needsVectors(j) {
				row[j] = float32(mean[j] / max(1, count))
			}
		}
	}
}

// trials lists the candidates, simpler ones first.
func (t *training) trials() []*trial {
	var list []*trial
	add := func(name string, columns []int) {
		if slices.ContainsFunc(columns, t.needsVectors) {
			columns = append(slices.Clone(columns), t.apart())
		}
		list = append(list, &trial{Candidate: Candidate{Name: name}, columns: columns})
	}
	var terms, sums []int
	for i, term := range t.m.terms {
		terms = append(terms, i)
		add(term.name, []int{i})
	}
	for i := range t.m.planes {
		sums = append(sums, len(t.m.terms)+i)
	}
	if len(terms) > 1 {
		add("heuristics", terms)
	}
	if len(sums) > 0 {
		add("features", sums)
		if len(terms) > 0 {
			add("all", slices.Concat(terms, sums))
		}
	}
	return list
}

func (t *training) run() (*Model, TrainReport, error) {
	list := t.trials()
	t.fits = int64(len(list)*t.visited()) + 1
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
	m, err := t.finish(best)
	if err != nil {
		return nil, TrainReport{}, err
	}
	return m, report, nil
}

// finish learns from all pairs.
func (t *training) finish(c *trial) (*Model, error) {
	fit, err := t.fit(c, -1)
	if err != nil {
		return nil, err
	}
	m := t.model(c, fit)
	m.slope, m.shift = calibrate(c.scores, c.linked)
	return m, nil
}

// visited is the number of parts that are scored: enough that they have enough
// pairs, and at least one.
func (t *training) visited() int {
	const enough = 10_000
	return min(t.opts.Folds, (enough*t.opts.Folds+len(t.linked)-1)/len(t.linked))
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
		row := make([]float32, len(c.columns))
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

// cut copies the columns of a trial from row i of the table.
func (t *training) cut(c *trial, dst []float32, i int) {
	row := t.x.Row(i)
	for j, k := range c.columns {
		dst[j] = row[k]
	}
}

// fit learns from all pairs except those of one part.
func (t *training) fit(c *trial, without int) (*classify.Model, error) {
	var rows []int
	for i, f := range t.fold {
		if f != without {
			rows = append(rows, i)
		}
	}
	x, linked := vec.NewMatrix(len(rows), len(c.columns)), make([]bool, len(rows))
	for k, i := range rows {
		t.cut(c, x.Row(k), i)
		linked[k] = t.linked[i]
	}
	fit, err := classify.Logistic(t.ctx, x, linked, classify.Options{Penalty: 1, Tolerance: 1e-4, Workers: t.opts.Workers})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
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
	for j, k := range c.columns {
		weights[k] = fit.Weights[j]
	}
	for i, term := range t.m.terms {
		if !slices.Contains(c.columns, i) {
			continue
		}
		term.weight, term.offset = weights[i], weights[i]*mean[i]
		m.bias += term.offset
		m.terms = append(m.terms, term)
		if term.vectors {
			m.dim = t.m.dim
		}
	}
	for i, p := range t.m.planes {
		sum := len(t.m.terms) + i
		if !slices.Contains(c.columns, sum) {
			continue
		}
		own := plane{name: p.name, weights: make([]float32, len(p.weights)), offset: weights[sum] * mean[sum]}
		for j := range own.weights {
			own.weights[j] = float32(weights[sum])
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
