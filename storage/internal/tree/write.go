package tree

import (
	"context"
	"errors"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// LockWriter makes the caller the only writer of this handle until it calls
// unlock. Operations of several transactions hold it throughout.
func (db *Store) LockWriter(ctx context.Context) (unlock func(), err error) {
	ctx = OrBackground(ctx)
	if err := db.Writable(); err != nil {
		return nil, err
	}
	select {
	case <-db.Writer:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another writer: %w", ctx.Err())
	}
	// Nobody else may write between its transactions either.
	keep := db.Hold()
	unlock = func() {
		keep()
		db.Writer <- struct{}{}
	}
	// The writer before may have failed while this one waited.
	err = db.Writable()
	if err == nil {
		err = db.prepareWrite(ctx)
	}
	if err == nil && db.untidy {
		db.untidy = false
		err = db.discardLeft(ctx)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// acquireToWrite is acquire for a store that can be written.
func (db *Store) acquireToWrite(ctx context.Context) (*Handle, error) {
	ctx = OrBackground(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := db.Writable(); err != nil {
		return nil, err
	}
	return db.Acquire(ctx)
}

// Update runs f in a write transaction and commits it where f returns nil. The
// caller holds the writer's lock.
func (db *Store) Update(ctx context.Context, f func(t *Tx) error) error {
	ctx = OrBackground(ctx)
	h, err := db.acquireToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Release(h)
	return fault.Guarded(db.Path, func() error {
		if !db.Attached {
			h.Bolt.AllocSize = h.growth()
		}
		btx, err := db.begin(ctx, h, true)
		if err != nil {
			return err
		}
		committing, committed := false, false
		defer func() {
			if !committed {
				// Also if the commit ended in a panic. It is set only now: while the
				// commit runs, other writers wait, and they must not see a failure.
				if committing {
					db.Failed.Store(true)
				}
				db.rollback(btx)
			}
		}()
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		if err := f(t); err != nil {
			return fault.Corrupt(db.Path, "", err)
		}
		if err := t.End(db.owners); err != nil {
			return err
		}
		// From here on the outcome is unknown until Commit has returned nil:
		// bbolt's readers see a meta page as soon as it is written, which is
		// before it is known to be on the disk.
		committing = true
		if db.BeforeCommit != nil {
			if err := db.BeforeCommit(); err != nil {
				return db.commitError(err)
			}
		}
		if err := btx.Commit(); err != nil {
			return db.commitError(err)
		}
		committed = true
		db.Epoch.Store(t.Header.Epoch)
		return nil
	})
}

// InTransaction runs f in a write transaction of its own. The caller must not hold the
// writer's lock.
func (db *Store) InTransaction(ctx context.Context, f func(t *Tx) error) error {
	unlock, err := db.LockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return db.Update(ctx, f)
}

// Change runs f in a write transaction and then frees what it has discarded. If only the
// latter fails, the error is ErrUnfreed. The caller must not hold the writer's lock.
func (db *Store) Change(ctx context.Context, f func(t *Tx) error) error {
	unlock, err := db.LockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.Update(ctx, f); err != nil {
		return err
	}
	return db.Unfreed(db.Sweep(ctx))
}

// Unfreed is the error of a complete change after which sweep failed with err; nil for nil.
func (db *Store) Unfreed(err error) error {
	if err == nil {
		return nil
	}
	remedy := "the next opening for writing frees it"
	if file := (*fault.FileError)(nil); errors.As(err, &file) && file.Err == fault.ErrFailed && file.Cause != nil {
		err, remedy = file.Cause, fault.RemedyReopen+", which frees it; check the disk and its free space"
	}
	return &fault.FileError{Path: db.Path, Err: fault.ErrUnfreed, Cause: err, Remedy: remedy}
}

func (db *Store) commitError(err error) error {
	return &fault.FileError{Path: db.Path, Err: fault.ErrFailed, Cause: err, Remedy: fault.RemedyReopen + "; check free space and permissions"}
}

// DropUnpublished frees an object if only the journal refers to it; 0 is no object. It
// works even if the context has ended. After a failed commit it cannot; then the next
// open frees it. The caller must not hold the writer's lock.
func (db *Store) DropUnpublished(ctx context.Context, object uint64) {
	if object == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	left := false // whether the journal still has an entry, which is correct whatever transaction failed
	err := db.View(ctx, func(t *Tx) (err error) {
		left, err = t.Get(block.JournalName, JournalKey(JournalBlob, ObjectName(object)), new(JournalRecord))
		return err
	})
	if err == nil && left {
		_ = db.Change(ctx, func(t *Tx) error { return DropJournal(t, JournalBlob, ObjectName(object)) })
	}
}

// Sweep frees the space of discarded objects. The operation before it is complete, so
// callers return its error as unfreed. Cancelling ctx and closing the store are none: the next
// sweep, or the next opening for writing, frees what they leave.
func (db *Store) Sweep(ctx context.Context) error {
	ctx = OrBackground(ctx)
	for {
		var object []byte
		err := db.View(ctx, func(t *Tx) (err error) {
			object, err = t.Discarded()
			return err
		})
		if err == nil && object != nil {
			err = db.Update(ctx, func(t *Tx) error { return t.SweepOne(db.owners) })
		}
		switch {
		case (ctx.Err() != nil || errors.Is(err, fault.ErrClosed)) && !db.Failed.Load():
			return nil
		case err != nil || object == nil:
			return err
		}
	}
}

// discardLeft is tidy for a caller who holds the writer's lock.
func (db *Store) discardLeft(ctx context.Context) error {
	stale, garbage, err := db.leftovers(ctx)
	if err == nil && (garbage || len(stale) > 0) {
		err = db.discard(ctx, stale)
	}
	return err
}

// leftovers finds what a killed process left: entries of the journal, and whether there is
// something in the trash.
func (db *Store) leftovers(ctx context.Context) (stale []string, garbage bool, err error) {
	err = db.View(ctx, func(t *Tx) error {
		trash, err := t.Discarded()
		if err != nil {
			return err
		}
		garbage = trash != nil
		return t.Each(block.JournalName, func(key, _ []byte) error {
			if key[0] == JournalEmbedding || key[0] == JournalBlob {
				stale = append(stale, string(key))
			}
			return nil
		})
	})
	return stale, garbage, err
}

// discard discards the objects of entries of the journal, and empties the trash. The
// caller holds the writer's lock.
func (db *Store) discard(ctx context.Context, keys []string) error {
	if len(keys) > 0 {
		err := db.Update(ctx, func(t *Tx) error {
			for _, key := range keys {
				if err := DropJournal(t, key[0], key[1:]); err != nil {
					return fault.Corrupt(t.Path, fmt.Sprintf("journal of %q", key[1:]), err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return db.Sweep(ctx)
}

// tidy finishes what a killed process left: incomplete embeddings and streams are
// discarded, and the trash is emptied. Unfinished imports stay, to be resumed. If
// nothing was left, nothing is written. It ignores damage and failures, which the first
// write reports: what is in the file can be read.
func (db *Store) tidy(ctx context.Context) error {
	stale, garbage, err := db.leftovers(ctx)
	if err == nil && (garbage || len(stale) > 0) {
		var unlock func()
		if unlock, err = db.LockWriter(ctx); err == nil {
			err = db.discard(ctx, stale)
			unlock()
		}
	}
	if errors.Is(err, fault.ErrCorrupt) || errors.Is(err, fault.ErrFailed) {
		return nil
	}
	return err
}
