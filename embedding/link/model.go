package link

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Model is a calibrated logistic model of links: the probability of a pair, from
// scorers of the pair and features of an embedding. [Train] makes one.
//
// The probability is that of a pair drawn from a sample with as many links as
// pairs that are none, as it was trained on; among all pairs of a sparse graph
// links are far rarer. [Model.WithPrior] gives it for another share. The order of
// pairs does not depend on that.
//
// A Model is immutable and safe for concurrent use.
type Model struct {
	dim   int     // of the embedding, 0 without one
	bias  float64 // log-odds of the average pair that it was trained on
	terms []term
	// planes are the features of the embedding.
	planes []plane
	// The calibrated log-odds are slope·score + shift, and prior more.
	slope, shift float64
	prior        float64 // log-odds of a link before anything is seen; 0 in the balanced sample
}

// term is a scorer of pairs as a part of a model.
type term struct {
	name   string
	curve  curve
	weight float64 // of the value on the curve
	offset float64 // what the average pair has, so that its part is 0
}

// plane is a feature of the embedding as a part of a model.
type plane struct {
	name    string
	weights []float32 // of the values of the feature
	offset  float64   // what the average pair has, so that its part is 0
}

// NeedsEmbedding reports whether Bind needs vectors.
func (m *Model) NeedsEmbedding() bool { return m.dim > 0 }

// Dim returns the dimension of the embedding that the model needs, 0 for none.
func (m *Model) Dim() int { return m.dim }

// Heuristics returns the names of the scorers that the model looks at, in the
// order of [Scorers]. Training leaves out those that do not help.
func (m *Model) Heuristics() []string {
	var names []string
	for _, t := range m.terms {
		names = append(names, t.name)
	}
	return names
}

// Features returns the names of the features of the embedding that the model
// looks at, in the order of [Features]. Training leaves out those that do not help.
func (m *Model) Features() []string {
	var names []string
	for _, p := range m.planes {
		names = append(names, p.name)
	}
	return names
}

// WithPrior returns the model with probabilities for a sample in which the share
// of links is another than ½. For pairs that are drawn from all pairs of a graph
// that share is what one expects of new links among them. The log-odds grow by
// ln(share/(1−share)): the correction is exact where links and other pairs look as
// those that the model was trained on. It panics unless share is between 0 and 1.
func (m *Model) WithPrior(share float64) *Model {
	if !(share > 0 && share < 1) {
		panic("link: WithPrior: the share is not between 0 and 1")
	}
	other := *m
	other.prior = math.Log(share / (1 - share))
	return &other
}

// ParseFeatures returns the features of a text such as 'hadamard+l1', in the order
// of [Features]; none of an empty text. Errors are ErrFeature, also for one that
// stands twice, and ErrAsymmetric.
func ParseFeatures(text string) ([]Feature, error) {
	if text == "" {
		return nil, nil
	}
	var names []string
	for name := range strings.SplitSeq(text, "+") {
		name = strings.TrimSpace(name)
		f, err := FindFeature(name)
		switch {
		case err != nil:
			return nil, err
		case !f.Symmetric:
			return nil, fmt.Errorf("link: %q: %w", name, ErrAsymmetric)
		case name == concatenationName:
			names = append(names, "l1", "l2", "hadamard", "cosine")
		default:
			names = append(names, name)
		}
	}
	var list []Feature
	for _, f := range Features() {
		if slices.Contains(names, f.Name) {
			list = append(list, f)
		}
	}
	if len(list) != len(names) {
		return nil, fmt.Errorf("link: %q: a feature stands twice: %w", text, ErrFeature)
	}
	return list, nil
}

// Bind returns the model as a scorer on a graph and the vectors of its vertices: a
// probability from 0 to 1, symmetric. vectors may be nil where NeedsEmbedding is
// false, and may lack those of the last vertices, which came later. The function is
// safe for concurrent use and panics if a vertex is out of range of either. A vertex without edges has the scores of such a vertex, mostly 0, and the
// vector that the embedding gives it; a pair of equal vertices is scored like any
// other. Errors are ErrNeedsGraph, ErrNeedsEmbedding and ErrDimension.
func (m *Model) Bind(g *csr.Graph, vectors *vec.Matrix) (func(u, v uint32) float64, error) {
	b, err := m.bind(g, vectors)
	if err != nil {
		return nil, err
	}
	return func(u, v uint32) float64 { return m.probability(b.score(u, v)) }, nil
}

// probability is that of uncalibrated log-odds.
func (m *Model) probability(score float64) float64 {
	return 1 / (1 + math.Exp(-(m.slope*score + m.shift + m.prior)))
}

// bound is a model on a graph and its vectors.
type bound struct {
	m       *Model
	scorers []func(u, v uint32) float64
	planes  []Feature
	vectors *vec.Matrix
}

func (m *Model) bind(g *csr.Graph, vectors *vec.Matrix) (*bound, error) {
	switch {
	case g == nil:
		return nil, fmt.Errorf("link: model: %w", ErrNeedsGraph)
	case m.dim > 0 && vectors == nil:
		return nil, fmt.Errorf("link: model: %w", ErrNeedsEmbedding)
	case m.dim > 0 && (vectors.Dim != m.dim || vectors.Rows > g.Vertices()):
		return nil, fmt.Errorf("link: %d vectors of %d coordinates for a graph of %d vertices and a model of %d coordinates: %w",
			vectors.Rows, vectors.Dim, g.Vertices(), m.dim, ErrDimension)
	}
	b := &bound{m: m, vectors: vectors}
	for _, t := range m.terms {
		f, err := New(t.name, g, vectors)
		if err != nil {
			return nil, err
		}
		b.scorers = append(b.scorers, f)
	}
	for _, p := range m.planes {
		f, err := FindFeature(p.name)
		if err != nil {
			return nil, err
		}
		b.planes = append(b.planes, f)
	}
	return b, nil
}

// score returns the log-odds before calibration.
func (b *bound) score(u, v uint32) float64 {
	sum := b.m.bias
	for i, t := range b.m.terms {
		sum += t.part(b.scorers[i](u, v))
	}
	for i := range b.planes {
		sum += b.plane(i, u, v)
	}
	return sum
}

// part is the share that a value of the scorer has in the log-odds.
func (t term) part(value float64) float64 { return t.weight*t.curve.at(value) - t.offset }

// plane is the share that a feature has in the log-odds of a pair.
func (b *bound) plane(i int, u, v uint32) float64 {
	p := b.m.planes[i]
	x := make([]float32, len(p.weights))
	b.planes[i].Set(x, b.vectors.Row(int(u)), b.vectors.Row(int(v)))
	return float64(vec.Dot(p.weights, x)) - p.offset
}
