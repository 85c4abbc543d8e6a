package query

import (
	"context"
	"errors"

	"heavytail/embedding"
	"heavytail/embedding/run"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/measure"
	"heavytail/query/parser"
)

// Estimate has the memory and time that computing an embedding would take.
type Estimate struct {
	Bytes   int64    `json:"bytes"`   // of memory, in addition to the memory in use now
	Limit   int64    `json:"limit"`   // of Options.MemoryLimit, which Bytes must not exceed
	Seconds float64  `json:"seconds"` // on this machine under its present load
	Dim     int      `json:"dim"`     // coordinates
	Method  string   `json:"method"`
	Notices []Notice `json:"notices,omitempty"`
}

var estimateEmbed = &statement[*parser.Estimate, EmbedRequest, chosen, Estimate]{
	help: Help{
		Statement: "ESTIMATE EMBED", Syntax: "ESTIMATE EMBED graph USING method[(option := value, …)] [AS embedding]",
		Summary: "predicts the memory and, from a short measurement, the time that EMBED would take on this machine",
		Columns: "graph, method, dim, bytes, limit, seconds",
		Example: "ESTIMATE EMBED social USING dp_walker(dim := 128)",
	},
	bind: func(b *binder, s *parser.Estimate) EmbedRequest {
		s.Background = false // the estimate itself is computed at once
		return bindEmbed(b, &s.Embed)
	},
	resolve: func(c *call, req EmbedRequest) (found chosen, err error) {
		if found.configured, err = configureEmbed(req.Method, req.Settings, req.Using); err != nil {
			return found, err
		}
		if req.Name != "" {
			if _, err := c.nextGeneration(req.Name, req.Graph); err != nil {
				return found, err
			}
		}
		return c.reads(found, req.Graph)
	},
	plan: func(_ EmbedRequest, found chosen) *plan.Plan {
		return plan.Result("estimate", "of memory and time of "+found.text().String(),
			plan.Measured(plan.Solve, "measurement", "of its kernels, on the graph", found.inputs()...))
	},
	run: runEstimate,
	table: func(req EmbedRequest, r Estimate) [][]Value {
		return [][]Value{{req.Graph, r.Method, int64(r.Dim), r.Bytes, r.Limit, when(r.Seconds > 0, r.Seconds)}}
	},
	reads: true,
}

// EstimateEmbed predicts what Embed would take; the embedding needs no name. The
// time comes from measurements on the graph that take some tenths of a second. On an
// idle machine it is accurate to some tens of per cent for methods that train on
// walks, and usually to a factor of three for spectral methods, whose spectrum is
// unknown before. Embed itself fails if it would take more memory than allowed.
func (db *DB) EstimateEmbed(ctx context.Context, req EmbedRequest) (Estimate, error) {
	return estimateEmbed.answer(ctx, db, req)
}

func runEstimate(c *call, req EmbedRequest, found chosen) (Estimate, error) {
	graph, err := c.Graph(req.Graph, fault.Graph)
	if err != nil {
		return Estimate{}, err
	}
	estimate := Estimate{Bytes: found.spec(graph).Bytes(), Limit: c.db.opts.MemoryLimit, Dim: int(found.dim(graph.Graph.Vertices())), Method: found.method.Name}
	release, err := c.db.cache.Reserve(estimate.Bytes, found.purpose(req.Graph))
	if err != nil {
		c.Notice("it would be refused: %v", err)
		estimate.Notices = c.Notices
		return estimate, nil
	}
	defer release() // measuring takes as much memory as computing
	stop := c.Watch.Start(plan.Solve)
	estimate.Seconds, err = run.Seconds(c.Ctx, graph.Graph, found.method.Name, found.options, c.db.opts.Workers)
	stop(0, "")
	if errors.Is(err, embedding.ErrEntries) {
		c.Notice("it would be refused: %v", err)
		err = nil
	}
	estimate.Notices = c.Notices
	return estimate, err
}

// ComputeEstimate has the memory and time that computing a measure would take.
type ComputeEstimate struct {
	Measure string   `json:"measure"`
	Sources int      `json:"sources,omitempty"` // number of vertices from which paths would be computed
	Bytes   int64    `json:"bytes"`             // of memory, in addition to the memory in use now
	Limit   int64    `json:"limit"`             // of Options.MemoryLimit, which Bytes must not exceed
	Seconds float64  `json:"seconds"`           // on this machine under its present load
	Notices []Notice `json:"notices,omitempty"`
}

var estimateCompute = &statement[*parser.EstimateCompute, ComputeRequest, computable, ComputeEstimate]{
	help: Help{
		Statement: "ESTIMATE COMPUTE", Syntax: "ESTIMATE COMPUTE measure[(option := value, …)] IN graph [FROM vertex, …] [AS attribute]",
		Summary: "predicts the memory and, from a short measurement, the time that COMPUTE would take on this machine; for measures of paths, sources is the number of vertices from which paths would be computed",
		Columns: "graph, measure, sources, bytes, limit, seconds",
		Example: "ESTIMATE COMPUTE betweenness IN social",
	},
	bind: func(b *binder, s *parser.EstimateCompute) ComputeRequest {
		s.Background = false // the estimate itself is computed at once
		return bindCompute(b, &s.Compute)
	},
	resolve: func(c *call, req ComputeRequest) (computable, error) {
		req.As = "" // an estimate stores nothing
		return resolveCompute(c, req)
	},
	plan: func(_ ComputeRequest, found computable) *plan.Plan {
		return plan.Result("estimate", "of memory and time of "+found.call().String(),
			plan.Measured(plan.Solve, "measurement", "of parts of it, on the graph", session.GraphPlan(found.graph)))
	},
	run: runEstimateCompute,
	table: func(req ComputeRequest, r ComputeEstimate) [][]Value {
		return [][]Value{{req.Graph, r.Measure, when(r.Sources > 0, int64(r.Sources)), r.Bytes, r.Limit, when(r.Seconds > 0, r.Seconds)}}
	},
	reads: true,
}

// EstimateCompute predicts what Compute would take, with an attribute or without. The time
// comes from measurements on the graph, of an iteration or of a few searches: on an idle
// machine it is mostly accurate to a factor of two; for eigenvector, katz and
// eccentricity, whose number of steps is unknown before, to a factor of three or more.
func (db *DB) EstimateCompute(ctx context.Context, req ComputeRequest) (ComputeEstimate, error) {
	return estimateCompute.answer(ctx, db, req)
}

func runEstimateCompute(c *call, req ComputeRequest, found computable) (ComputeEstimate, error) {
	estimate := ComputeEstimate{Measure: found.measure.Name, Bytes: found.spec(req).Bytes(), Limit: c.db.opts.MemoryLimit}
	release, err := c.db.cache.Reserve(estimate.Bytes, found.purpose())
	if err != nil {
		c.Notice("it would be refused: %v", err)
		estimate.Notices = c.Notices
		return estimate, nil
	}
	defer release() // measuring takes as much memory as computing
	view, err := c.Graph(req.Graph, fault.Graph)
	if err != nil {
		return estimate, err
	}
	m := measuring{Context: c.Ctx, Work: measure.Work{Workers: c.db.opts.Workers}, Settings: found.settings, g: view.Graph}
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
	weighted := m.Weights != "" && (with.Settings["weighted"] == nil || with.Bool("weighted"))
	e, err := measure.NewEstimator(with.g, with.Work, weighted)
	if err != nil {
		return 0, 0, err
	}
	return m.seconds(with, e)
}
