package links

import (
	"context"
	"fmt"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// ModelDescription is everything that determined a model, its metrics on held-out
// pairs, and the changes since.
type ModelDescription struct {
	storage.ModelInfo
	Behind  uint64        `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	Weights []link.Weight `json:"weights"`
	// Reads is the present state of the embedding that the model reads.
	Reads catalogue.ModelReads  `json:"reads"`
	Now   storage.EmbeddingInfo `json:"now,omitzero"` // present entry of the embedding; zero if it was dropped, or the model reads none
}

var describeModel = &engine.Statement[*parser.DescribeModel, string, storage.ModelInfo, ModelDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE MODEL",
		Summary:   "reports the options of a model, its metrics on held-out pairs, and its calibration",
		Detail:    "It reports whether its graph and its embedding have changed since",
		Words:     "info auc accuracy coefficients weights calibration",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeModel) string { return b.Name(entries.PartModel, s.Model) },
	Resolve: func(c *engine.Call, model string) (storage.ModelInfo, error) {
		return entries.ModelInfo(c, model, entries.PartModel)
	},
	Plan: func(model string, _ storage.ModelInfo) *plan.Plan {
		return plan.Result("description", "of model "+fault.Name(model)+", from the catalogue")
	},
	Run:   runDescribeModel,
	Table: func(_ string, d ModelDescription) [][]rows.Value { return d.rows() },
	Reads: true,
}

// DescribeModel returns the provenance of a model and its metrics.
func (s *Service) DescribeModel(ctx context.Context, model string) (ModelDescription, error) {
	return describeModel.Answer(ctx, s.db, model)
}

func runDescribeModel(c *engine.Call, model string, _ storage.ModelInfo) (ModelDescription, error) {
	info, m, err := readModel(c, model, entries.PartModel)
	if err != nil {
		return ModelDescription{}, err
	}
	d := ModelDescription{ModelInfo: info, Weights: m.Weights()}
	if d.Behind, err = entries.Behind(c, info.Graph, info.GraphVersion); err != nil {
		return ModelDescription{}, err
	}
	if d.Reads, d.Now, err = entries.ReadsOf(c, info); err != nil {
		return ModelDescription{}, err
	}
	return d, nil
}

func (d ModelDescription) rows() [][]rows.Value {
	table := [][]rows.Value{
		cells.Property("model", d.Name),
		cells.Property("graph", d.Graph),
		cells.Property("graph version", int64(d.GraphVersion)),
		cells.Property("versions behind", int64(d.Behind)),
		cells.Property("embedding", string(d.Reads)),
	}
	if d.Embedding != "" {
		table = append(table,
			cells.Property("embedding name", d.Embedding),
			cells.Property("embedding generation", int64(d.Generation)),
			cells.Property("embedding method", d.Method))
		for _, o := range d.Settings {
			table = append(table, cells.Property("embedding option "+o.Name, o.Value))
		}
	}
	for _, o := range d.Options {
		table = append(table, cells.Property("option "+o.Name, o.Value))
	}
	interval := func(of string, low, high float64) {
		if high > 0 { // models of earlier versions have none
			table = append(table, cells.Property("auc interval"+of, fmt.Sprintf("%.4f to %.4f", low, high)))
		}
	}
	table = append(table,
		cells.Property("training pairs", int64(d.TrainingPairs)),
		cells.Property("test pairs", int64(d.TestPairs)),
		cells.Property("auc", d.AUC))
	interval("", d.AUCLow, d.AUCHigh)
	table = append(table,
		cells.Property("average precision", d.AveragePrecision),
		cells.Property("brier", d.Brier),
		cells.Property("calibration error", d.CalibrationError))
	for _, b := range d.Bins {
		table = append(table, cells.Property(fmt.Sprintf("calibration at %.4f", b.Predicted), fmt.Sprintf("%.4f of %s", b.Observed, fault.Count(int64(b.Pairs), "pair"))))
	}
	for _, h := range d.Heuristics {
		table = append(table, cells.Property("auc of "+h.Name+" alone", h.AUC))
	}
	for _, n := range d.ByNegatives {
		by := ", negatives " + n.Negatives
		null := func(what string, figure float64) {
			if figure > 0 {
				table = append(table, cells.Property(what+by+", null graph", figure))
			}
		}
		table = append(table, cells.Property("test pairs"+by, int64(n.Pairs)), cells.Property("auc"+by, n.AUC))
		interval(by, n.AUCLow, n.AUCHigh)
		null("auc", n.NullAUC)
		table = append(table, cells.Property("average precision"+by, n.AveragePrecision))
		null("average precision", n.NullAveragePrecision)
		for _, h := range n.Heuristics {
			alone := "auc of " + h.Name + " alone"
			table = append(table, cells.Property(alone+by, h.AUC))
			null(alone, h.NullAUC)
		}
	}
	for _, w := range d.Weights {
		if w.Embedding {
			table = append(table, cells.Property("weights of "+w.Name, fmt.Sprintf("%s, of norm %.4g", fault.Count(int64(w.Values), "value"), w.Weight)))
			continue
		}
		table = append(table, cells.Property("weight of "+w.Name, w.Weight))
	}
	return append(table,
		cells.Property("seconds", d.Seconds),
		cells.Property("kernel", d.Kernel),
		cells.Property("created", cells.Timestamp(d.Created)),
		cells.Property("bytes", d.Bytes))
}
