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
	Help: createGraphHelp(), Options: createGraphOptions,
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
		Statement: "DROP GRAPH", Syntax: "DROP GRAPH graph [CASCADE]",
		Summary: "removes a graph; CASCADE also removes its embeddings and models",
		Example: "DROP GRAPH social CASCADE",
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
