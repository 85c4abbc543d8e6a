package vectors

import (
	"context"
	"errors"

	"heavytail/embedding"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/methods"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// Estimate has the memory and time that computing an embedding would take.
type Estimate struct {
	Bytes   int64         `json:"bytes"`   // of memory, in addition to the memory in use now
	Limit   int64         `json:"limit"`   // of Options.MemoryLimit, which Bytes must not exceed
	Seconds float64       `json:"seconds"` // on this machine under its present load
	Dim     int           `json:"dim"`     // coordinates
	Method  string        `json:"method"`
	Notices []rows.Notice `json:"notices,omitempty"`
}

var estimateEmbed = &engine.Statement[*parser.Estimate, EmbedRequest, chosen, Estimate]{
	Help: help.Statement{
		Statement: "ESTIMATE EMBED",
		Summary:   "predicts the memory and the time that EMBED would take on this machine",
		Detail:    "The time is from a short measurement",
		Words:     "cost how long duration memory",
		Columns:   "graph, method, dim, bytes, limit, seconds",
	},
	Bind: func(b *engine.Binder, s *parser.Estimate) EmbedRequest {
		s.Background = false // the estimate itself is computed at once
		return bindEmbed(b, &s.Embed)
	},
	Resolve: func(c *engine.Call, req EmbedRequest) (found chosen, err error) {
		if found.Configured, err = methods.ConfigureEmbed(req.Method, req.Settings, req.Using); err != nil {
			return found, err
		}
		if req.Name != "" {
			if _, err := entries.NextGeneration(c, req.Name, req.Graph); err != nil {
				return found, err
			}
		}
		return reads(c, found, req.Graph)
	},
	Plan: func(_ EmbedRequest, found chosen) *plan.Plan {
		return plan.Result("estimate", "of memory and time of "+found.Text().String(),
			plan.Measured(plan.Solve, "measurement", "of its kernels, on the graph", found.inputs()...))
	},
	Run: runEstimate,
	Table: func(req EmbedRequest, r Estimate) [][]rows.Value {
		return [][]rows.Value{{req.Graph, r.Method, int64(r.Dim), r.Bytes, r.Limit, cells.When(r.Seconds > 0, r.Seconds)}}
	},
	Reads: true,
}

// Estimate predicts what Embed would take; the embedding needs no name. The
// time comes from measurements on the graph that take some tenths of a second. On an
// idle machine it is accurate to some tens of per cent for methods that train on
// walks, and usually to a factor of three for spectral methods, whose spectrum is
// unknown before. Embed itself fails if it would take more memory than allowed.
func (s *Service) Estimate(ctx context.Context, req EmbedRequest) (Estimate, error) {
	return estimateEmbed.Answer(ctx, s.db, req)
}

func runEstimate(c *engine.Call, req EmbedRequest, found chosen) (Estimate, error) {
	graph, directed, err := found.Load(c, req.Graph, fault.Graph)
	if err != nil {
		return Estimate{}, err
	}
	estimate := Estimate{Bytes: found.spec(graph).Bytes(), Limit: c.DB.Opts.MemoryLimit, Dim: int(found.Dim(graph.Graph.Vertices())), Method: found.Method.Name}
	release, err := c.DB.Cache.Reserve(estimate.Bytes, found.purpose(req.Graph))
	if err != nil {
		c.Notice("it would be refused: %v", err)
		estimate.Notices = c.Notices
		return estimate, nil
	}
	defer release() // measuring takes as much memory as computing
	stop := c.Watch.Start(plan.Solve)
	estimate.Seconds, err = run.Seconds(c.Ctx, graph.Graph, run.Request{Method: found.Method.Name, Options: found.Options, Directed: directed, Workers: c.DB.Opts.Workers})
	stop(0, "")
	if errors.Is(err, embedding.ErrEntries) {
		c.Notice("it would be refused: %v", err)
		err = nil
	}
	estimate.Notices = c.Notices
	return estimate, err
}
