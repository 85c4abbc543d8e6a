package query

import (
	"context"
	"errors"
	"fmt"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"time"
)

// Predictions lists the stored predictions. Predictions with a damaged entry are left
// out, with a notice.
func (s *linksService) Predictions(ctx context.Context) ([]PredictionSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW PREDICTIONS", listPredictions)
}

// PredictionSummary is a row of SHOW PREDICTIONS.
type PredictionSummary struct {
	PredictionInfo
	Behind uint64 `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Stale describes how the embedding or model that they were computed with has
	// changed; "" if it is unchanged, or the scorer reads neither.
	Stale string `json:"stale,omitempty"`
}

// stale describes how the embedding or model that predictions were computed with has
// changed; "" if it is unchanged.
func stale(c *engine.Call, p PredictionInfo) (string, error) {
	w := scorerOf(p)
	made, err := madeAt(c, w)
	what := "embedding " + fault.Name(w.Embedding)
	if w.Model != "" {
		what = "model " + fault.Name(w.Model) + " or its embedding"
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return what + " was dropped", nil
	case errors.Is(err, storage.ErrCorrupt):
		return what + " is damaged", nil
	case err != nil:
		return "", err
	case !made.Equal(p.Made):
		return what + " was recomputed", nil
	}
	return "", nil
}

// state is the column state of SHOW PREDICTIONS.
func (p PredictionSummary) state() string {
	if p.Stale != "" {
		return "behind: " + p.Stale
	}
	return "ready"
}

const remedyPredictions = "DROP PREDICTIONS or MATERIALIZE PREDICTIONS replaces it"

// listPredictions is predictions with a notice of damaged entries.
func listPredictions(c *engine.Call) ([]PredictionSummary, error) {
	list, err := predictions(c)
	return list, c.Rest(err, "an entry of predictions", remedyPredictions)
}

// predictions lists the undamaged entries; if some are damaged, the error is
// a storage.PartialError.
func predictions(c *engine.Call) ([]PredictionSummary, error) {
	infos, damaged := c.DB.Store.Predictions(c.Ctx)
	list := make([]PredictionSummary, len(infos))
	for i, p := range infos {
		var err error
		list[i].PredictionInfo = p
		if list[i].Behind, err = behind(c, p.Graph, p.GraphVersion); err != nil {
			return nil, err
		}
		if list[i].Stale, err = stale(c, p); err != nil {
			return nil, err
		}
	}
	return list, damaged
}

func (p PredictionSummary) row() []rows.Value {
	return []rows.Value{p.Graph, p.Scorer, int64(p.K), int64(p.Vertices), p.Links, int64(p.GraphVersion), int64(p.Behind), p.state(), cells.Timestamp(p.Created)}
}

func scorerOf(p PredictionInfo) Scorer {
	return Scorer{Name: engine.ValueOf(p.Options, "scorer"), Embedding: engine.ValueOf(p.Options, "embedding"), Model: engine.ValueOf(p.Options, "model")}
}

// madeAt returns the time at which the embedding or model that a scorer reads was
// made; zero if it reads only the graph. For a model that reads an embedding it
// is the later time of the two.
func madeAt(c *engine.Call, w Scorer) (time.Time, error) {
	embedding, made := w.Embedding, time.Time{}
	if w.Model != "" {
		info, err := modelInfo(c, w.Model, fault.Scorer(0))
		if err != nil {
			return made, err
		}
		embedding, made = info.Embedding, info.Created
	}
	if embedding == "" {
		return made, nil
	}
	info, err := c.EmbeddingInfo(embedding, fault.Scorer(0))
	if info.Created.After(made) {
		made = info.Created
	}
	return made, err
}

type predictionsRequest struct {
	graph string
	with  Scorer
}

var dropPredictions = &engine.Statement[*parser.DropPredictions, predictionsRequest, storage.GraphInfo, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP PREDICTIONS", Syntax: "DROP PREDICTIONS FROM scorer | scorer(embedding) | model(model) IN graph",
		Summary: "removes the stored predictions of a scorer",
		Example: "DROP PREDICTIONS FROM model(friends) IN social",
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
		if errors.Is(err, storage.ErrNotFound) {
			err = fault.New(fault.Scorer(0), "graph %s has no predictions by %s", fault.Name(req.graph), req.with).
				WithRemedy("SHOW PREDICTIONS lists them").WithErr(err)
		}
		return engine.Nothing{}, err
	},
}

// DropPredictions removes the predictions of a graph by a scorer.
func (s *linksService) DropPredictions(ctx context.Context, graph string, with Scorer) error {
	return engine.ErrorOf(dropPredictions.Answer(ctx, s.db, predictionsRequest{graph, with}))
}
