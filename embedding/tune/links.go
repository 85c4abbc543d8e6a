package tune

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// LinkCriterion is the criterion of the objective of links.
type LinkCriterion uint8

// The criteria, each of a logistic regression on features of pairs.
const (
	ByAUC LinkCriterion = iota
	ByLinkF1
	ByAveragePrecision
)

// surveyTraining is the number of edges to learn from in the survey.
const surveyTraining = 2000

// links judges how well held-out edges are separated from non-edges,
// by a model that learns from the vectors of the other edges.
type links struct {
	last         *evaluate.LinkSplit // split of the graph; its held-out edges are reserved for confirmation
	split, small *evaluate.LinkSplit // splits of the remaining graph; small has fewer training pairs
	criterion    LinkCriterion
}

// Links returns the objective of predicting edges of a graph that are held out.
//
// The edges that evaluate.SplitLinks holds out with these options are reserved
// for confirmation. Candidates are chosen by a second split of the remaining
// graph, with the same options and the next seed, so that the choice cannot
// depend on the reserved edges. An exact judgement embeds the remaining graph
// of the first split and scores its held-out edges.
func Links(ctx context.Context, g *csr.Graph, opts evaluate.SplitOptions, criterion LinkCriterion) (Objective, error) {
	if criterion > ByAveragePrecision {
		return nil, fmt.Errorf("%w: criterion %d of links", ErrOptions, criterion)
	}
	last, err := evaluate.SplitLinks(ctx, g, opts)
	if err != nil {
		return nil, err
	}
	opts.Seed++
	split, err := evaluate.SplitLinks(ctx, last.Graph, opts)
	if err != nil {
		return nil, fmt.Errorf("to choose between candidates: %w", err)
	}
	small := *split
	small.TrainEdges = split.TrainEdges[:min(len(split.TrainEdges), surveyTraining)]
	small.TrainNonEdges = split.TrainNonEdges[:min(len(split.TrainNonEdges), surveyTraining)]
	return &links{last, split, &small, criterion}, nil
}

func (l *links) Graph(effort Effort) *csr.Graph {
	if effort == Exact {
		return l.last.Graph
	}
	return l.split.Graph
}

func (l *links) CloseIs() Closeness { return Apart }

// Judge trains on the default feature.
func (l *links) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	split := l.split
	switch effort {
	case Rough:
		split = l.small
	case Exact:
		split = l.last
	}
	scores, err := split.Score(ctx, m, evaluate.LinkOptions{Scorers: []string{}, Workers: workers})
	if err != nil {
		return Judgement{}, err
	}
	s := scores[0]
	j := Judgement{Score: s.AUC, Measures: []Measure{
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
