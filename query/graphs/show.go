package graphs

import (
	"context"

	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// List lists the graphs of the file by name.
func (s *Service) List(ctx context.Context) ([]storage.GraphInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW GRAPHS", func(c *engine.Call) ([]storage.GraphInfo, error) { return c.DB.Store.Graphs(ctx) })
}
