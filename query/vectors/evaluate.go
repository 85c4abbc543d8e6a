package vectors

import (
	"context"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/sweep"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// This file has EVALUATE RECONSTRUCTION: it measures the same as RECONSTRUCT
// … AUTO, and in addition the power law of the degrees.

// EvaluateReconstructionRequest asks how well an embedding reconstructs its graph.
type EvaluateReconstructionRequest struct {
	Embedding string
	Grid      evaluate.Grid      // which radii are tried
	Points    int                // number of radii; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // the measure that decides which radius is best
	Laws      bool               // fit a power law to the degrees of every point, not only of the best

	all bool // the table has every point, not only the best
}

// EvaluateReconstructionResult is the answer of EvaluateReconstruction.
type EvaluateReconstructionResult struct {
	// Points are all measured reconstructions, by ascending radius. The best one has
	// the power law of its degrees; with Laws or the criterion ByKS every one has.
	Points []evaluate.ReconstructionPoint `json:"points"`
	Best   int                            `json:"best"` // index in Points of the best by the criterion
	// Null is the null of the rows: the best of vectors of the same lengths in random
	// directions.
	Null    *evaluate.ReconstructionPoint `json:"null,omitempty"`
	Notices []rows.Notice                 `json:"notices,omitempty"`
}

// sweep converts the request to one of RECONSTRUCT for the same measurements.
func (req EvaluateReconstructionRequest) sweep() ReconstructRequest {
	return ReconstructRequest{
		Embedding: req.Embedding, Auto: true, Grid: req.Grid, Points: req.Points, Criterion: req.Criterion,
		laws: req.Laws, bestLaw: true,
	}
}

var evaluateReconstruction = &engine.Statement[*parser.EvaluateReconstruction, EvaluateReconstructionRequest, swept, EvaluateReconstructionResult]{
	Help: help.Statement{
		Statement: "EVALUATE RECONSTRUCTION",
		Summary:   "measures how well an embedding reconstructs the degrees and edges of its graph, at the best of many distances",
		Detail:    sweep.Reading,
		Words:     "reconstruction quality paper pearson spearman f1 benchmark",
		Columns:   sweep.EvaluationColumns,
	},
	Schema: evaluateReconstructionSchema,
	Bind: func(b *engine.Binder, s *parser.EvaluateReconstruction) EvaluateReconstructionRequest {
		req := EvaluateReconstructionRequest{Embedding: b.Name(fault.Embedding, s.Embedding)}
		engine.Bind(b, parser.Heading(s), evaluateReconstructionSchema(), s.Options, &req)
		req.Laws = req.all
		return req
	},
	Resolve: func(c *engine.Call, req EvaluateReconstructionRequest) (swept, error) {
		return resolveReconstruct(c, req.sweep())
	},
	Plan: func(req EvaluateReconstructionRequest, found swept) *plan.Plan {
		return plan.Result("evaluation", "degree correlations, power law, precision, recall, f1 and h3, and the null of the rows", found.plan(radiiText(req.Grid, req.Criterion)))
	},
	Run: runEvaluateReconstruction,
	Table: func(req EvaluateReconstructionRequest, r EvaluateReconstructionResult) [][]rows.Value {
		return sweep.Rows(r.Points, r.Best, r.Null, req.all, sweep.EvaluationRow)
	},
	Reads: true,
}

func evaluateReconstructionSchema() option.Schema[EvaluateReconstructionRequest] {
	type request = EvaluateReconstructionRequest
	return sweep.Fields("it", func(r *request) *evaluate.Grid { return &r.Grid }, func(r *request) *int { return &r.Points },
		func(r *request) *evaluate.Criterion { return &r.Criterion }, func(r *request) *bool { return &r.all })
}

// EvaluateReconstruction measures the reconstructions of a graph from an
// embedding over a range of radii, as Reconstruct does with Auto, and fits a
// power law to the degrees. It stores nothing.
func (s *Service) EvaluateReconstruction(ctx context.Context, req EvaluateReconstructionRequest) (EvaluateReconstructionResult, error) {
	return evaluateReconstruction.Answer(ctx, s.db, req)
}

func runEvaluateReconstruction(c *engine.Call, req EvaluateReconstructionRequest, found swept) (EvaluateReconstructionResult, error) {
	r, err := runReconstruct(c, req.sweep(), found)
	return EvaluateReconstructionResult{Points: r.Points, Best: r.Best, Null: r.Null, Notices: r.Notices}, err
}
