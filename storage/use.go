package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/tree"
)

// acquire returns the present handle. Until release it stays open and has the lock of
// the file.
func (db *Store) acquire(ctx context.Context) (*handle, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return nil, err
	}
	db.users++ // from here on Close waits, and the file is not let go
	for db.lease.away {
		db.mu.Unlock()
		err := db.regain(ctx)
		db.mu.Lock()
		if err != nil {
			db.users--
			db.idle.Broadcast()
			return nil, err
		}
	}
	db.current.users++
	return db.current, nil
}

// release ends the use of a handle, and closes it if it was replaced and this was its
// last user.
func (db *Store) release(h *handle) {
	db.leave(h)
	db.mu.Lock()
	db.users--
	db.idle.Broadcast()
	db.releaseIfIdle()
	db.mu.Unlock()
}

// leave takes one user from a handle.
func (db *Store) leave(h *handle) {
	db.mu.Lock()
	h.users--
	last := h.users == 0 && h.close != nil
	db.mu.Unlock()
	if last && !db.broken.Load() { // bbolt would wait for locks that a panic left locked
		h.close()
	}
}

// replace makes next the present handle. closeOld runs when the last
// transaction on the one before has ended, which may be at once.
func (db *Store) replace(next *handle, closeOld func()) {
	db.mu.Lock()
	old := db.current
	db.current = next
	last := old.users == 0
	if !last {
		old.close = closeOld
	}
	db.mu.Unlock()
	if last {
		closeOld()
	}
}

// shut refuses new transactions, waits for those that run, and closes the file.
func (db *Store) shut() error {
	db.mu.Lock()
	db.closed.Store(true)
	for db.users > 0 && !db.broken.Load() {
		db.idle.Wait()
	}
	if db.lease.timer != nil {
		db.lease.timer.Stop()
	}
	h := db.current
	db.mu.Unlock()
	if h == nil || db.attached {
		if h != nil && h.file != nil {
			return h.file.Close()
		}
		return nil
	}
	return db.closeFile(h, db.lock)
}

// Close waits for running operations and closes the file; an attached store
// leaves the file open. Further calls return nil.
func (db *Store) Close() error {
	var err error
	db.close.Do(func() { err = db.shut() })
	if err != nil {
		return fmt.Errorf("close %q: %w", db.path, err)
	}
	return nil
}

// orBackground returns the context, or context.Background for nil: the package takes a nil
// context as one that never ends.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// view runs f in a read transaction.
func (db *Store) view(ctx context.Context, f func(t *tree.Tx) error) error {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	h, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.release(h)
	return db.viewOn(ctx, h, f)
}

// viewed is view for an f that has a result.
func viewed[T any](ctx context.Context, db *DB, f func(t *tree.Tx) (T, error)) (result T, err error) {
	err = db.file.view(ctx, func(t *tree.Tx) (err error) {
		result, err = f(t)
		return err
	})
	return result, err
}

// viewGraph runs f in a read transaction, with the catalogue entry of a graph.
func viewGraph[T any](ctx context.Context, db *DB, graph string, f func(t *tree.Tx, r *graphRecord) (T, error)) (T, error) {
	return viewed(ctx, db, func(t *tree.Tx) (result T, err error) {
		r, err := findGraph(t, graph)
		if err != nil {
			return result, err
		}
		return f(t, r)
	})
}
