package tree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heavytail/storage/internal/fault"

	bolt "go.etcd.io/bbolt"

	berrors "go.etcd.io/bbolt/errors"
)

// newTx reads the header. Without it nothing in the file can be interpreted.
func (db *Store) newTx(ctx context.Context, h *Handle, btx *bolt.Tx) (*Tx, error) {
	root := btx.Bucket(db.bucket)
	if root == nil {
		return nil, fault.NotStore(db.Path, "a bbolt file of another program")
	}
	var memory *Cache
	if !btx.Writable() {
		memory = &h.Memory
	}
	t, err := NewTx(ctx, root, db.Path, h.Tree, memory)
	if err == nil {
		t.File, t.Rows, t.Shared = h.File, &h.Rows, db.Attached
	}
	return t, err
}

// begin starts a transaction. bbolt panics here, with its locks held, if both
// meta pages were damaged while the file was open.
func (db *Store) begin(ctx context.Context, h *Handle, write bool) (btx *bolt.Tx, err error) {
	if write && db.Attached {
		return db.beginShared(ctx, h)
	}
	done := false
	defer func() {
		if !done {
			db.breakDown()
		}
	}()
	btx, err = h.Bolt.Begin(write)
	done = true
	if err != nil {
		return nil, db.boltError(err)
	}
	return btx, nil
}

// beginShared starts a write transaction of the application's file. If this goroutine
// has one open already, bbolt would wait forever; so the wait ends after
// Options.LockTimeout.
func (db *Store) beginShared(ctx context.Context, h *Handle) (*bolt.Tx, error) {
	type outcome struct {
		btx *bolt.Tx
		err error
	}
	begun := make(chan outcome)
	gaveUp := make(chan struct{})
	go func() {
		var o outcome
		o.err = fault.Guarded(db.Path, func() (err error) {
			o.btx, err = h.Bolt.Begin(true)
			return err
		})
		select {
		case begun <- o:
		case <-gaveUp:
			if o.btx != nil {
				_ = fault.Guarded(db.Path, o.btx.Rollback)
			}
		}
	}()
	timer := time.NewTimer(max(db.Opts.LockTimeout, leastWait))
	defer timer.Stop()
	var o outcome
	select {
	case o = <-begun:
	case <-ctx.Done():
		close(gaveUp)
		return nil, fmt.Errorf("wait for a write transaction of the application: %w", ctx.Err())
	case <-timer.C:
		select {
		case o = <-begun: // on a busy machine it may have begun long before this goroutine looks
		default:
			close(gaveUp)
			return nil, &fault.FileError{Path: db.Path, Err: fault.ErrLocked, Reason: "a write transaction of the application is open",
				Remedy: "end it first, or write inside of it (UpdateIn)"}
		}
	}
	if errors.Is(o.err, fault.ErrCorrupt) {
		db.breakDown()
	}
	if errors.Is(o.err, berrors.ErrDatabaseNotOpen) {
		return nil, fmt.Errorf("%q: the application has closed it: %w", db.Path, fault.ErrClosed)
	}
	return o.btx, db.boltError(o.err)
}

// leastWait is the shortest wait: even a free transaction takes a moment to begin in
// another goroutine.
const leastWait = 20 * time.Millisecond

// rollback ends a transaction that was not committed; after a failed commit
// bbolt has ended it already.
func (db *Store) rollback(btx *bolt.Tx) {
	done := false
	defer func() {
		if !done {
			db.breakDown()
		}
	}()
	_ = btx.Rollback() // the only error is that it is over
	done = true
}

// viewOn runs f in a read transaction on a handle that the caller has acquired.
func (db *Store) viewOn(ctx context.Context, h *Handle, f func(t *Tx) error) error {
	return fault.Guarded(db.Path, func() error {
		btx, err := db.begin(ctx, h, false)
		if err != nil {
			return err
		}
		defer db.rollback(btx)
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		return fault.Corrupt(db.Path, "", f(t))
	})
}
