package query

import "context"

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is not positive. It reads only the part
// of the file that has these keys, so that a shell can complete them quickly.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	return inCall(ctx, db, "KEYS", func(*call) ([]string, error) { return db.store.Keys(ctx, graph, prefix, limit) })
}
