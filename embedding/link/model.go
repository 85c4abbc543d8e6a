package link

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Model is a calibrated logistic model of links: the probability of a pair, from
// scorers of the pair and features of an embedding. [Train] makes one.
//
// The probability is that of a pair from a sample with as many links as non-links, as in
// training; among all pairs of a sparse graph links are far rarer. [Model.WithPrior] gives
// it for another fraction of links. The order of pairs does not depend on the fraction.
//
// A model uses vectors only where both vertices are in the largest component of the graph.
// Spectral methods give each component its own coordinates, walks never visit two
// components, and what a model has learned would not apply to another component. For other
// pairs all terms of vectors have their average value, and one weight is added.
//
// A Model is immutable and safe for concurrent use.
type Model struct {
	dim   int     // of the embedding, 0 without one
	bias  float64 // log-odds of the average pair that it was trained on
	terms []term
	// planes are the features of the embedding.
	planes []plane
	// apart is added for pairs whose vectors are not comparable, in place of all terms of
	// vectors.
	apart float64
	// The calibrated log-odds are slope·score + shift, and prior more.
	slope, shift float64
	prior        float64 // log-odds of the fraction of links; 0 in the balanced sample
}

// term is a scorer of pairs as a part of a model.
type term struct {
	name    string
	curve   curve
	vectors bool    // scores vectors
	weight  float64 // of the value on the curve
	offset  float64 // what the average pair has, so that its part is 0
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

// Heuristics returns the names of the scorers that the model uses, in the
// order of [Scorers]. Training leaves out those that do not help.
func (m *Model) Heuristics() []string {
	var names []string
	for _, t := range m.terms {
		names = append(names, t.name)
	}
	return names
}

// Features returns the names of the features of the embedding that the model uses, in the
// order of [Features]. Training leaves out those that do not help.
func (m *Model) Features() []string {
	var names []string
	for _, p := range m.planes {
		names = append(names, p.name)
	}
	return names
}

// Heuristic returns the name of the scorer of the graph that is the only term of the model, or
// "". The model then orders pairs as the scorer does, and its likeliest links are those of the
// scorer: see [Bound.Scoring].
func (m *Model) Heuristic() string {
	if len(m.terms) == 1 && len(m.planes) == 0 && !m.terms[0].vectors && m.terms[0].weight > 0 {
		return m.terms[0].name
	}
	return ""
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
	other.prior = math.Log(share / (1 - share))
	return &other
}

// ParseFeatures returns the features of a text such as 'hadamard+l1', in the order
// of [Features]; none of an empty text. Errors are ErrFeature, also for a duplicate,
// and ErrAsymmetric.
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
			return nil, fmt.Errorf("%q: %w", name, ErrAsymmetric)
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
		return nil, fmt.Errorf("%q: duplicate feature: %w", text, ErrFeature)
	}
	return list, nil
}

// probability is that of uncalibrated log-odds.
func (m *Model) probability(score float64) float64 {
	return 1 / (1 + math.Exp(-(m.slope*score + m.shift + m.prior)))
}
