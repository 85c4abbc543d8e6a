package links

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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

type describeModelRequest struct {
	model string
	all   bool // all properties, instead of one screen of them
}

var describeModel = &engine.Statement[*parser.DescribeModel, describeModelRequest, storage.ModelInfo, catalogue.ModelSummary]{
	Help: help.Statement{
		Statement: "DESCRIBE MODEL",
		Summary:   "reports the options of a model, its metrics on held-out pairs, and its calibration",
		Detail:    "It reports whether its graph and its embedding have changed since. It shows one screen of properties, and with ALL all of them",
		Words:     "info auc accuracy coefficients weights calibration",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeModel) describeModelRequest {
		return describeModelRequest{b.Name(entries.PartModel, s.Model), s.All}
	},
	From: func(request any) (describeModelRequest, bool) {
		model, is := request.(string)
		return describeModelRequest{model, true}, is
	},
	Resolve: func(c *engine.Call, req describeModelRequest) (storage.ModelInfo, error) {
		return entries.ModelInfo(c, req.model, entries.PartModel)
	},
	Plan: func(req describeModelRequest, _ storage.ModelInfo) *plan.Plan {
		return plan.Result("description", "of model "+fault.Name(req.model)+", from the catalogue")
	},
	Run: func(c *engine.Call, req describeModelRequest, info storage.ModelInfo) (catalogue.ModelSummary, error) {
		if !req.all {
			c.Notice("DESCRIBE MODEL %s ALL shows all properties", fault.Name(req.model))
		}
		return entries.SummaryOf(c, info)
	},
	Table: func(req describeModelRequest, d catalogue.ModelSummary) [][]rows.Value {
		if req.all {
			return describedModel(d)
		}
		return cells.Essential(describedModel(d), "model", "graph", "versions behind", "embeddings", "embedding ", "training pairs", "test pairs",
			"auc", "average precision", "map of 10 links", "recall of 10 links", "recall, more than the best scorer", "auc, scorers alone",
			"auc, negatives degree", "auc, negatives random", "brier", "calibration error", "created")
	},
	Reads: true,
}

// DescribeModel returns the provenance of a model and its metrics.
func (s *Service) DescribeModel(ctx context.Context, model string) (catalogue.ModelSummary, error) {
	return describeModel.Answer(ctx, s.db, describeModelRequest{model, true})
}

// describedModel has all properties.
func describedModel(d catalogue.ModelSummary) [][]rows.Value {
	table := [][]rows.Value{
		cells.Property("model", d.Name),
		cells.Property("graph", d.Graph),
		cells.Property("graph version", int64(d.GraphVersion)),
		cells.Property("versions behind", int64(d.Behind)),
		cells.Property("embeddings", string(d.Reads)),
	}
	add := func(name string, value rows.Value) { table = append(table, cells.Property(name, value)) }
	for _, e := range d.Embeddings {
		whose := ""
		if e.Own {
			whose = ", computed for the model"
		}
		add("embedding "+e.Name, fmt.Sprintf("%s, dim %s, generation %d%s", e.Method, engine.ValueOf(e.Settings, "dim"), e.Generation, whose))
	}
	for _, o := range d.Options {
		add("option "+o.Name, o.Value)
	}
	add("training pairs", int64(d.TrainingPairs))
	add("test pairs", int64(d.TestPairs))
	add("auc", ranged([3]float64{d.AUC, d.AUCLow, d.AUCHigh}))
	add("auc without isolated ends", fmt.Sprintf("%.4f; %.1f %% of the hidden edges have an isolated end", d.AUCConnected, 100*d.Isolated))
	add("average precision", d.AveragePrecision)
	add("map of 10 links", ranged(d.Ranking.MAP))
	add("map, more than the best scorer", ranged(d.Ranking.MAPGain))
	add("recall of 10 links", ranged(d.Ranking.Recall))
	add("recall, more than the best scorer", ranged(d.Ranking.RecallGain))
	alone("", d.Heuristics, add)
	for _, n := range d.ByNegatives {
		by := ", negatives " + n.Negatives
		add("auc"+by, ranged([3]float64{n.AUC, n.AUCLow, n.AUCHigh}))
		if n.NullAUC > 0 {
			add("auc"+by+", null graph", n.NullAUC)
		}
		add("average precision"+by, n.AveragePrecision)
		alone(by, n.Heuristics, add)
	}
	add("brier", d.Brier)
	add("calibration error", d.CalibrationError)
	for _, b := range d.Bins {
		add(fmt.Sprintf("calibration at %.4f", b.Predicted), fmt.Sprintf("%.4f of %s", b.Observed, fault.Count(int64(b.Pairs), "pair")))
	}
	add("seconds", d.Seconds)
	add("kernel", d.Kernel)
	add("created", cells.Timestamp(d.Created))
	add("bytes", d.Bytes)
	return table
}

// ranged is a figure with its interval.
func ranged(x [3]float64) string { return fmt.Sprintf("%.4f (%.4f to %.4f)", x[0], x[1], x[2]) }

// shownScorers is the number of single scorers that are shown of each measure; the JSON has all.
const shownScorers = 4

// alone adds the figures of the best single scorers.
func alone(by string, list []storage.HeuristicMeasure, add func(string, rows.Value)) {
	each := func(what string, figure func(storage.HeuristicMeasure) float64) {
		sorted := slices.Clone(list)
		slices.SortStableFunc(sorted, func(a, b storage.HeuristicMeasure) int { return cmp.Compare(figure(b), figure(a)) })
		var texts []string
		for _, h := range sorted[:min(len(sorted), shownScorers)] {
			text := fmt.Sprintf("%s %.4f", h.Name, figure(h))
			if what == "auc" && h.NullAUC > 0 {
				text += fmt.Sprintf(" (null %.4f)", h.NullAUC)
			}
			texts = append(texts, text)
		}
		if len(sorted) > 0 && figure(sorted[0]) > 0 {
			add(what+by+", scorers alone", strings.Join(texts, ", "))
		}
	}
	each("auc", func(h storage.HeuristicMeasure) float64 { return h.AUC })
	each("map", func(h storage.HeuristicMeasure) float64 { return h.MAP })
	each("recall", func(h storage.HeuristicMeasure) float64 { return h.Recall })
}
