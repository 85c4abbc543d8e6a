package query

import "strings"

// This file runs the statements of models.

type trainModelOp struct {
	req        TrainModelRequest
	found      *modelTraining
	background bool
}

func (o *trainModelOp) spec(*call) jobSpec { return o.found.spec(o.req) }

func (o *trainModelOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.trainModel(o.req)
	if err != nil {
		return nil, err
	}
	var best, auc Value
	if h := bestHeuristic(r.ModelInfo); h.Name != "" {
		best, auc = h.Name, h.AUC
	}
	return rowsOf([]string{"model", "terms", "auc", "average_precision", "brier", "calibration_error", "best_single", "best_single_auc", "seconds"},
		[][]Value{{r.Name, strings.Join(r.Terms, ", "), r.AUC, r.AveragePrecision, r.Brier, r.CalibrationError, best, auc, r.Seconds}}), nil
}

type dropModelOp struct{ model string }

func (o *dropModelOp) exec(c *call) (*Rows, error) { return none(), c.dropModel(o.model) }

type describeModelOp struct{ model string }

func (o *describeModelOp) exec(c *call) (*Rows, error) {
	d, err := c.describeModel(o.model)
	return rowsOf([]string{"property", "value"}, d.rows()), err
}

// modelRows is the table of SHOW MODELS.
func modelRows(list []ModelSummary) *Rows {
	table := make([][]Value, len(list))
	for i, m := range list {
		var embedding, best, auc Value
		if m.Embedding != "" {
			embedding = m.Embedding
		}
		if h := m.Best(); h.Name != "" {
			best, auc = h.Name, h.AUC
		}
		table[i] = []Value{m.Name, m.Graph, embedding, strings.Join(m.Terms, ", "), m.AUC, m.AveragePrecision, m.CalibrationError, best, auc, int64(m.Behind), timestamp(m.Created)}
	}
	return rowsOf([]string{"model", "graph", "embedding", "terms", "auc", "average_precision", "calibration_error", "best_single", "best_single_auc", "behind", "created"}, table)
}
