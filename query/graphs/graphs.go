package graphs

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file has CREATE GRAPH, DROP GRAPH and DROP EMBEDDING.

var createGraph = &engine.Statement[*parser.CreateGraph, string, engine.Nothing, storage.GraphInfo]{
	Help: createGraphHelp(), // its options are those of deriveGraph
	Bind: func(b *engine.Binder, s *parser.CreateGraph) string { return b.Name(fault.Graph, s.Graph) },
	Resolve: func(c *engine.Call, graph string) (engine.Nothing, error) {
		return engine.Nothing{}, checkCreate(c, graph)
	},
	Plan: func(graph string, _ engine.Nothing) *plan.Plan { return plan.Result("create graph", fault.Name(graph)) },
	Run: func(c *engine.Call, graph string, _ engine.Nothing) (storage.GraphInfo, error) {
		info, err := c.DB.Store.CreateGraph(c.Ctx, graph)
		return info, engine.NameMistake(err, fault.Graph)
	},
}

// Create creates an empty graph.
func (s *Service) Create(ctx context.Context, graph string) (storage.GraphInfo, error) {
	return createGraph.Answer(ctx, s.db, graph)
}

func checkCreate(c *engine.Call, graph string) error {
	_, err := c.DB.Store.Graph(c.Ctx, graph)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		return fault.New(fault.Graph, "graph %s exists", fault.Quote(graph)).WithErr(storage.ErrExists)
	}
	return engine.NameMistake(err, fault.Graph)
}

type dropGraphRequest struct {
	graph   string
	cascade bool // also drop its embeddings and models
}

var dropGraph = &engine.Statement[*parser.DropGraph, dropGraphRequest, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP GRAPH",
		Summary:   "removes a graph; CASCADE also removes its embeddings and models",
		Words:     "delete remove",
	},
	Bind: func(b *engine.Binder, s *parser.DropGraph) dropGraphRequest {
		return dropGraphRequest{b.Name(fault.Graph, s.Graph), s.Cascade}
	},
	Resolve: func(c *engine.Call, req dropGraphRequest) (engine.Nothing, error) {
		return engine.Nothing{}, checkDropGraph(c, req)
	},
	Plan: func(req dropGraphRequest, _ engine.Nothing) *plan.Plan {
		what := fault.Name(req.graph)
		if req.cascade {
			what += " and its embeddings and models"
		}
		return plan.Result("drop graph", what)
	},
	Run: func(c *engine.Call, req dropGraphRequest, _ engine.Nothing) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropGraph(c.Ctx, req.graph, req.cascade)
	},
}

// Drop removes a graph. With cascade it also removes the embeddings and
// models of the graph; without, it returns an error if there are any.
func (s *Service) Drop(ctx context.Context, graph string, cascade bool) error {
	return engine.ErrorOf(dropGraph.Answer(ctx, s.db, dropGraphRequest{graph, cascade}))
}

// checkDropGraph returns an Error for an unknown graph, and without CASCADE
// for a graph that has embeddings or models.
func checkDropGraph(c *engine.Call, req dropGraphRequest) error {
	if _, err := c.GraphInfo(req.graph, fault.Graph); err != nil || req.cascade {
		return err
	}
	all, err := c.DB.Store.Embeddings(c.Ctx)
	if err != nil {
		return err
	}
	models, err := c.DB.Store.Models(c.Ctx)
	if err != nil {
		return err
	}
	what := ""
	if i := slices.IndexFunc(models, func(m storage.ModelInfo) bool { return m.Graph == req.graph }); i >= 0 {
		what = "model " + fault.Quote(models[i].Name)
	}
	if i := slices.IndexFunc(all, func(e storage.EmbeddingInfo) bool { return e.Graph == req.graph }); i >= 0 {
		what = "embedding " + fault.Quote(all[i].Name)
	}
	if what == "" {
		return nil
	}
	return fault.New(fault.Graph, "graph %s has the %s", fault.Quote(req.graph), what).
		WithRemedy("use CASCADE to drop its embeddings and models too").WithErr(storage.ErrInUse)
}

// List lists the graphs of the file by name.
func (s *Service) List(ctx context.Context) ([]storage.GraphInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW GRAPHS", func(c *engine.Call) ([]storage.GraphInfo, error) { return c.DB.Store.Graphs(ctx) })
}

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is 0; a negative limit is an error. It reads only
// the part of the file that has these keys, so that a shell can complete them quickly.
func (s *Service) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	return engine.InCall(ctx, s.db, "KEYS", func(c *engine.Call) ([]string, error) { return s.db.Store.Keys(c.Ctx, graph, prefix, limit) })
}

// Snapshot returns the present version of a graph with the keys of its vertices. It
// never changes and is safe for concurrent use, also after Close. The calls of the DB
// share it, so its slices must not be written. It takes O(n + m) unless the graph is
// already in memory. Its memory counts towards Options.MemoryLimit until Snapshot
// returns or the cache drops it; the memory that a caller keeps after that is not
// counted. An unknown graph is an *Error with the nearest name.
func (s *Service) Snapshot(ctx context.Context, graph string) (*storage.Snapshot, error) {
	return engine.InCall(ctx, s.db, "SNAPSHOT", func(c *engine.Call) (*storage.Snapshot, error) {
		g, err := c.Graph(graph, fault.Graph)
		if err != nil {
			return nil, err
		}
		return g.Snapshot, nil
	})
}
