package query

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file has CREATE GRAPH, DROP GRAPH and DROP EMBEDDING.

var createGraph = &statement[*parser.CreateGraph, string, nothing, storage.GraphInfo]{
	help: createGraphHelp(), options: createGraphOptions,
	bind:    func(b *binder, s *parser.CreateGraph) string { return b.name(fault.Graph, s.Graph) },
	resolve: func(c *call, graph string) (nothing, error) { return nothing{}, checkCreate(c, graph) },
	plan:    func(graph string, _ nothing) *plan.Plan { return plan.Result("create graph", fault.Name(graph)) },
	run: func(c *call, graph string, _ nothing) (storage.GraphInfo, error) {
		info, err := c.db.store.CreateGraph(c.Ctx, graph)
		return info, nameMistake(err, fault.Graph)
	},
}

// Create creates an empty graph.
func (s *graphsService) Create(ctx context.Context, graph string) (storage.GraphInfo, error) {
	return createGraph.answer(ctx, s.db, graph)
}

func checkCreate(c *call, graph string) error {
	_, err := c.db.store.Graph(c.Ctx, graph)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		return fault.New(fault.Graph, "graph %s exists", fault.Quote(graph)).WithErr(storage.ErrExists)
	}
	return nameMistake(err, fault.Graph)
}

type dropGraphRequest struct {
	graph   string
	cascade bool // also drop its embeddings and models
}

var dropGraph = &statement[*parser.DropGraph, dropGraphRequest, nothing, nothing]{
	help: Help{
		Statement: "DROP GRAPH", Syntax: "DROP GRAPH graph [CASCADE]",
		Summary: "removes a graph; CASCADE also removes its embeddings and models",
		Example: "DROP GRAPH social CASCADE",
	},
	bind: func(b *binder, s *parser.DropGraph) dropGraphRequest {
		return dropGraphRequest{b.name(fault.Graph, s.Graph), s.Cascade}
	},
	resolve: func(c *call, req dropGraphRequest) (nothing, error) { return nothing{}, checkDropGraph(c, req) },
	plan: func(req dropGraphRequest, _ nothing) *plan.Plan {
		what := fault.Name(req.graph)
		if req.cascade {
			what += " and its embeddings and models"
		}
		return plan.Result("drop graph", what)
	},
	run: func(c *call, req dropGraphRequest, _ nothing) (nothing, error) {
		return nothing{}, c.db.store.DropGraph(c.Ctx, req.graph, req.cascade)
	},
}

// Drop removes a graph. With cascade it also removes the embeddings and
// models of the graph; without, it returns an error if there are any.
func (s *graphsService) Drop(ctx context.Context, graph string, cascade bool) error {
	return errorOf(dropGraph.answer(ctx, s.db, dropGraphRequest{graph, cascade}))
}

// checkDropGraph returns an Error for an unknown graph, and without CASCADE
// for a graph that has embeddings or models.
func checkDropGraph(c *call, req dropGraphRequest) error {
	if _, err := c.GraphInfo(req.graph, fault.Graph); err != nil || req.cascade {
		return err
	}
	all, err := c.db.store.Embeddings(c.Ctx)
	if err != nil {
		return err
	}
	models, err := c.db.store.Models(c.Ctx)
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

var dropEmbedding = &statement[*parser.DropEmbedding, string, storage.EmbeddingInfo, nothing]{
	help: Help{
		Statement: "DROP EMBEDDING", Syntax: "DROP EMBEDDING embedding",
		Summary: "removes an embedding",
		Example: "DROP EMBEDDING spec",
	},
	bind: func(b *binder, s *parser.DropEmbedding) string {
		return b.name(fault.Embedding, s.Embedding)
	},
	resolve: embeddingEntry,
	plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("drop embedding", fault.Name(embedding))
	},
	run: func(c *call, embedding string, _ storage.EmbeddingInfo) (nothing, error) {
		return nothing{}, c.db.store.DropEmbedding(c.Ctx, embedding)
	},
}

// Drop removes an embedding.
func (s *vectorsService) Drop(ctx context.Context, embedding string) error {
	return errorOf(dropEmbedding.answer(ctx, s.db, embedding))
}

// embeddingEntry is the catalogue entry of the embedding that a request names.
func embeddingEntry(c *call, embedding string) (storage.EmbeddingInfo, error) {
	return c.EmbeddingInfo(embedding, fault.Embedding)
}
