package query

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file has CREATE GRAPH, DROP GRAPH and DROP EMBEDDING.

var createGraph = &statement[*parser.CreateGraph, string, nothing, storage.GraphInfo]{
	help: createGraphHelp(), options: createGraphOptions,
	bind:    func(b *binder, s *parser.CreateGraph) string { return b.name(fault.Graph, s.Graph) },
	resolve: func(c *call, graph string) (nothing, error) { return nothing{}, c.checkCreate(graph) },
	plan:    func(graph string, _ nothing) *plan.Plan { return plan.Result("create graph", fault.Name(graph)) },
	run: func(c *call, graph string, _ nothing) (storage.GraphInfo, error) {
		info, err := c.db.store.CreateGraph(c.Ctx, graph)
		return info, nameMistake(err, fault.Graph)
	},
}

// CreateGraph creates an empty graph.
func (db *DB) CreateGraph(ctx context.Context, graph string) (storage.GraphInfo, error) {
	return createGraph.answer(ctx, db, graph)
}

func (c *call) checkCreate(graph string) error {
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
	resolve: func(c *call, req dropGraphRequest) (nothing, error) { return nothing{}, c.checkDropGraph(req) },
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

// DropGraph removes a graph. With cascade it also removes the embeddings and
// models of the graph; without, it returns an error if there are any.
func (db *DB) DropGraph(ctx context.Context, graph string, cascade bool) error {
	return errorOf(dropGraph.answer(ctx, db, dropGraphRequest{graph, cascade}))
}

// checkDropGraph returns an Error for an unknown graph, and without CASCADE
// for a graph that has embeddings or models.
func (c *call) checkDropGraph(req dropGraphRequest) error {
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
		Summary: "removes an embedding with its generations, or one past generation, which name@generation means",
		Example: "DROP EMBEDDING spec",
	},
	bind: func(b *binder, s *parser.DropEmbedding) string {
		return b.name(fault.Embedding, s.Embedding)
	},
	resolve: (*call).droppedEmbedding,
	plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("drop embedding", fault.Name(embedding))
	},
	run: func(c *call, embedding string, _ storage.EmbeddingInfo) (nothing, error) {
		return nothing{}, c.db.store.DropEmbedding(c.Ctx, embedding)
	},
}

// DropEmbedding removes an embedding with its generations, or one past generation of it.
func (db *DB) DropEmbedding(ctx context.Context, embedding string) error {
	return errorOf(dropEmbedding.answer(ctx, db, embedding))
}

// droppedEmbedding is embeddingEntry for DROP EMBEDDING, which refuses the number of the present
// generation: dropping the embedding drops the past ones too.
func (c *call) droppedEmbedding(embedding string) (storage.EmbeddingInfo, error) {
	info, err := c.embeddingEntry(embedding)
	if err == nil && info.Name != embedding {
		err = fault.New(fault.Embedding, "%s is the present generation of embedding %s, which is dropped with its past generations", fault.Quote(embedding), fault.Name(info.Name)).
			WithRemedy("DROP EMBEDDING " + parser.Ident{Name: info.Name}.String()).WithErr(storage.ErrInvalid)
	}
	return info, err
}

// embeddingEntry is the catalogue entry of the embedding that a request names.
func (c *call) embeddingEntry(embedding string) (storage.EmbeddingInfo, error) {
	return c.EmbeddingInfo(embedding, fault.Embedding)
}
