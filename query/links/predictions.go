package links

import (
	"context"
	"errors"
	"fmt"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// Predictions lists the stored predictions. Predictions with a damaged entry are left
// out, with a notice.
func (s *Service) Predictions(ctx context.Context) ([]catalogue.PredictionSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW PREDICTIONS", entries.ListPredictions)
}

// inCatalogue is a scorer with the name that its embedding has in the catalogue, by which
// predictions are stored; it may be named by the number of its present generation.
func inCatalogue(c *engine.Call, w catalogue.Scorer) catalogue.Scorer {
	if info, err := c.DB.Store.EmbeddingInfo(c.Ctx, w.Embedding); w.Embedding != "" && err == nil {
		w.Embedding = info.Name
	}
	return w
}

type predictionsRequest struct {
	graph string
	with  catalogue.Scorer
}

var dropPredictions = &engine.Statement[*parser.DropPredictions, predictionsRequest, storage.GraphInfo, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP PREDICTIONS",
		Summary:   "removes the stored predictions of a scorer",
		Words:     "delete remove",
	},
	Bind: func(b *engine.Binder, s *parser.DropPredictions) predictionsRequest {
		return predictionsRequest{b.Name(fault.Graph, s.Graph), scorers(b, s.Scorer)[0]}
	},
	Resolve: func(c *engine.Call, req predictionsRequest) (storage.GraphInfo, error) {
		return c.GraphInfo(req.graph, fault.Graph)
	},
	Plan: func(req predictionsRequest, _ storage.GraphInfo) *plan.Plan {
		return plan.Result("drop predictions", fmt.Sprintf("of graph %s by %s", fault.Name(req.graph), req.with))
	},
	Run: func(c *engine.Call, req predictionsRequest, _ storage.GraphInfo) (engine.Nothing, error) {
		err := c.DB.Store.DropPredictions(c.Ctx, req.graph, req.with.String())
		if with := inCatalogue(c, req.with); errors.Is(err, storage.ErrNotFound) && with != req.with {
			err = c.DB.Store.DropPredictions(c.Ctx, req.graph, with.String())
		}
		if errors.Is(err, storage.ErrNotFound) {
			if _, unknown := findScorers(c, req.graph, []catalogue.Scorer{req.with}); unknown != nil {
				return engine.Nothing{}, unknown // the name of the scorer, or of what it reads
			}
			err = fault.New(fault.Scorer(0), "graph %s has no predictions by %s", fault.Name(req.graph), req.with).
				WithRemedy("SHOW PREDICTIONS lists them").WithErr(err)
		}
		return engine.Nothing{}, err
	},
}

// DropPredictions removes the predictions of a graph by a scorer.
func (s *Service) DropPredictions(ctx context.Context, graph string, with catalogue.Scorer) error {
	return engine.ErrorOf(dropPredictions.Answer(ctx, s.db, predictionsRequest{graph, with}))
}
