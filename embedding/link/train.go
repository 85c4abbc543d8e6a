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

// Candidate is a model that was compared: a set of terms, and what their weights were learned
// from.
type Candidate struct {
	// Name is "heuristics", "features", "all", or the name of one scorer; followed by
	// ", by vertex" if a conditional model gave the weights, and by " + " and a second name
	// if the weights of two models were added.
	Name string `json:"name"`
	// AUC is the probability that a link scores higher than a non-link: for weights learned
	// from random pairs that of each part by a model of the other parts, the mean over the
	// parts.
	AUC float64 `json:"auc"`
	// MAP is the mean average precision of ten recommendations to vertices with held-out
	// links.
	MAP    float64 `json:"map"`
	Chosen bool    `json:"chosen"`
	// Single says that the candidate is one scorer.
	Single bool `json:"single,omitempty"`
}

// TrainReport lists the candidates that were compared.
type TrainReport struct {
	Candidates []Candidate
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
	if t.sample, err = newSample(columns, pairs.Hidden); err != nil {
		return nil, TrainReport{}, err
	}
	for i := range columns.linked {
		t.fold = append(t.fold, i%opts.Folds)
	}
	return t.run()
}

type training struct {
	*table
	fold   []int // part of each pair
	sample *sample
	fitted int64
	fits   int64
}

type trial struct {
	Candidate
	columns []int
	bias    float64
	whole   linear    // learned from everything
	parts   []linear  // for the vertices of each part of the sample: learned without that part
	of      []float64 // average precision of each vertex of the sample
	scores  []float64 // of pairs, by models that have not seen them where they are many
	linked  []bool    // the same pairs
	// heuristic is the name of a scorer of the graph that is the only term: there is nothing to
	// learn, and its recommendations are those of its Predictor.
	heuristic string
	// tie says that the trial is the best single scorer plus such a small multiple of another
	// trial that the multiple decides little except ties.
	tie bool
}

// trials lists the candidates, simpler ones first.
func (t *training) trials() []*trial {
	var list []*trial
	add := func(name string, columns []int) *trial {
		if slices.ContainsFunc(columns, t.needsVectors) {
			columns = append(slices.Clone(columns), t.apart())
		}
		c := &trial{Candidate: Candidate{Name: name}, columns: columns}
		list = append(list, c)
		return c
	}
	var terms, sums []int
	for i, term := range t.m.terms {
		c := add(term.name, []int{i})
		if c.Single = true; !term.vectors {
			c.heuristic = term.name
		}
		if t.grade[i] == always {
			terms = append(terms, i)
		}
	}
	for i := range t.m.planes {
		sums = append(sums, len(t.m.terms)+i)
	}
	if len(sums) > 0 {
		add("features", sums)
	}
	if len(terms) > 1 {
		add("heuristics", terms)
	}
	base, columns := "heuristics", terms
	if len(sums) > 0 && len(terms) > 0 {
		base, columns = "all", slices.Concat(terms, sums)
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
	list := t.trials()
	for _, c := range list {
		if c.heuristic == "" {
			t.fits += int64(t.visited() + 1)
		}
	}
	for _, c := range list {
		if err := t.learn(c); err != nil {
			return nil, TrainReport{}, err
		}
	}
	byVertex, err := t.byVertex(list)
	if err != nil {
		return nil, TrainReport{}, err
	}
	list = append(list, byVertex...)
	if err := t.recommend(list); err != nil {
		return nil, TrainReport{}, err
	}
	sums := t.sums(list)
	if err := t.recommend(sums); err != nil {
		return nil, TrainReport{}, err
	}
	list = append(list, sums...)
	best := choose(list)
	best.Chosen = true
	report := TrainReport{}
	for _, c := range list {
		report.Candidates = append(report.Candidates, c.Candidate)
	}
	m := t.model(best)
	m.slope, m.shift = calibrate(best.scores, best.linked)
	return m, report, nil
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

// byVertex returns conditional models with the columns of those trials that have several.
func (t *training) byVertex(list []*trial) ([]*trial, error) {
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
	if count < leastChoices {
		return nil, nil
	}
	var trials []*trial
	for _, c := range list {
		if len(c.columns) < 2 || len(c.columns) == 2 && slices.Contains(c.columns, t.apart()) {
			continue
		}
		trials = append(trials, &trial{Candidate: Candidate{Name: c.Name + ", by vertex"}, columns: c.columns, parts: make([]linear, len(halves))})
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
	if single != nil {
		trials = t.plus(single, apart)
		for i, c := range trials {
			c.tie = multiples[i] <= mostTie
		}
	}
	if top != single {
		trials = append(trials, t.plus(top, apart)...)
	}
	return trials
}

// single reports whether a trial is one scorer.
func single(c *trial) bool { return c.Single }

// bestByMAP returns the trial with the highest MAP among the wanted ones, or among all if wanted
// is nil; of equal trials the first.
func bestByMAP(list []*trial, wanted func(c *trial) bool) *trial {
	var best *trial
	for _, c := range list {
		if (wanted == nil || wanted(c)) && (best == nil || c.MAP > best.MAP) {
			best = c
		}
	}
	return best
}

// plus returns the sums of a trial and of the multiples of another one.
func (t *training) plus(order, apart *trial) []*trial {
	unit := t.deviation(order) / t.deviation(apart)
	if order == apart || !(unit > 0) || math.IsInf(unit, 0) {
		return nil
	}
	var trials []*trial
	for _, factor := range multiples {
		c := &trial{Candidate: Candidate{Name: order.Name + " + " + apart.Name}}
		c.columns = slices.Compact(slices.Sorted(slices.Values(slices.Concat(order.columns, apart.columns))))
		c.bias, c.whole = order.bias+factor*unit*apart.bias, order.whole.plus(factor*unit, apart.whole)
		for p := range max(len(order.parts), len(apart.parts)) {
			c.parts = append(c.parts, order.parts[p%len(order.parts)].plus(factor*unit, apart.parts[p%len(apart.parts)]))
		}
		t.scoreAll(c)
		trials = append(trials, c)
	}
	return trials
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

// choose returns the trial of the highest AUC among those whose MAP is not clearly below the
// highest: by at most one standard error of the difference over the vertices (Breiman,
// Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 3.4.3). Only
// the best single scorer, what decides its ties with no lower MAP, and trials whose MAP is above
// its by at least a standard error can be chosen, so that the model recommends no worse than a
// scorer alone. Of equal ones it is the first.
func choose(list []*trial) *trial {
	if alone := bestByMAP(list, single); alone != nil {
		list = slices.DeleteFunc(slices.Clone(list), func(c *trial) bool {
			least := standardError(c.of, alone.of)
			if c.tie {
				least = 0
			}
			return c != alone && !(c.MAP-alone.MAP >= least)
		})
	}
	top := bestByMAP(list, nil)
	best := top
	for _, c := range list {
		if top.MAP-c.MAP <= standardError(top.of, c.of) && c.AUC > best.AUC {
			best = c
		}
	}
	return best
}

// standardError is that of the mean of a − b.
func standardError(a, b []float64) float64 {
	n, sum, square := float64(len(a)), 0.0, 0.0
	for i := range a {
		d := a[i] - b[i]
		sum, square = sum+d, square+d*d
	}
	if n < 2 {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, square-sum*sum/n) / (n - 1) / n)
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
