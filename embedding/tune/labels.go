package tune

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// LabelCriterion is the criterion of the objective of labels.
type LabelCriterion uint8

// The criteria: means over random orders of the vertices.
const (
	ByMicroF1 LabelCriterion = iota
	ByMacroF1
	ByLabelAccuracy
)

// The number of random orders over which a close judgement of classification
// is averaged, and the fraction of the vertices to train on.
const (
	closeOrders    = 3
	labelsFraction = 0.5
)

// labels judges how well vectors predict the classes of vertices.
type labels struct {
	g         *csr.Graph
	all       evaluate.Labels
	known     evaluate.Labels // without the classes reserved for confirmation
	seed      uint64
	criterion LabelCriterion
}

// Labels returns the objective of classifying the vertices of a graph after
// training on half of those that have a class.
// The half of the vertices that evaluate.ClassifyLabels tests with this seed
// in its first order is reserved for confirmation. Candidates are chosen by
// the classes of the other half, of which half train and half test, in one
// random order in the survey and in three later. An exact judgement is that of
// ClassifyLabels.
func Labels(g *csr.Graph, classes evaluate.Labels, seed uint64, criterion LabelCriterion) (Objective, error) {
	if criterion > ByLabelAccuracy {
		return nil, fmt.Errorf("%w: criterion %d of labels", ErrOptions, criterion)
	}
	return &labels{g, classes, classes.Training(labelsFraction, seed), seed, criterion}, nil
}

func (l *labels) Graph(Effort) *csr.Graph { return l.g }

func (l *labels) CloseIs() Closeness { return Apart }

// Judge trains a logistic regression for each class.
func (l *labels) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	opts := evaluate.LabelOptions{Fractions: []float64{labelsFraction}, Seeds: 1, Seed: l.seed, Workers: workers}
	classes := l.known
	switch effort {
	case Close:
		opts.Seeds = closeOrders
	case Exact:
		classes = l.all
	}
	scores, err := evaluate.ClassifyLabels(ctx, m, classes, opts)
	if err != nil {
		return Judgement{}, err
	}
	s := scores[0]
	all := []Measure{{"micro_f1", s.MicroF1.Mean}, {"macro_f1", s.MacroF1.Mean}, {"accuracy", s.Accuracy.Mean}}
	return Judgement{Score: all[l.criterion].Value, Measures: all}, nil
}
