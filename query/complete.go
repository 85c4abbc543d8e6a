package query

import "context"

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is not positive. It reads only the part
// of the file that has these keys, so that a shell can complete them quickly.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	c, err := db.begin(ctx, "KEYS")
	if err != nil {
		return nil, err
	}
	defer c.end()
	keys, err := db.store.Keys(ctx, graph, prefix, limit)
	return keys, c.wrap(err)
}
