package vectors

import (
	"context"

	"heavytail/query/catalogue"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
)

// List lists the embeddings of the file by name.
func (s *Service) List(ctx context.Context) ([]catalogue.EmbeddingSummary, error) {
	return engine.InCall(ctx, s.db, "SHOW EMBEDDINGS", entries.ListEmbeddings)
}
