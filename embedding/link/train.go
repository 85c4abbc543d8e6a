package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/classify"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// TrainReport lists the candidates that were compared.
type TrainReport struct {
	Candidates []Candidate // with TrainOptions.Choice the only one, without a MAP
	Choice     Choice      // the one that was chosen
}

// Train learns a model from pairs. Neither the graph nor the vectors may have seen the
// links: the graph has none of them, and the vectors are an embedding of that graph.
// vectors may be nil if no term needs them.
//
// Train compares every scorer alone with models of several terms, by the MAP of the ten
// links that they would recommend to up to 1,000 vertices with held-out links. Terms are
// standardised and fitted by a logistic regression on pairs, with squared weights as penalty,
// and by a conditional logit model, which learns to order the candidates of each vertex. A
// model of several terms is taken only if its MAP is above that of the best single scorer
// by at least the standard error of the difference over the vertices; otherwise the model is
// that scorer, calibrated. A model that orders candidates well can be poor on pairs for which
// all scorers of neighbourhoods are equal. So the best scorer and the best model by MAP are
// combined with small multiples of the best one by AUC, and among the models whose MAP is below
// the highest by at most one standard error Train takes the one with the highest AUC. The
// scores of held-out pairs calibrate the probabilities (Platt 1999).
//
// The sets of terms are [DefaultHeuristics], with the features if there are any, the same with
// l3, and the same with all scorers by paths of three edges and by times. l3 is worth its time:
// as the only further term it changed the mean difference of the MAP to that of the best scorer
// from +.001 to +.002 without an embedding and from +.004 to +.007 with one (cora, ca-GrQc,
// ego-facebook, CollegeMsg; fastrp, prone, dp_spectral).
//
// Named heuristics are not a selection to choose from: with Terms.Heuristics the only set of terms
// is that of all of them and the features.
//
// With TrainOptions.Choice nothing is compared: the model has the terms of the choice, learned from
// these pairs in the same way.
//
// Of the margins 0, ½, 1, 1½ and 2 standard errors, 1 and 1½ left no model that recommends worse
// than the best scorer by more than chance, and 1 had the higher AUC; without a margin up to two
// of 21 models were worse, by up to .02.
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
	if opts.Choice != nil {
		opts.Terms = opts.Choice.terms()
	}
	if err := opts.Validate(); err != nil {
		return nil, TrainReport{}, err
	}
	opts.Folds = cmp.Or(opts.Folds, DefaultFolds)
	columns, err := newTable(ctx, g, vectors, pairs, opts)
	if err != nil {
		return nil, TrainReport{}, err
	}
	if pairs.Hidden == nil {
		pairs.Hidden = pairs.Links
	}
	t := &training{table: columns}
	if c := opts.Choice; c == nil || c.order.byVertex || c.apart.byVertex {
		if t.sample, err = newSample(columns, pairs.Hidden); err != nil {
			return nil, TrainReport{}, err
		}
	}
	for i := range columns.linked {
		t.fold = append(t.fold, i%opts.Folds)
	}
	return t.run()
}

type training struct {
	*table
	fold   []int   // part of each pair
	sample *sample // nil where nothing needs it
	fitted int64
	fits   int64
}

// newTrial returns a trial of the given columns, without weights. One column of a scorer is the
// candidate of that scorer alone.
func (t *training) newTrial(name string, columns []int) *trial {
	columns = slices.Sorted(slices.Values(columns))
	c := &trial{Candidate: Candidate{Name: name}, choice: Choice{order: recipe{terms: Terms{Heuristics: []string{}}}}, columns: columns}
	of := &c.choice.order.terms
	for _, k := range columns {
		if k < len(t.m.terms) {
			of.Heuristics = append(of.Heuristics, t.m.terms[k].name)
		} else {
			of.Features = t.opts.Terms.Features // all of them have one weight each in every trial
		}
	}
	if len(columns) == 1 && columns[0] < len(t.m.terms) {
		term := t.m.terms[columns[0]]
		c.Name, c.Single = term.name, true
		if !term.vectors {
			c.heuristic = term.name
		}
	}
	if slices.ContainsFunc(columns, t.needsVectors) {
		c.columns = append(columns, t.apart())
	}
	return c
}

// trials lists the candidates, simpler ones first.
func (t *training) trials() []*trial {
	var list []*trial
	add := func(name string, columns []int) { list = append(list, t.newTrial(name, columns)) }
	var each, terms, sums []int
	for i := range t.m.terms {
		each = append(each, i)
		if t.grade[i] == always {
			terms = append(terms, i)
		}
	}
	for i := range t.m.planes {
		sums = append(sums, len(t.m.terms)+i)
	}
	base, columns := "heuristics", terms
	switch {
	case len(terms) == 0:
		base, columns = "features", sums
	case len(sums) > 0:
		base, columns = "all", slices.Concat(terms, sums)
	}
	if t.opts.Terms.Heuristics != nil {
		add(base, columns)
		return list
	}
	for _, i := range each {
		add("", []int{i})
	}
	if len(sums) > 0 {
		add("features", sums)
	}
	add("heuristics", terms) // there are several by default
	if len(sums) > 0 {
		add(base, columns)
	}
	if further := t.graded(byL3); len(further) > 0 {
		columns = slices.Concat(columns, further)
		add(base+" with l3", columns)
	}
	if further := t.graded(byPaths); len(further) > 0 {
		add(base+" with paths", slices.Concat(columns, further))
	}
	return list
}

func (t *training) run() (*Model, TrainReport, error) {
	best, candidates, err := t.best()
	if err != nil {
		return nil, TrainReport{}, err
	}
	m := t.model(best)
	m.slope, m.shift = calibrate(best.scores, best.linked)
	return m, TrainReport{candidates, best.choice}, nil
}

// best returns the trial of the choice that is given, or chooses one and returns the candidates,
// too.
func (t *training) best() (*trial, []Candidate, error) {
	if t.opts.Choice != nil {
		best, err := t.chosen(*t.opts.Choice)
		if err != nil {
			return nil, nil, err
		}
		best.Chosen = true
		return best, []Candidate{best.Candidate}, nil
	}
	list := t.trials()
	if err := t.learnAll(list); err != nil {
		return nil, nil, err
	}
	byVertex, err := t.byVertex(list, leastChoices)
	if err != nil {
		return nil, nil, err
	}
	list = append(list, byVertex...)
	if err := t.recommend(list); err != nil {
		return nil, nil, err
	}
	sums := t.sums(list)
	if err := t.recommend(sums); err != nil {
		return nil, nil, err
	}
	list = append(list, sums...)
	best := choose(list)
	best.Chosen = true
	var candidates []Candidate
	for _, c := range list {
		candidates = append(candidates, c.Candidate)
	}
	return best, candidates, nil
}

// chosen learns a candidate that was chosen before.
func (t *training) chosen(choice Choice) (*trial, error) {
	order, err := t.cooked(choice.order)
	if err != nil || choice.factor == 0 {
		return order, err
	}
	apart, err := t.cooked(choice.apart)
	if err != nil {
		return nil, err
	}
	if sum := t.plus(order, apart, choice.factor); sum != nil {
		return sum, nil
	}
	return order, nil // apart is the same for all pairs, and decides nothing
}

// cooked learns the weights of a recipe.
func (t *training) cooked(r recipe) (*trial, error) {
	var columns []int
	for i, term := range t.m.terms {
		if slices.Contains(r.terms.Heuristics, term.name) {
			columns = append(columns, i)
		}
	}
	if r.terms.Features != "" {
		for i := range t.m.planes {
			columns = append(columns, len(t.m.terms)+i)
		}
	}
	c := t.newTrial("chosen", columns)
	if !r.byVertex {
		return c, t.learnAll([]*trial{c})
	}
	list, err := t.byVertex([]*trial{c}, 1)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("vertices to learn an order from: none: %w", ErrTooFew)
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// learnAll learns the weights of trials by logistic regressions.
func (t *training) learnAll(list []*trial) error {
	for _, c := range list {
		if c.heuristic == "" {
			t.fits += int64(t.visited() + 1)
		}
	}
	for _, c := range list {
		if err := t.learn(c); err != nil {
			return err
		}
	}
	return nil
}

func (t *training) learn(c *trial) error {
	if c.heuristic != "" {
		c.whole = make(linear, t.x.Dim)
		c.whole[c.columns[0]] = 1
		c.parts = []linear{c.whole}
		t.scoreAll(c)
		return nil
	}
	if err := t.validate(c); err != nil {
		return err
	}
	fit, err := t.fit(c, -1)
	if err != nil {
		return err
	}
	c.bias, c.whole = fit.Bias, make(linear, t.x.Dim)
	for j, k := range c.columns {
		c.whole[k] = fit.Weights[j]
	}
	c.parts = []linear{c.whole}
	return nil
}

// leastChoices is the number of vertices from which a conditional model is learned.
const leastChoices = 100

// byVertex returns conditional models with the columns of those trials that have several; none if
// fewer vertices than least can be learned from.
func (t *training) byVertex(list []*trial, least int) ([]*trial, error) {
	choices, err := t.sample.choices()
	if err != nil {
		return nil, err
	}
	halves, count := [2][]choice{}, 0 // halves[p] is without the vertices of part p
	for i, c := range choices {
		halves[1-i%2] = append(halves[1-i%2], c)
		if len(c.multiplicity) > 0 {
			count++
		}
	}
	if count < least {
		return nil, nil
	}
	var trials []*trial
	for _, c := range list {
		if len(c.columns) < 2 || len(c.columns) == 2 && slices.Contains(c.columns, t.apart()) {
			continue
		}
		choice := c.choice
		choice.order.byVertex = true
		trials = append(trials, &trial{Candidate: Candidate{Name: c.Name + ", by vertex"}, choice: choice, columns: c.columns, parts: make([]linear, len(halves))})
	}
	fits := len(halves) + 1 // of each trial: without each part, and from all
	vec.Parallel(fits*len(trials), 1, t.opts.Workers, func(i, _, _ int) {
		c, part := trials[i/fits], i%fits
		if part < len(halves) {
			c.parts[part] = conditional(t.ctx, halves[part], c.columns, t.x.Dim)
		} else {
			c.whole = conditional(t.ctx, choices, c.columns, t.x.Dim)
		}
	})
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	for _, c := range trials {
		t.scoreAll(c)
	}
	return trials, nil
}

// scoreAll scores all pairs.
func (t *training) scoreAll(c *trial) {
	c.scores, c.linked = make([]float64, len(t.linked)), t.linked
	for i := range c.scores {
		c.scores[i] = c.bias + c.whole.at(t.x.Row(i))
	}
	c.AUC = auc(c.scores, c.linked)
}

// recommend measures the MAP of trials.
func (t *training) recommend(list []*trial) error {
	var functions []linear
	for _, c := range list {
		if c.heuristic == "" {
			functions = append(functions, c.parts...)
		}
	}
	var of [][]float64
	var err error
	if len(functions) > 0 {
		if of, err = t.sample.precisions(functions); err != nil {
			return err
		}
	}
	at := 0
	for _, c := range list {
		if c.heuristic != "" {
			if c.of, err = t.sample.heuristicPrecisions(c.heuristic); err != nil {
				return err
			}
		} else {
			for i := range of {
				c.of = append(c.of, of[i][at+i%len(c.parts)])
			}
			at += len(c.parts)
		}
		for _, precision := range c.of {
			c.MAP += precision / float64(len(c.of))
		}
	}
	return nil
}

// The multiples of the best trial by AUC that are added to the best ones by MAP, in standard
// deviations of the scores. Multiples up to mostTie decide little except ties.
var multiples = []float64{0.01, 0.03, 0.1, 0.3}

const mostTie = 0.03

// sums returns sums of the best single scorer by MAP and of the best trial by MAP with small
// multiples of the best one by AUC.
func (t *training) sums(list []*trial) []*trial {
	apart := list[0]
	for _, c := range list {
		if c.AUC > apart.AUC {
			apart = c
		}
	}
	single, top := bestByMAP(list, single), bestByMAP(list, nil)
	var trials []*trial
	add := func(order *trial, ties bool) {
		for _, factor := range multiples {
			if c := t.plus(order, apart, factor); c != nil {
				c.tie = ties && factor <= mostTie
				trials = append(trials, c)
			}
		}
	}
	if single != nil {
		add(single, true)
	}
	if top != single {
		add(top, false)
	}
	return trials
}

// plus returns the sum of a trial and a multiple of another one, in standard deviations of the
// scores; nil if it is the same one, or if either score is constant.
func (t *training) plus(order, apart *trial, factor float64) *trial {
	unit := t.deviation(order) / t.deviation(apart)
	if order == apart || !(unit > 0) || math.IsInf(unit, 0) {
		return nil
	}
	c := &trial{Candidate: Candidate{Name: order.Name + " + " + apart.Name}}
	c.choice = Choice{order: order.choice.order, apart: apart.choice.order, factor: factor}
	c.columns = slices.Compact(slices.Sorted(slices.Values(slices.Concat(order.columns, apart.columns))))
	c.bias, c.whole = order.bias+factor*unit*apart.bias, order.whole.plus(factor*unit, apart.whole)
	for p := range max(len(order.parts), len(apart.parts)) {
		c.parts = append(c.parts, order.parts[p%len(order.parts)].plus(factor*unit, apart.parts[p%len(apart.parts)]))
	}
	t.scoreAll(c)
	return c
}

// deviation is the standard deviation of the scores of all pairs.
func (t *training) deviation(c *trial) float64 {
	mean, square := 0.0, 0.0
	for i := range t.linked {
		x := c.whole.at(t.x.Row(i))
		mean, square = mean+x, square+x*x
	}
	n := float64(len(t.linked))
	return math.Sqrt(max(0, square/n-mean/n*mean/n))
}

// visited is the number of parts that are scored: enough that they have enough
// pairs, and at least one.
func (t *training) visited() int {
	const enough = 10_000
	return min(t.opts.Folds, (enough*t.opts.Folds+len(t.linked)-1)/len(t.linked))
}

// validate scores the pairs of each part by a model of the others.
func (t *training) validate(c *trial) error {
	c.scores, c.linked = nil, nil
	for fold := range t.visited() {
		fit, err := t.fit(c, fold)
		if err != nil {
			return err
		}
		first, row := len(c.scores), make([]float32, len(c.columns))
		for i := range t.linked {
			if t.fold[i] != fold {
				continue
			}
			t.cut(c, row, i)
			c.scores, c.linked = append(c.scores, fit.Score(row)), append(c.linked, t.linked[i])
		}
		c.AUC += auc(c.scores[first:], c.linked[first:]) / float64(t.visited())
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

func (t *training) model(c *trial) *Model {
	mean := make([]float64, t.x.Dim)
	for i := range t.linked {
		for j, x := range t.x.Row(i) {
			mean[j] += float64(x) / float64(len(t.linked))
		}
	}
	m := &Model{bias: c.bias}
	for i, term := range t.m.terms {
		if !slices.Contains(c.columns, i) {
			continue
		}
		term.weight, term.offset = c.whole[i], c.whole[i]*mean[i]
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
		own := plane{name: p.name, weights: make([]float32, len(p.weights)), offset: c.whole[sum] * mean[sum]}
		for j := range own.weights {
			own.weights[j] = float32(c.whole[sum])
		}
		m.bias += own.offset
		m.planes = append(m.planes, own)
		m.dim = t.m.dim
	}
	m.apart = c.whole[t.apart()]
	return m
}

// scoresVectors reports whether a scorer of the model needs the embedding.
func (m *Model) scoresVectors() bool {
	return slices.ContainsFunc(m.terms, func(t term) bool { return t.vectors })
}
