package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/tree"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// prepareWrite makes the store ready for a write: the path must still lead to
// the file, and the first write verifies the whole tree and has bbolt open the
// file for writing. The caller holds the writer's lock.
func (db *Store) prepareWrite(ctx context.Context) error {
	if db.attached {
		return nil
	}
	h, err := db.acquire(ctx)
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
func (db *Store) verifyAll(ctx context.Context, h *handle) error {
	m, err := db.meta(h.file)
	if err != nil {
		return err
	}
	w, found := page.NewWalker(ctx, page.File{R: h.file, Meta: m}), block.NewTallies()
	w.Counted = found.Counted
	if err := w.Walk(); err != nil {
		return fmt.Errorf("verify %q: %w", db.path, err)
	}
	if m != h.tree.File.Meta {
		return db.intruder()
	}
	return db.view(ctx, func(t *tree.Tx) error {
		bad, err := firstFault(t, m, w.Faults, found)
		switch {
		case err != nil:
			return fault.Corrupt(db.path, "sums", err)
		case bad == nil:
			return nil
		}
		object := ""
		if len(bad.Path) > 1 {
			object = db.owners(t).Describe(bad.Path[1:])
		}
		db.damage = &FileError{Path: db.path, Object: object, Err: ErrCorrupt, Reason: bad.What,
			Remedy: "nothing was written, and what is sound can be read; " + fault.RemedyCheck}
		return db.damage
	})
}

// firstFault returns the first fault that a walk over the whole file has found, or else
// the first promise that is broken; its path begins at the root of the file. nil is
// none.
func firstFault(t *tree.Tx, m page.Meta, walked []page.Fault, found *block.Tallies) (*page.Fault, error) {
	if len(walked) > 0 {
		return &walked[0], nil
	}
	if err := t.CheckRoot(m, found.Sums); err != nil {
		return &page.Fault{What: err.Error()}, nil
	}
	broken, err := t.Broken(found, "", func([][]byte) bool { return false })
	if err != nil || len(broken) == 0 {
		return nil, err
	}
	broken[0].Path = append([][]byte{block.RootName}, broken[0].Path...)
	return &broken[0], nil
}

// intruder: the file changed although it is locked. Only programs that ignore the lock
// do that.
func (db *Store) intruder() error {
	return &FileError{Path: db.path, Err: ErrReplaced, Reason: "another program wrote to it although it is locked", Remedy: fault.RemedyReopen}
}

// openForWriting has bbolt open the file for writing. Readers continue: those on the
// handle before read pages of its only version, and a read transaction of the new
// handle keeps these pages until they have ended.
func (db *Store) openForWriting(old *handle) error {
	if !file.CanShareLock {
		return db.reopenForWriting(old)
	}
	next, err := db.openBolt(db.lock, false, 0)
	if err != nil {
		// bbolt releases the lock if it fails.
		if lockErr := db.lock.Exclusive(time.Now()); lockErr != nil {
			db.damage = db.openError(lockErr)
		} else if m, metaErr := db.meta(old.file); metaErr != nil || m != old.tree.File.Meta {
			db.damage = db.intruder()
		}
		return err
	}
	var anchor *bolt.Tx
	err = fault.Guarded(db.path, func() (err error) {
		anchor, err = next.bolt.Begin(false)
		return err
	})
	if err != nil {
		db.damage = err
		return err
	}
	next.users = 1 // the anchor
	db.replace(next, func() {
		_ = fault.Guarded(db.path, anchor.Rollback)
		_ = fault.Guarded(db.path, old.bolt.Close)
		db.leave(next)
	})
	return nil
}

// reopenForWriting closes the file and opens it for writing, on systems where two
// openings cannot share a lock. It is called before Open returns, so that nothing runs
// on the old handle but the caller.
func (db *Store) reopenForWriting(old *handle) error {
	if err := fault.Guarded(db.path, old.bolt.Close); err != nil {
		return err
	}
	next, err := db.openBolt(db.lock, false, db.opts.LockTimeout)
	if err != nil {
		return err
	}
	m, err := db.meta(next.file)
	if err == nil && m != old.tree.File.Meta {
		err = db.intruder()
	}
	db.replace(next, func() {})
	return err
}
