package query

import (
	"context"
	"fmt"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"math"
	"time"
)

type autoRefreshRequest struct {
	embedding string
	auto      storage.AutoRefresh
}

var autoRefresh = &engine.Statement[*parser.AutoRefresh, autoRefreshRequest, engine.Nothing, storage.EmbeddingInfo]{
	Help: help.Statement{
		Statement: "ALTER EMBEDDING", Syntax: "ALTER EMBEDDING embedding AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF",
		Summary: "refreshes the embedding in the background after n vertex changes, or at a fixed interval if anything changed, while a program keeps the file open for writing; a vertex has changed if it is new, was deleted or has different edges. The setting is stored with the embedding",
		Columns: "embedding, refresh",
		Example: "ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES",
	},
	Bind: bindAutoRefresh,
	Resolve: func(c *engine.Call, req autoRefreshRequest) (engine.Nothing, error) {
		if auto := req.auto; auto.Changes < 0 || int64(auto.Changes) > math.MaxInt32 || auto.Every < 0 {
			return engine.Nothing{}, fault.New(partAuto, "an embedding cannot be refreshed after %s or every %v", fault.Count(int64(auto.Changes), "change"), auto.Every)
		}
		found, err := c.Present(req.embedding, fault.Embedding)
		if err == nil && req.auto != (storage.AutoRefresh{}) {
			err = checkComputed(found.Info)
		}
		return engine.Nothing{}, err
	},
	Plan: func(req autoRefreshRequest, _ engine.Nothing) *plan.Plan {
		return plan.Result("embedding", fault.Name(req.embedding)+", refreshed automatically: "+autoText(req.auto))
	},
	Run: func(c *engine.Call, req autoRefreshRequest, _ engine.Nothing) (storage.EmbeddingInfo, error) {
		info, err := c.DB.Store.SetAutoRefresh(c.Ctx, req.embedding, req.auto)
		if err == nil && req.auto != (storage.AutoRefresh{}) {
			c.DB.Refresher.Start()
		}
		return info, err
	},
	Table: func(_ autoRefreshRequest, info storage.EmbeddingInfo) [][]rows.Value {
		return [][]rows.Value{{info.Name, autoText(info.Auto)}}
	},
}

// AutoRefresh refreshes an embedding in the background while the database is open for
// writing, and returns the entry with the setting. Changes are vertices that are new,
// deleted or have different edges than when the embedding was computed; the zero
// value turns it off. The setting stays with the embedding when the embedding is
// computed again. A refresh that failed on one version of the graph is tried again on
// the next version.
func (s *vectorsService) AutoRefresh(ctx context.Context, embedding string, auto storage.AutoRefresh) (storage.EmbeddingInfo, error) {
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
		every, err := duration(partAuto, b.Text(partAuto, s.Every))
		b.Fail(err)
		req.auto.Every = every
	}
	return req
}

// duration reads a positive time such as '90s', '10m' or '1h30m'.
func duration(at fault.Part, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fault.New(at, "%s is not a time", fault.QuoteKey(text)).WithExpected("a time such as '90s', '10m' or '2h'")
	}
	return d, nil
}

// autoText writes when an embedding is refreshed.
func autoText(auto storage.AutoRefresh) string {
	switch {
	case auto.Changes > 0:
		return "after " + fault.Count(int64(auto.Changes), "change")
	case auto.Every > 0:
		return fmt.Sprintf("every %v", auto.Every)
	}
	return "off"
}
