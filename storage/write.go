package storage

import (
	"context"
	"errors"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// lockWriter makes the caller the only writer of this handle until it calls
// unlock. Operations of several transactions hold it throughout.
func (db *Store) lockWriter(ctx context.Context) (unlock func(), err error) {
	ctx = orBackground(ctx)
	if err := db.writable(); err != nil {
		return nil, err
	}
	select {
	case <-db.writer:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another writer: %w", ctx.Err())
	}
	// Nobody else may write between its transactions either.
	keep := db.Keep()
	unlock = func() {
		keep()
		db.writer <- struct{}{}
	}
	// The writer before may have failed while this one waited.
	err = db.writable()
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
func (db *Store) acquireToWrite(ctx context.Context) (*handle, error) {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := db.writable(); err != nil {
		return nil, err
	}
	return db.acquire(ctx)
}

// update runs f in a write transaction and commits it where f returns nil. The
// caller holds the writer's lock.
func (db *Store) update(ctx context.Context, f func(t *tree.Tx) error) error {
	ctx = orBackground(ctx)
	h, err := db.acquireToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.release(h)
	return fault.Guarded(db.path, func() error {
		if !db.attached {
			h.bolt.AllocSize = h.growth()
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
					db.failed.Store(true)
				}
				db.rollback(btx)
			}
		}()
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		if err := f(t); err != nil {
			return fault.Corrupt(db.path, "", err)
		}
		if err := t.End(db.owners); err != nil {
			return err
		}
		// From here on the outcome is unknown until Commit has returned nil:
		// bbolt's readers see a meta page as soon as it is written, which is
		// before it is known to be on the disk.
		committing = true
		if db.beforeCommit != nil {
			if err := db.beforeCommit(); err != nil {
				return db.commitError(err)
			}
		}
		if err := btx.Commit(); err != nil {
			return db.commitError(err)
		}
		committed = true
		db.epoch.Store(t.Header.Epoch)
		return nil
	})
}

// inTransaction runs f in a write transaction of its own. The caller must not hold the
// writer's lock.
func (db *Store) inTransaction(ctx context.Context, f func(t *tree.Tx) error) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return db.update(ctx, f)
}

// change runs f in a write transaction and then frees what it has discarded. If only the
// latter fails, the error is ErrUnfreed. The caller must not hold the writer's lock.
func (db *Store) change(ctx context.Context, f func(t *tree.Tx) error) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.update(ctx, f); err != nil {
		return err
	}
	return db.unfreed(db.sweep(ctx))
}

// unfreed is the error of a complete change after which sweep failed with err; nil for nil.
func (db *Store) unfreed(err error) error {
	if err == nil {
		return nil
	}
	remedy := "the next opening for writing frees it"
	if file := (*FileError)(nil); errors.As(err, &file) && file.Err == ErrFailed && file.Cause != nil {
		err, remedy = file.Cause, fault.RemedyReopen+", which frees it; check the disk and its free space"
	}
	return &FileError{Path: db.path, Err: ErrUnfreed, Cause: err, Remedy: remedy}
}

func (db *Store) commitError(err error) error {
	return &FileError{Path: db.path, Err: ErrFailed, Cause: err, Remedy: fault.RemedyReopen + "; check free space and permissions"}
}

// dropUnpublished frees an object if only the journal refers to it; 0 is no object. It
// works even if the context has ended. After a failed commit it cannot; then the next
// open frees it. The caller must not hold the writer's lock.
func (db *Store) dropUnpublished(ctx context.Context, object uint64) {
	if object == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	left := false // whether the journal still has an entry, which is correct whatever transaction failed
	err := db.view(ctx, func(t *tree.Tx) (err error) {
		left, err = t.Get(block.JournalName, journalKey(journalBlob, objectName(object)), new(journalRecord))
		return err
	})
	if err == nil && left {
		_ = db.change(ctx, func(t *tree.Tx) error { return dropJournal(t, journalBlob, objectName(object)) })
	}
}

// sweep frees the space of discarded objects. The operation before it is complete, so
// callers return its error as unfreed, and cancelling ctx is none: the next sweep, or the
// next opening for writing, frees what it leaves.
func (db *Store) sweep(ctx context.Context) error {
	ctx = orBackground(ctx)
	for {
		var object []byte
		err := db.view(ctx, func(t *tree.Tx) (err error) {
			object, err = t.Discarded()
			return err
		})
		if err == nil && object != nil {
			err = db.update(ctx, func(t *tree.Tx) error { return t.SweepOne(db.owners) })
		}
		switch {
		case ctx.Err() != nil && !db.failed.Load():
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
	err = db.view(ctx, func(t *tree.Tx) error {
		trash, err := t.Discarded()
		if err != nil {
			return err
		}
		garbage = trash != nil
		return t.Each(block.JournalName, func(key, _ []byte) error {
			if key[0] == journalEmbedding || key[0] == journalBlob {
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
		err := db.update(ctx, func(t *tree.Tx) error {
			for _, key := range keys {
				if err := dropJournal(t, key[0], key[1:]); err != nil {
					return fault.Corrupt(t.Path, fmt.Sprintf("journal of %q", key[1:]), err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return db.sweep(ctx)
}

// tidy finishes what a killed process left: incomplete embeddings and streams are
// discarded, and the trash is emptied. Unfinished imports stay, to be resumed. If
// nothing was left, nothing is written. It ignores damage and failures, which the first
// write reports: what is in the file can be read.
func (db *Store) tidy(ctx context.Context) error {
	stale, garbage, err := db.leftovers(ctx)
	if err == nil && (garbage || len(stale) > 0) {
		var unlock func()
		if unlock, err = db.lockWriter(ctx); err == nil {
			err = db.discard(ctx, stale)
			unlock()
		}
	}
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrFailed) {
		return nil
	}
	return err
}
