package query

import (
	"context"
	"fmt"

	"heavytail/embedding/link"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
	"heavytail/storage"
)

// ModelDescription is everything that determined a model, its metrics on held-out
// pairs, and the changes since.
type ModelDescription struct {
	ModelInfo
	Behind  uint64        `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	Weights []link.Weight `json:"weights"`
	// Reads is the present state of the embedding that the model reads.
	Reads ModelReads            `json:"reads"`
	Now   storage.EmbeddingInfo `json:"now,omitzero"` // present entry of the embedding; zero if it was dropped, or the model reads none
}

var describeModel = &statement[*parser.DescribeModel, string, ModelInfo, ModelDescription]{
	help: Help{
		Statement: "DESCRIBE MODEL", Syntax: "DESCRIBE MODEL model",
		Summary: "reports the options of a link prediction model, its metrics on held-out pairs, how well its probabilities are calibrated, and whether its graph and embedding have changed since",
		Columns: "property, value",
		Example: "DESCRIBE MODEL friends",
	},
	bind:    func(b *binder, s *parser.DescribeModel) string { return b.name(partModel, s.Model) },
	resolve: func(c *call, model string) (ModelInfo, error) { return c.modelInfo(model, partModel) },
	plan: func(model string, _ ModelInfo) *plan.Plan {
		return plan.Result("description", "of model "+fault.Name(model)+", from the catalogue")
	},
	run:   runDescribeModel,
	table: func(_ string, d ModelDescription) [][]Value { return d.rows() },
	reads: true,
}

// DescribeModel returns the provenance of a model and its metrics.
func (db *DB) DescribeModel(ctx context.Context, model string) (ModelDescription, error) {
	return describeModel.answer(ctx, db, model)
}

func runDescribeModel(c *call, model string, _ ModelInfo) (ModelDescription, error) {
	info, m, err := c.readModel(model, partModel)
	if err != nil {
		return ModelDescription{}, err
	}
	d := ModelDescription{ModelInfo: info, Weights: m.Weights()}
	if d.Behind, err = c.behind(info.Graph, info.GraphVersion); err != nil {
		return ModelDescription{}, err
	}
	if d.Reads, d.Now, err = c.readsOf(info); err != nil {
		return ModelDescription{}, err
	}
	return d, nil
}

func (d ModelDescription) rows() [][]Value {
	table := [][]Value{
		property("model", d.Name),
		property("graph", d.Graph),
		property("graph version", int64(d.GraphVersion)),
		property("versions behind", int64(d.Behind)),
		property("embedding", string(d.Reads)),
	}
	if d.Embedding != "" {
		table = append(table,
			property("embedding name", d.Embedding),
			property("embedding generation", int64(d.Generation)),
			property("embedding method", d.Method))
		for _, o := range d.Settings {
			table = append(table, property("embedding option "+o.Name, o.Value))
		}
	}
	for _, o := range d.Options {
		table = append(table, property("option "+o.Name, o.Value))
	}
	interval := func(of string, low, high float64) {
		if high > 0 { // models of earlier versions have none
			table = append(table, property("auc interval"+of, fmt.Sprintf("%.4f to %.4f", low, high)))
		}
	}
	table = append(table,
		property("training pairs", int64(d.TrainingPairs)),
		property("test pairs", int64(d.TestPairs)),
		property("auc", d.AUC))
	interval("", d.AUCLow, d.AUCHigh)
	table = append(table,
		property("average precision", d.AveragePrecision),
		property("brier", d.Brier),
		property("calibration error", d.CalibrationError))
	for _, b := range d.Bins {
		table = append(table, property(fmt.Sprintf("calibration at %.4f", b.Predicted), fmt.Sprintf("%.4f of %s", b.Observed, fault.Count(int64(b.Pairs), "pair"))))
	}
	for _, h := range d.Heuristics {
		table = append(table, property("auc of "+h.Name+" alone", h.AUC))
	}
	for _, n := range d.ByNegatives {
		by := ", negatives " + n.Negatives
		null := func(what string, figure float64) {
			if figure > 0 {
				table = append(table, property(what+by+", null graph", figure))
			}
		}
		table = append(table, property("test pairs"+by, int64(n.Pairs)), property("auc"+by, n.AUC))
		interval(by, n.AUCLow, n.AUCHigh)
		null("auc", n.NullAUC)
		table = append(table, property("average precision"+by, n.AveragePrecision))
		null("average precision", n.NullAveragePrecision)
		for _, h := range n.Heuristics {
			alone := "auc of " + h.Name + " alone"
			table = append(table, property(alone+by, h.AUC))
			null(alone, h.NullAUC)
		}
	}
	for _, w := range d.Weights {
		if w.Embedding {
			table = append(table, property("weights of "+w.Name, fmt.Sprintf("%s, of norm %.4g", fault.Count(int64(w.Values), "value"), w.Weight)))
			continue
		}
		table = append(table, property("weight of "+w.Name, w.Weight))
	}
	return append(table,
		property("seconds", d.Seconds),
		property("kernel", d.Kernel),
		property("created", timestamp(d.Created)),
		property("bytes", d.Bytes))
}
