package link

import (
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Model is a logistic model of links: the probability of a pair, from scorers of the graph and of
// embeddings, and from the degrees. [Fit] makes one.
//
// The probability is that of a pair from a sample with as many links as non-links; among
// all pairs of a sparse graph links are far rarer. [Model.WithPrior] gives it for another fraction of
// links. The order of pairs does not depend on the fraction.
//
// A Model is immutable and safe for concurrent use.
type Model struct {
	embeddings int     // that it reads
	bias       float64 // log-odds of the average pair that it was trained on
	terms      []term
}

// term is a column of pairs as a part of a model.
type term struct {
	column
	raw    float64 // weight of the value
	log    float64 // weight of ln(1 + value/unit)
	unit   float64
	offset float64 // what the average pair has, so that its part is 0
}

// part is what a value adds to the log-odds.
func (t *term) part(value float64) float64 {
	sum := t.raw * value
	if t.log != 0 && value != 0 {
		sum += t.log * math.Log(1+value/t.unit)
	}
	return sum - t.offset
}

// Embeddings returns the number of embeddings that Bind needs.
func (m *Model) Embeddings() int { return m.embeddings }

// Terms returns the names of the scorers and features that the model uses. Those of an embedding are
// those that the second result has a number of; it is -1 for those of the graph.
func (m *Model) Terms() (names []string, embedding []int) {
	for _, t := range m.terms {
		names, embedding = append(names, t.name), append(embedding, t.of)
	}
	return names, embedding
}

// WithPrior returns the model with probabilities for a sample with another fraction of
// links than ½. For pairs drawn from all pairs of a graph it is the expected fraction of
// new links. The log-odds grow by ln(share/(1−share)); the correction is exact if links and
// non-links have the same distributions as in training. It panics unless share is between
// 0 and 1.
func (m *Model) WithPrior(share float64) *Model {
	if !(share > 0 && share < 1) {
		panic("link: WithPrior: the share is not between 0 and 1")
	}
	other := *m
	other.bias += math.Log(share / (1 - share))
	return &other
}

// Calibrated returns the model with the log-odds slope·x + shift in place of x, with which the
// probabilities fit best the scores of pairs of which it is known whether they are links: see the
// source of calibrate. The order of pairs stays. Where the largest log-odds limit the slope, the highest
// hundredth counts as if all of it were at its lower end: otherwise a single pair far above all others,
// such as one of two hubs, would bring the probabilities of all pairs near each other.
func (m *Model) Calibrated(logOdds []float64, linked []bool) *Model {
	slope, shift := calibrate(logOdds, linked)
	if slope*slices.Max(logOdds)+shift > mostOdds-1e-3 {
		slope, shift = calibrate(clipped(logOdds), linked)
	}
	other := &Model{embeddings: m.embeddings, bias: slope*m.bias + shift, terms: slices.Clone(m.terms)}
	for i := range other.terms {
		t := &other.terms[i]
		t.raw, t.log, t.offset = slope*t.raw, slope*t.log, slope*t.offset
	}
	return other
}

// Bound is a model on a graph and the vectors of its vertices: what Bind returns. It
// scores pairs. Its methods are safe for concurrent use and panic if a vertex is out
// of range of the graph or the vectors. A vertex without edges scores 0 for
// neighbourhoods; a pair of equal vertices is scored like any other.
type Bound struct {
	m *Model
	*measures
}

// Bind binds the model to a graph and, for each of Embeddings, the vectors of its vertices, which may lack
// those of the last vertices, which came later. They are of the methods and options of the training, in
// any coordinates; small graphs may have fewer of them than later, when there are more vertices. It takes O(n + m) time and 40 bytes for each vertex,
// and 4 for each vector. Errors are ErrNeedsGraph, ErrNeedsEmbedding, ErrDimension and
// ErrNeedsTimes.
func (m *Model) Bind(g *csr.Graph, vectors ...*vec.Matrix) (*Bound, error) {
	if len(vectors) < m.embeddings {
		return nil, fmt.Errorf("model: %w", ErrNeedsEmbedding)
	}
	vectors = vectors[:m.embeddings]
	columns := make([]column, len(m.terms))
	for i, t := range m.terms {
		columns[i] = t.column
	}
	measures, err := newMeasures(g, vectors, columns)
	if err != nil {
		return nil, err
	}
	return &Bound{m, measures}, nil
}

// AtBaseRate returns the model for pairs of which a fraction, above 0 and below 1, are edges, in place of half of
// them: [LogOdds] of the fraction are added to those of each pair, which keeps their order.
func (m *Model) AtBaseRate(fraction float64) *Model {
	at := *m
	at.bias += LogOdds(fraction)
	return &at
}

// LogOdds returns ln(p/(1−p)).
func LogOdds(p float64) float64 { return math.Log(p / (1 - p)) }

// Score returns the probability of a pair, from 0 to 1. It does not depend on the
// order of the two. It takes O(dim + d + Σ d(x)) over the neighbours x of one end.
func (b *Bound) Score(u, v uint32) float64 { return Probability01(b.LogOdds(u, v)) }

// certain is the log-odds of a probability of 1 - 2e-9.
const certain = 20

// Probability01 is the probability of log-odds. Beyond 20 they count as 20 + ln(1 + x − 20), so that the
// probabilities keep the order of pairs: rounded, they would be 1 for all from 37 on.
func Probability01(logOdds float64) float64 {
	if logOdds > certain {
		logOdds = certain + math.Log1p(logOdds-certain)
	}
	return 1 / (1 + math.Exp(-logOdds))
}

// LogOdds returns ln(p/(1−p)) of the probability of a pair, up to 20: see Probability01.
func (b *Bound) LogOdds(u, v uint32) float64 {
	a := b.around.Get().(*around)
	defer b.around.Put(a)
	return b.logOdds(a, u, v)
}

func (b *Bound) logOdds(a *around, u, v uint32) float64 {
	var x values
	b.set(x[:], u, v, a.sums(u, v))
	return b.m.logOdds(&x)
}

func (m *Model) logOdds(x *values) float64 {
	sum := m.bias
	for i := range m.terms {
		sum += m.terms[i].part(x[i])
	}
	return sum
}

// Batch writes the probability of each pair to out. It panics unless out is as long as
// pairs. The more pairs share a vertex, the less time it takes. The scores equal those of
// Score to the bit.
func (b *Bound) Batch(pairs []csr.Edge, out []float64) {
	if len(pairs) != len(out) {
		panic("link: batch: lengths differ")
	}
	a := b.around.Get().(*around)
	defer b.around.Put(a)
	a.grouped(pairs, func(i int) { out[i] = Probability01(b.logOdds(a, pairs[i].U, pairs[i].V)) })
}

// Scoring returns how a Predictor finds the likeliest links by the model.
func (b *Bound) Scoring() Scoring {
	return Scoring{Score: b.Score, HigherIsLikelier: true, model: b}
}
