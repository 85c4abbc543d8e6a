package graphs

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

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
