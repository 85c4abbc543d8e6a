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
	given [][]setting // of each method
	found *linkTrial
	texts []string // the methods in the language
}

func (o *evaluateLinksOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateLinks(o.req, o.given)
	if err != nil {
		return nil, err
	}
	table := make([][]Value, len(r.Scores))
	for i, s := range r.Scores {
		var method Value
		if s.Method >= 0 {
			method = o.texts[s.Method]
		}
		table[i] = append([]Value{method}, linkRow(s.LinkScore)...)
	}
	return rowsOf([]string{"method", "scorer", "auc", "average_precision", "precision", "recall", "f1", "hits"}, table), nil
}

// linkRow is the score of a scorer or model.
func linkRow(s evaluate.LinkScore) []Value {
	scorer := s.Scorer
	if s.Learned {
		scorer = "logistic(" + s.Scorer + ")"
	}
	return []Value{scorer, number(s.AUC), number(s.AveragePrecision), number(s.Precision), number(s.Recall), number(s.F1), number(s.Hits)}
}

type evaluateLabelsOp struct {
	req     EvaluateLabelsRequest
	found   *labelling
	classes bool // show every class
}

func (o *evaluateLabelsOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateLabels(o.req)
	if err != nil {
		return nil, err
	}
	if o.classes {
		return classRows(r), nil
	}
	table := make([][]Value, len(r.Scores))
	for i, s := range r.Scores {
		table[i] = []Value{
			s.Fraction, int64(s.Train), int64(s.Test), number(s.MicroF1.Mean), number(s.MicroF1.Deviation),
			number(s.MacroF1.Mean), number(s.MacroF1.Deviation), number(s.Accuracy.Mean), number(s.Accuracy.Deviation),
		}
	}
	return rowsOf([]string{
		"fraction", "train", "test", "micro_f1", "micro_f1_deviation",
		"macro_f1", "macro_f1_deviation", "accuracy", "accuracy_deviation",
	}, table), nil
}

// classRows are the scores of every class at every fraction.
func classRows(r EvaluateLabelsResult) *Rows {
	var table [][]Value
	for _, s := range r.Scores {
		for i, class := range s.Classes {
			table = append(table, []Value{
				s.Fraction, r.Classes[i], number(class.Vertices.Mean), number(class.Accuracy.Mean), number(class.Accuracy.Deviation),
				number(class.Precision.Mean), number(class.F1.Mean), number(class.F1.Deviation),
			})
		}
	}
	return rowsOf([]string{"fraction", "class", "test", "accuracy", "accuracy_deviation", "precision", "f1", "f1_deviation"}, table)
}
