package graphs

import (
	"context"

	"heavytail/query/internal/engine"
)

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is not positive. It reads only the part
// of the file that has these keys, so that a shell can complete them quickly.
func (s *Service) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	return engine.InCall(ctx, s.db, "KEYS", func(*engine.Call) ([]string, error) { return s.db.Store.Keys(ctx, graph, prefix, limit) })
}
