package storage

import (
	"context"
	"errors"
	"fmt"

	"time"

	bolt "go.etcd.io/bbolt"
)

// beginShared starts a write transaction of the application's file. The
// application may have one open, in this very goroutine, in which case bbolt
// would wait for ever; so it is waited for as long as Options.LockTimeout says.
func (db *DB) beginShared(ctx context.Context, h *handle) (*bolt.Tx, error) {
	type outcome struct {
		btx *bolt.Tx
		err error
	}
	begun := make(chan outcome)
	gaveUp := make(chan struct{})
	go func() {
		var o outcome
		o.err = guarded(db.path, func() (err error) {
			o.btx, err = h.bolt.Begin(true)
			return err
		})
		select {
		case begun <- o:
		case <-gaveUp:
			if o.btx != nil {
				_ = guarded(db.path, o.btx.Rollback)
			}
		}
	}()
	timer := time.NewTimer(db.opts.LockTimeout)
	defer timer.Stop()
	select {
	case o := <-begun:
		if errors.Is(o.err, ErrCorrupt) {
			db.breakDown()
		}
		return o.btx, db.boltError(o.err)
	case <-ctx.Done():
		close(gaveUp)
		return nil, fmt.Errorf("storage: wait for a write transaction of the application: %w", ctx.Err())
	case <-timer.C:
		close(gaveUp)
		return nil, &FileError{Path: db.path, Err: ErrLocked, Reason: "a write transaction of the application is open",
			Remedy: "end it first, or write inside of it (UpdateIn)"}
	}
}
