package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
	"heavytail/storage"
)

// Predictions lists the stored predictions. Predictions with a damaged entry are left
// out, with a notice.
func (db *DB) Predictions(ctx context.Context) ([]PredictionSummary, error) {
	return inCall(ctx, db, "SHOW PREDICTIONS", (*call).listPredictions)
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
func (c *call) stale(p PredictionInfo) (string, error) {
	w := scorerOf(p)
	made, err := c.madeAt(w)
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
func (c *call) listPredictions() ([]PredictionSummary, error) {
	list, err := c.predictions()
	return list, c.Rest(err, "an entry of predictions", remedyPredictions)
}

// predictions lists the undamaged entries; if some are damaged, the error is
// a storage.PartialError.
func (c *call) predictions() ([]PredictionSummary, error) {
	infos, damaged := c.db.store.Predictions(c.Ctx)
	list := make([]PredictionSummary, len(infos))
	for i, p := range infos {
		var err error
		list[i].PredictionInfo = p
		if list[i].Behind, err = c.behind(p.Graph, p.GraphVersion); err != nil {
			return nil, err
		}
		if list[i].Stale, err = c.stale(p); err != nil {
			return nil, err
		}
	}
	return list, damaged
}

func (p PredictionSummary) row() []Value {
	return []Value{p.Graph, p.Scorer, int64(p.K), int64(p.Vertices), p.Links, int64(p.GraphVersion), int64(p.Behind), p.state(), timestamp(p.Created)}
}

func scorerOf(p PredictionInfo) Scorer {
	return Scorer{Name: valueOf(p.Options, "scorer"), Embedding: valueOf(p.Options, "embedding"), Model: valueOf(p.Options, "model")}
}

// madeAt returns the time at which the embedding or model that a scorer reads was
// made; zero if it reads only the graph. For a model that reads an embedding it
// is the later time of the two.
func (c *call) madeAt(w Scorer) (time.Time, error) {
	embedding, made := w.Embedding, time.Time{}
	if w.Model != "" {
		info, err := c.modelInfo(w.Model, fault.Scorer(0))
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

// inCatalogue is a scorer with the name that its embedding has in the catalogue, by which
// predictions are stored; it may be named by the number of its present generation.
func (c *call) inCatalogue(w Scorer) Scorer {
	if info, err := c.db.store.EmbeddingInfo(c.Ctx, w.Embedding); w.Embedding != "" && err == nil {
		w.Embedding = info.Name
	}
	return w
}

type predictionsRequest struct {
	graph string
	with  Scorer
}

var dropPredictions = &statement[*parser.DropPredictions, predictionsRequest, storage.GraphInfo, nothing]{
	help: Help{
		Statement: "DROP PREDICTIONS", Syntax: "DROP PREDICTIONS FROM scorer | scorer(embedding) | model(model) IN graph",
		Summary: "removes the stored predictions of a scorer",
		Example: "DROP PREDICTIONS FROM model(friends) IN social",
	},
	bind: func(b *binder, s *parser.DropPredictions) predictionsRequest {
		return predictionsRequest{b.name(fault.Graph, s.Graph), b.scorers(s.Scorer)[0]}
	},
	resolve: func(c *call, req predictionsRequest) (storage.GraphInfo, error) {
		return c.GraphInfo(req.graph, fault.Graph)
	},
	plan: func(req predictionsRequest, _ storage.GraphInfo) *plan.Plan {
		return plan.Result("drop predictions", fmt.Sprintf("of graph %s by %s", fault.Name(req.graph), req.with))
	},
	run: func(c *call, req predictionsRequest, _ storage.GraphInfo) (nothing, error) {
		err := c.db.store.DropPredictions(c.Ctx, req.graph, req.with.String())
		if with := c.inCatalogue(req.with); errors.Is(err, storage.ErrNotFound) && with != req.with {
			err = c.db.store.DropPredictions(c.Ctx, req.graph, with.String())
		}
		if errors.Is(err, storage.ErrNotFound) {
			if _, unknown := c.scorerEntries(req.graph, []Scorer{req.with}); unknown != nil {
				return nothing{}, unknown // the name of the scorer, or of what it reads
			}
			err = fault.New(fault.Scorer(0), "graph %s has no predictions by %s", fault.Name(req.graph), req.with).
				WithRemedy("SHOW PREDICTIONS lists them").WithErr(err)
		}
		return nothing{}, err
	},
}

// DropPredictions removes the predictions of a graph by a scorer.
func (db *DB) DropPredictions(ctx context.Context, graph string, with Scorer) error {
	return errorOf(dropPredictions.answer(ctx, db, predictionsRequest{graph, with}))
}
