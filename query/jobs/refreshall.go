package jobs

import (
	"context"
	"errors"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/links"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// Refreshed is an embedding, a stored measure or stored predictions after REFRESH ALL.
type Refreshed struct {
	Object  string                `json:"object"` // "embedding", "measure" or "predictions"
	Name    string                `json:"name"`   // of predictions the scorer
	Kind    catalogue.RefreshKind `json:"kind"`
	Seconds float64               `json:"seconds"`
}

// RefreshAllResult is the answer of RefreshAll.
type RefreshAllResult struct {
	Graph     string        `json:"graph"`
	Refreshed []Refreshed   `json:"refreshed"` // first embeddings, by name, then measures, in the order of the attributes, then predictions, by scorer
	Notices   []rows.Notice `json:"notices,omitempty"`
}

var refreshAll = &engine.Statement[*parser.RefreshAll, string, storage.GraphInfo, RefreshAllResult]{
	Help: help.Statement{
		Statement: "REFRESH ALL",
		Summary:   "brings all embeddings, stored measures and stored predictions of a graph up to date",
		Detail:    "It does so as REFRESH, then as REFRESH MEASURE and then as REFRESH PREDICTIONS do, each as a job of its own. It leaves out imported embeddings, and predictions whose embedding or model was dropped or must be trained again",
		Words:     "update stale everything",
		Columns:   "object, name, kind, seconds",
	},
	Bind:    func(b *engine.Binder, s *parser.RefreshAll) string { return b.Name(fault.Graph, s.Graph) },
	Resolve: func(c *engine.Call, graph string) (storage.GraphInfo, error) { return c.GraphInfo(graph, fault.Graph) },
	Plan: func(_ string, graph storage.GraphInfo) *plan.Plan {
		return plan.Result("refresh", "embeddings, measures and predictions of graph "+fault.Name(graph.Name)+" that are behind it")
	},
	Run: func(c *engine.Call, graph string, info storage.GraphInfo) (r RefreshAllResult, err error) {
		r.Graph = graph
		for _, part := range []func(*engine.Call, storage.GraphInfo, *RefreshAllResult) error{refreshEmbeddings, refreshMeasures, refreshAllPredictions} {
			if err := part(c, info, &r); err != nil {
				return r, err
			}
		}
		r.Notices = c.Notices
		return r, nil
	},
	Table: func(_ string, r RefreshAllResult) [][]rows.Value {
		return lists.Map(r.Refreshed, func(o Refreshed) []rows.Value { return []rows.Value{o.Object, o.Name, string(o.Kind), o.Seconds} })
	},
}

// RefreshAll refreshes all embeddings, stored measures and stored predictions of a graph
// that are behind it. It stops at the first error; the objects that were refreshed before stay
// refreshed.
func (s *Service) RefreshAll(ctx context.Context, graph string) (RefreshAllResult, error) {
	return refreshAll.Answer(ctx, s.db, graph)
}

func refreshEmbeddings(c *engine.Call, graph storage.GraphInfo, r *RefreshAllResult) error {
	embeddings, err := c.DB.Store.Embeddings(c.Ctx)
	if err != nil {
		return err
	}
	for _, e := range embeddings {
		if e.Graph != graph.Name || entries.CheckComputed(e) != nil {
			continue
		}
		done, err := vectors.RefreshIn(c, vectors.RefreshRequest{Embedding: e.Name})
		if err != nil {
			return err
		}
		r.Refreshed = append(r.Refreshed, Refreshed{"embedding", e.Name, done.Kind, done.Seconds})
	}
	return nil
}

func refreshMeasures(c *engine.Call, graph storage.GraphInfo, r *RefreshAllResult) error {
	for i, a := range graph.Attributes {
		if graph.Computed[i] == nil {
			continue
		}
		done, err := measures.RefreshMeasureIn(c, measures.RefreshMeasureRequest{Graph: graph.Name, Attribute: a.Name})
		if err != nil {
			return err
		}
		r.Refreshed = append(r.Refreshed, Refreshed{"measure", a.Name, done.Kind, done.Seconds})
	}
	return nil
}

func refreshAllPredictions(c *engine.Call, graph storage.GraphInfo, r *RefreshAllResult) error {
	list, err := c.DB.Store.Predictions(c.Ctx)
	if err := c.Rest(err, "an entry of predictions", entries.RemedyPredictions); err != nil {
		return err
	}
	for _, p := range list {
		if p.GraphID != graph.ID {
			continue
		}
		done, err := links.RefreshPredictionsIn(c, links.RefreshPredictionsRequest{Graph: graph.Name, With: entries.ScorerOf(p)})
		// That their embedding or model was dropped, or must be trained again, must not keep
		// the rest from being refreshed each time.
		if mistake := (*fault.Error)(nil); errors.As(err, &mistake) {
			c.Notice("predictions by %s stay as they are: %v", p.Scorer, mistake)
			continue
		}
		if err != nil {
			return err
		}
		r.Refreshed = append(r.Refreshed, Refreshed{"predictions", p.Scorer, done.Kind, done.Seconds})
	}
	return nil
}
