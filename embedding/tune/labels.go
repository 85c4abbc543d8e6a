package tune

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// LabelCriterion is what the objective of labels asks for.
type LabelCriterion uint8

// The criteria: means over random orders of the vertices.
const (
	ByMicroF1 LabelCriterion = iota
	ByMacroF1
	ByLabelAccuracy
)

// Random orders that classification is averaged over, and the share of the
// vertices to train on.
const (
	fullOrders     = 3
	labelsFraction = 0.5
)

// labels judges how well the classes of vertices are told from their vectors.
type labels struct {
	g         *csr.Graph
	labels    evaluate.Labels
	seed      uint64
	criterion LabelCriterion
}

// Labels returns the objective of classifying the vertices of a graph after
// training on half of those that have a class: with one random order in the
// survey, over three in full. As for Links, the choice between candidates has
// seen the vertices that they are compared by.
func Labels(g *csr.Graph, classes evaluate.Labels, seed uint64, criterion LabelCriterion) (Objective, error) {
	if criterion > ByLabelAccuracy {
		return nil, fmt.Errorf("%w: criterion %d of labels", ErrOptions, criterion)
	}
	return &labels{g, classes, seed, criterion}, nil
}

func (l *labels) Graph() *csr.Graph { return l.g }

// Judge trains a logistic regression for each class.
func (l *labels) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	opts := evaluate.LabelOptions{Fractions: []float64{labelsFraction}, Seeds: fullOrders, Seed: l.seed, Workers: workers}
	if effort == Rough {
		opts.Seeds = 1
	}
	scores, err := evaluate.ClassifyLabels(ctx, m, l.labels, opts)
	if err != nil {
		return Judgement{}, fmt.Errorf("tune: %w", err)
	}
	s := scores[0]
	all := []Measure{{"micro_f1", s.MicroF1.Mean}, {"macro_f1", s.MacroF1.Mean}, {"accuracy", s.Accuracy.Mean}}
	return Judgement{Score: all[l.criterion].Value, Exact: effort != Rough, Measures: all}, nil
}
