package tree

import (
	"context"
	"fmt"
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
	if db.Attached {
		return nil
	}
	h, err := db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.Release(h)
	if err := db.Replaced(h); err != nil {
		return err
	}
	if h.Writable || db.damage != nil {
		return db.damage
	}
	if err := db.verifyAll(ctx, h); err != nil {
		return err
	}
	return db.openForWriting(h)
}

// verifyAll walks the whole tree, once: nobody else writes to the file.
func (db *Store) verifyAll(ctx context.Context, h *Handle) error {
	m, err := db.meta(h.File)
	if err != nil {
		return err
	}
	w, found := page.NewWalker(ctx, page.File{R: h.File, Meta: m}), block.NewTallies()
	w.Counted = found.Counted
	if err := w.Walk(); err != nil {
		return fmt.Errorf("verify %q: %w", db.Path, err)
	}
	if m != h.Tree.File.Meta {
		return db.intruder()
	}
	return db.View(ctx, func(t *Tx) error {
		bad, err := firstFault(t, m, w.Faults, found)
		switch {
		case err != nil:
			return fault.Corrupt(db.Path, "sums", err)
		case bad == nil:
			return nil
		}
		object := ""
		if len(bad.Path) > 1 {
			object = db.owners(t).Describe(bad.Path[1:])
		}
		db.damage = &fault.FileError{Path: db.Path, Object: object, Err: fault.ErrCorrupt, Reason: bad.What,
			Remedy: "nothing was written, and what is sound can be read; " + fault.RemedyCheck}
		return db.damage
	})
}

// firstFault returns the first fault that a walk over the whole file has found, or else
// the first sum that is wrong; its path begins at the root of the file. nil is
// none.
func firstFault(t *Tx, m page.Meta, walked []page.Fault, found *block.Tallies) (*page.Fault, error) {
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
	return &fault.FileError{Path: db.Path, Err: fault.ErrReplaced, Reason: "another program wrote to it although it is locked", Remedy: fault.RemedyReopen}
}

// openForWriting has bbolt open the file for writing. Readers continue: those on the
// handle before read pages of its only version, and a read transaction of the new
// handle keeps these pages until they have ended.
func (db *Store) openForWriting(old *Handle) error {
	if !file.CanShareLock {
		return db.reopenForWriting(old)
	}
	next, err := db.OpenBolt(db.Lock, false, 0)
	if err != nil {
		// bbolt releases the lock if it fails.
		if lockErr := db.Lock.Exclusive(time.Now()); lockErr != nil {
			db.damage = db.OpenError(lockErr)
		} else if m, metaErr := db.meta(old.File); metaErr != nil || m != old.Tree.File.Meta {
			db.damage = db.intruder()
		}
		return err
	}
	var anchor *bolt.Tx
	err = fault.Guarded(db.Path, func() (err error) {
		anchor, err = next.Bolt.Begin(false)
		return err
	})
	if err != nil {
		db.damage = err
		return err
	}
	next.Users = 1 // the anchor
	db.Replace(next, func() {
		_ = fault.Guarded(db.Path, anchor.Rollback)
		_ = fault.Guarded(db.Path, old.Bolt.Close)
		db.leave(next)
	})
	return nil
}

// reopenForWriting closes the file and opens it for writing, on systems where two
// openings cannot share a lock. It is called before Open returns, so that nothing runs
// on the old handle but the caller.
func (db *Store) reopenForWriting(old *Handle) error {
	if err := fault.Guarded(db.Path, old.Bolt.Close); err != nil {
		return err
	}
	next, err := db.OpenBolt(db.Lock, false, db.Opts.LockTimeout)
	if err != nil {
		return err
	}
	m, err := db.meta(next.File)
	if err == nil && m != old.Tree.File.Meta {
		err = db.intruder()
	}
	db.Replace(next, func() {})
	return err
}
