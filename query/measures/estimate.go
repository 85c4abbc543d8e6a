package measures

import (
	"context"

	"heavytail/query/algorithms"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// ComputeEstimate has the memory and time that computing a measure would take.
type ComputeEstimate struct {
	Measure string        `json:"measure"`
	Sources int           `json:"sources,omitempty"` // number of vertices from which paths would be computed
	Bytes   int64         `json:"bytes"`             // of memory, in addition to the memory in use now
	Limit   int64         `json:"limit"`             // of Options.MemoryLimit, which Bytes must not exceed
	Seconds float64       `json:"seconds"`           // on this machine under its present load
	Notices []rows.Notice `json:"notices,omitempty"`
}

var estimateCompute = &engine.Statement[*parser.EstimateCompute, ComputeRequest, computable, ComputeEstimate]{
	Help: help.Statement{
		Statement: "ESTIMATE COMPUTE",
		Summary:   "predicts the memory and the time that COMPUTE would take on this machine",
		Detail:    "The time is from a short measurement. For measures of paths, sources is the number of vertices from which paths would be computed",
		Words:     "cost how long duration memory",
		Columns:   "graph, measure, sources, bytes, limit, seconds",
	},
	Bind: func(b *engine.Binder, s *parser.EstimateCompute) ComputeRequest {
		s.Background = false // the estimate itself is computed at once
		return bindCompute(b, &s.Compute)
	},
	Resolve: func(c *engine.Call, req ComputeRequest) (computable, error) {
		req.As = "" // an estimate stores nothing
		return resolveCompute(c, req)
	},
	Plan: func(_ ComputeRequest, found computable) *plan.Plan {
		return plan.Result("estimate", "of memory and time of "+found.call().String(),
			plan.Measured(plan.Solve, "measurement", "of parts of it, on the graph", session.GraphPlan(found.graph)))
	},
	Run: runEstimateCompute,
	Table: func(req ComputeRequest, r ComputeEstimate) [][]rows.Value {
		return [][]rows.Value{{req.Graph, r.Measure, cells.When(r.Sources > 0, int64(r.Sources)), r.Bytes, r.Limit, cells.When(r.Seconds > 0, r.Seconds)}}
	},
	Reads: true,
}

// Estimate predicts what Compute would take, with an attribute or without. The time
// comes from measurements on the graph, of an iteration or of a few searches: on an idle
// machine it is mostly accurate to a factor of two; for eigenvector, katz and
// eccentricity, whose number of steps is unknown before, to a factor of three or more.
func (s *Service) Estimate(ctx context.Context, req ComputeRequest) (ComputeEstimate, error) {
	return estimateCompute.Answer(ctx, s.db, req)
}

func runEstimateCompute(c *engine.Call, req ComputeRequest, found computable) (ComputeEstimate, error) {
	estimate := ComputeEstimate{Measure: found.measure.Name, Bytes: found.spec(req).Bytes(), Limit: c.DB.Opts.MemoryLimit}
	release, err := c.DB.Cache.Reserve(estimate.Bytes, found.purpose())
	if err != nil {
		c.Notice("it would be refused: %v", err)
		estimate.Notices = c.Notices
		return estimate, nil
	}
	defer release() // measuring takes as much memory as computing
	view, directed, err := found.read(c)
	if err != nil {
		return estimate, err
	}
	m := measuring{Context: c.Ctx, Work: algorithms.Work{Workers: c.DB.Opts.Workers}, options: found.options, g: view.Graph, d: directed}
	stop := c.Watch.Start(plan.Solve)
	var computeErr error
	waited := c.Await(func() { estimate.Seconds, estimate.Sources, computeErr = found.measure.estimate(m) })
	if waited != nil {
		return ComputeEstimate{}, waited
	}
	stop(0, "")
	estimate.Notices = c.Notices
	return estimate, measureMistake(found.measure, computeErr)
}

// estimate predicts the time of the measure.
func (m Measure) estimate(with measuring) (seconds float64, sources int, err error) {
	weighted := m.Weights != "" && with.useWeights
	var e algorithms.Estimator
	if with.d != nil {
		e, err = algorithms.NewDirectedEstimator(with.along(), with.Work, weighted)
	} else {
		e, err = algorithms.NewEstimator(with.g, with.Work, weighted)
	}
	if err != nil {
		return 0, 0, err
	}
	return m.seconds(with, e)
}
