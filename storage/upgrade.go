package storage

import (
	"context"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// prepareWrite makes the store ready for a write: the path must still lead to
// the file, and the first write verifies the whole tree and has bbolt open the
// file for writing. The caller holds the writer's lock.
func (db *DB) prepareWrite(ctx context.Context) error {
	if db.attached {
		return nil
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	defer db.release(h)
	if err := db.replaced(h); err != nil {
		return err
	}
	if h.writable || db.damage != nil {
		return db.damage
	}
	if err := db.verifyAll(ctx, h); err != nil {
		return err
	}
	return db.openForWriting(h)
}

// verifyAll walks the whole tree, once: nobody else writes to the file.
func (db *DB) verifyAll(ctx context.Context, h *handle) error {
	m, err := db.meta(h.file)
	if err != nil {
		return err
	}
	w := newWalker(ctx, pageFile{r: h.file, meta: m})
	if err := w.walk(); err != nil {
		return fmt.Errorf("storage: verify %q: %w", db.path, err)
	}
	if len(w.faults) > 0 {
		fault, object := w.faults[0], ""
		if len(fault.path) > 1 {
			object = describePath(fault.path[1:])
		}
		db.damage = &FileError{Path: db.path, Object: object, Err: ErrCorrupt, Reason: fault.what,
			Remedy: "nothing was written, and what is sound can be read; " + remedyCheck}
		return db.damage
	}
	if m != h.tree.file.meta {
		return db.intruder()
	}
	return nil
}

// intruder: the file changed under the lock, which only programs do that do not
// ask for it.
func (db *DB) intruder() error {
	return &FileError{Path: db.path, Err: ErrReplaced, Reason: "another program wrote to it although it is locked", Remedy: remedyReopen}
}

// openForWriting has bbolt open the file for writing. Readers go on: those that
// run on the handle before read pages of its only version, which a read
// transaction of the new handle keeps until they have ended.
func (db *DB) openForWriting(old *handle) error {
	if !canShareLock {
		return db.reopenForWriting(old)
	}
	next, err := db.openBolt(db.lock, false, 0)
	if err != nil {
		// bbolt lets go of the lock where it fails.
		if lockErr := db.lock.exclusive(time.Now()); lockErr != nil {
			db.damage = db.openError(lockErr)
		} else if m, metaErr := db.meta(old.file); metaErr != nil || m != old.tree.file.meta {
			db.damage = db.intruder()
		}
		return err
	}
	var anchor *bolt.Tx
	err = guarded(db.path, func() (err error) {
		anchor, err = next.bolt.Begin(false)
		return err
	})
	if err != nil {
		db.damage = err
		return err
	}
	next.users = 1 // the anchor
	db.replace(next, func() {
		_ = guarded(db.path, anchor.Rollback)
		_ = guarded(db.path, old.bolt.Close)
		db.leave(next)
	})
	return nil
}

// reopenForWriting closes the file and opens it for writing where the two
// openings cannot share a lock. It is called before Open returns, so that
// nothing runs on the old handle but the caller.
func (db *DB) reopenForWriting(old *handle) error {
	if err := guarded(db.path, old.bolt.Close); err != nil {
		return err
	}
	next, err := db.openBolt(db.lock, false, db.opts.LockTimeout)
	if err != nil {
		return err
	}
	m, err := db.meta(next.file)
	if err == nil && m != old.tree.file.meta {
		err = db.intruder()
	}
	db.replace(next, func() {})
	return err
}
