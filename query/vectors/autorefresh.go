package vectors

import (
	"context"
	"math"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

type autoRefreshRequest struct {
	embedding string
	auto      storage.AutoRefresh
}

var autoRefresh = &engine.Statement[*parser.AutoRefresh, autoRefreshRequest, engine.Nothing, storage.EmbeddingInfo]{
	Help: help.Statement{
		Statement: "ALTER EMBEDDING",
		Summary:   "refreshes an embedding in the background, after n changes of vertices or at an interval",
		Detail:    "At an interval it is refreshed if anything changed. It does so while a program keeps the file open for writing. A vertex has changed if it is new, was deleted or has different edges. The setting is stored with the embedding",
		Words:     "automatic auto refresh schedule background",
		Columns:   "embedding, refresh",
	},
	Bind: bindAutoRefresh,
	Resolve: func(c *engine.Call, req autoRefreshRequest) (engine.Nothing, error) {
		if auto := req.auto; auto.Changes < 0 || int64(auto.Changes) > math.MaxInt32 || auto.Every < 0 {
			return engine.Nothing{}, fault.New(partAuto, "an embedding cannot be refreshed after %s or every %v", fault.Count(int64(auto.Changes), "change"), auto.Every)
		}
		found, err := c.Present(req.embedding, fault.Embedding)
		if err == nil && req.auto != (storage.AutoRefresh{}) {
			err = entries.CheckComputed(found.Info)
		}
		return engine.Nothing{}, err
	},
	Plan: func(req autoRefreshRequest, _ engine.Nothing) *plan.Plan {
		return plan.Result("embedding", fault.Name(req.embedding)+", refreshed automatically: "+catalogue.AutoText(req.auto))
	},
	Run: func(c *engine.Call, req autoRefreshRequest, _ engine.Nothing) (storage.EmbeddingInfo, error) {
		info, err := c.DB.Store.SetAutoRefresh(c.Ctx, req.embedding, req.auto)
		if err == nil && req.auto != (storage.AutoRefresh{}) {
			c.DB.Refresher.Start()
		}
		return info, err
	},
	Table: func(_ autoRefreshRequest, info storage.EmbeddingInfo) [][]rows.Value {
		return [][]rows.Value{{info.Name, catalogue.AutoText(info.Auto)}}
	},
}

// AutoRefresh refreshes an embedding in the background while the database is open for
// writing, and returns the entry with the setting. Changes are vertices that are new,
// deleted or have different edges than when the embedding was computed; the zero
// value turns it off. The setting stays with the embedding when the embedding is
// computed again. A refresh that failed on one version of the graph is tried again on
// the next version.
func (s *Service) AutoRefresh(ctx context.Context, embedding string, auto storage.AutoRefresh) (storage.EmbeddingInfo, error) {
	return autoRefresh.Answer(ctx, s.db, autoRefreshRequest{embedding, auto})
}

// partAuto is the piece of a request that sets when an embedding is refreshed
// automatically.
const partAuto fault.Part = "auto refresh"

func bindAutoRefresh(b *engine.Binder, s *parser.AutoRefresh) (req autoRefreshRequest) {
	req.embedding = b.Name(fault.Embedding, s.Embedding)
	switch {
	case s.Changes != nil:
		if req.auto.Changes = b.Size(partAuto, s.Changes); req.auto.Changes < 1 {
			b.Fail(fault.New(partAuto, "the number of changes is %d, and must be positive", req.auto.Changes))
		}
	case s.Every != nil:
		every, err := entries.Duration(partAuto, b.Text(partAuto, s.Every))
		b.Fail(err)
		req.auto.Every = every
	}
	return req
}
