package maintenance

import (
	"context"

	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/storage"
)

// Stats reports the space of each object in the file. It reads the pages of
// all records, about 0.2 s per gigabyte of edges.
func (s *Service) Stats(ctx context.Context) (storage.Stats, error) {
	return engine.InCall(ctx, s.db, "SHOW STATS", entries.Stats)
}
