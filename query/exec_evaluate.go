package query

import (
	"math"
	"slices"

	"heavytail/embedding/evaluate"
)

// This file runs the statements that judge embeddings.

type evaluateReconstructionOp struct {
	req   EvaluateReconstructionRequest
	found *reconstruction
	sweep bool // show all points
}

func (o *evaluateReconstructionOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateReconstruction(o.req)
	if err != nil {
		return nil, err
	}
	columns := []string{"epsilon", "radius", "edges", "pearson", "spearman", "kendall", "alpha", "xmin", "ks", "precision", "recall"}
	return pointRows(columns, r.Points, r.Best, o.sweep, evaluationRow), nil
}

// evaluationRow is a point with the power law of its degrees.
func evaluationRow(p evaluate.ReconstructionPoint) []Value {
	var xmin Value
	alpha := math.NaN()
	if p.Law.Xmin > 0 {
		alpha, xmin = p.Law.Alpha, int64(p.Law.Xmin)
	}
	row := pointRow(p)
	return slices.Insert(row, len(row)-2, number(alpha), xmin, number(p.KS()))
}

type evaluateLinksOp struct {
	req   EvaluateLinksRequest
	given []setting
	found *linkTrial
	text  string // the method in the language
}

func (o *evaluateLinksOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateLinks(o.req, o.given)
	if err != nil {
		return nil, err
	}
	table := make([][]Value, len(r.Scores))
	for i, s := range r.Scores {
		scorer := s.Scorer
		if s.Learned {
			scorer = "logistic(" + s.Scorer + ")"
		}
		table[i] = []Value{scorer, number(s.AUC), number(s.AveragePrecision), number(s.Precision), number(s.Recall), number(s.F1), number(s.Hits)}
	}
	return rowsOf([]string{"scorer", "auc", "average_precision", "precision", "recall", "f1", "hits"}, table), nil
}
