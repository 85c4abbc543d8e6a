package storage

import (
	"context"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// viewed is view for an f that has a result.
func viewed[T any](ctx context.Context, db *DB, f func(t *tree.Tx) (T, error)) (result T, err error) {
	err = db.file.View(ctx, func(t *tree.Tx) (err error) {
		result, err = f(t)
		return err
	})
	return result, err
}

// viewGraph runs f in a read transaction, with the catalogue entry of a graph.
func viewGraph[T any](ctx context.Context, db *DB, graph string, f func(t *tree.Tx, r *graphs.Record) (T, error)) (T, error) {
	return viewed(ctx, db, func(t *tree.Tx) (result T, err error) {
		r, err := graphs.Find(t, graph)
		if err != nil {
			return result, err
		}
		return f(t, r)
	})
}
