package vectors

import (
	"context"
	"slices"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

var dropEmbedding = &engine.Statement[*parser.DropEmbedding, string, storage.EmbeddingInfo, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP EMBEDDING",
		Summary:   "removes an embedding, or with name@generation its past generation",
		Words:     "delete remove vectors",
	},
	Bind: func(b *engine.Binder, s *parser.DropEmbedding) string {
		return b.Name(fault.Embedding, s.Embedding)
	},
	Resolve: droppedEmbedding,
	Plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("drop embedding", fault.Name(embedding))
	},
	Run: func(c *engine.Call, embedding string, _ storage.EmbeddingInfo) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropEmbedding(c.Ctx, embedding)
	},
}

// Drop removes an embedding with its generations, or one past generation of it.
func (s *Service) Drop(ctx context.Context, embedding string) error {
	return engine.ErrorOf(dropEmbedding.Answer(ctx, s.db, embedding))
}

// List lists the embeddings of the file by name.
func (s *Service) List(ctx context.Context) ([]catalogue.EmbeddingSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW EMBEDDINGS", entries.ListEmbeddings)
}

// droppedEmbedding is entries.EmbeddingEntry for DROP EMBEDDING, which refuses the number of the present
// generation: dropping the embedding drops the past ones too.
func droppedEmbedding(c *engine.Call, embedding string) (storage.EmbeddingInfo, error) {
	info, err := entries.EmbeddingEntry(c, embedding)
	if err == nil && info.Name != embedding {
		err = fault.New(fault.Embedding, "%s is the present generation of embedding %s, which is dropped with its past generations", fault.Quote(embedding), fault.Name(info.Name)).
			WithRemedy("DROP EMBEDDING " + parser.Ident{Name: info.Name}.String()).WithErr(storage.ErrInvalid)
	}
	if err != nil {
		return info, err
	}
	models, err := c.DB.Store.Models(c.Ctx)
	if err := engine.NotDamage(err); err != nil {
		return info, err
	}
	for _, m := range models {
		if slices.Contains(m.Own(), embedding) {
			return info, fault.New(fault.Embedding, "embedding %s belongs to model %s and is dropped with it", fault.Quote(embedding), fault.Name(m.Name)).
				WithRemedy("DROP MODEL " + parser.Ident{Name: m.Name}.String()).WithErr(storage.ErrInUse)
		}
	}
	return info, nil
}
