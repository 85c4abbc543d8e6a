package tune

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// LinkCriterion is what the objective of links asks for.
type LinkCriterion uint8

// The criteria, each of a logistic regression on features of pairs.
const (
	ByAUC LinkCriterion = iota
	ByLinkF1
	ByAveragePrecision
)

// surveyTraining is the number of edges to learn from in the survey.
const surveyTraining = 2000

// links judges how well edges that were held out are told from pairs that are
// none, by a model that learns from the vectors of the others.
type links struct {
	split, small *evaluate.LinkSplit // the same, small with fewer pairs to learn from
	criterion    LinkCriterion
}

// Links returns the objective of predicting the edges of a graph that a split
// holds out: candidates embed the rest of the graph.
//
// The edges that candidates are compared by are held out of what they see, but
// not of the choice between them, so that the best figure of a search is a
// little too good: measure the winner with another seed.
func Links(ctx context.Context, g *csr.Graph, opts evaluate.SplitOptions, criterion LinkCriterion) (Objective, error) {
	if criterion > ByAveragePrecision {
		return nil, fmt.Errorf("%w: criterion %d of links", ErrOptions, criterion)
	}
	split, err := evaluate.SplitLinks(ctx, g, opts)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	small := *split
	small.TrainEdges = split.TrainEdges[:min(len(split.TrainEdges), surveyTraining)]
	small.TrainNonEdges = split.TrainNonEdges[:min(len(split.TrainNonEdges), surveyTraining)]
	return &links{split, &small, criterion}, nil
}

func (l *links) Graph() *csr.Graph { return l.split.Graph }

// Judge learns from the default feature.
func (l *links) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	split := l.split
	if effort == Rough {
		split = l.small
	}
	scores, err := split.Score(ctx, m, evaluate.LinkOptions{Scorers: []string{}, Workers: workers})
	if err != nil {
		return Judgement{}, fmt.Errorf("tune: %w", err)
	}
	s := scores[0]
	j := Judgement{Score: s.AUC, Exact: effort != Rough, Measures: []Measure{
		{"auc", s.AUC}, {"average_precision", s.AveragePrecision},
		{"precision", s.Precision}, {"recall", s.Recall}, {"f1", s.F1},
	}}
	switch l.criterion {
	case ByLinkF1:
		j.Score = s.F1
	case ByAveragePrecision:
		j.Score = s.AveragePrecision
	}
	return j, nil
}
