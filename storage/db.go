package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
)

// DB is an open store. It is safe for concurrent use: any number of readers
// run beside one writer, and writers wait for each other. No method keeps a
// transaction open after it returned.
type DB struct {
	path     string // as given, for messages
	real     string // of the file itself, absolute
	bucket   []byte // under which the store lies in the file
	attached bool   // the file belongs to an application
	opts     Options
	lock     *file.Lock // nil where attached; changes only while one goroutine has all of the store
	token    uint64     // random; no other handle has it, by which what others left is known

	mu      sync.Mutex // guards what follows
	current *handle
	users   int       // transactions on any handle, and those that wait for the file
	idle    sync.Cond // users or broken changed
	notices []string
	lease   lease // with Options.ReleaseIdle

	writer chan struct{}  // holds one token while nobody writes
	damage error          // why the file is not opened for writing; its holder owns it
	untidy bool           // another process may have left what nobody finishes; its holder owns it
	walked *block.Tallies // of all buckets, between the first walk and the first commit, where the file has no promises; its holder owns it
	failed atomic.Bool    // a commit failed: no more writes
	broken atomic.Bool    // bbolt stopped in the middle of a transaction: nothing more
	closed atomic.Bool
	close  sync.Once
	epoch  atomic.Uint64

	// beforeCommit, where set, runs before every commit and fails it; tests
	// count commits with it.
	beforeCommit func() error
	// atStep, where set, is called at the points of a copy; tests kill there.
	atStep func(point string)
}

func newDB(path string, bucket []byte, opts Options) *DB {
	db := &DB{path: path, bucket: bucket, opts: opts, token: rand.Uint64(), writer: make(chan struct{}, 1)}
	db.idle.L = &db.mu
	db.writer <- struct{}{}
	db.lease.turn = make(chan struct{}, 1)
	db.lease.turn <- struct{}{}
	return db
}

// Path returns the path that the store was opened with.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the store was opened for reading only.
func (db *DB) ReadOnly() bool { return db.opts.ReadOnly }

// Epoch returns the number of commits since the file was made, as this handle
// last saw it. It only grows, also across processes; a caller who remembers it can tell that a file
// was replaced by an older copy, or lost its last commit to a damaged meta page
// (bbolt then falls back to the one before, which the file itself cannot show).
func (db *DB) Epoch() uint64 { return db.epoch.Load() }

// Notices says what whoever opened the store should know, one sentence each; nil where
// there is nothing. At present that is only that one of the two meta pages is damaged:
// the file is opened by the other one, and if that was the older one the last commit
// is undone. The next commits write both again.
func (db *DB) Notices() []string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.notices
}

// Close waits for running operations and closes the file; an attached store
// leaves the file open. Further calls return nil.
func (db *DB) Close() error {
	var err error
	db.close.Do(func() { err = db.shut() })
	if err != nil {
		return fmt.Errorf("close %q: %w", db.path, err)
	}
	return nil
}

// usable reports why no transaction may begin.
func (db *DB) usable() error {
	switch {
	case db.closed.Load():
		return fmt.Errorf("%q: %w", db.path, ErrClosed)
	case db.broken.Load():
		return &FileError{Path: db.path, Err: ErrCorrupt, Reason: "an earlier operation met a damaged page", Remedy: "close the store; " + fault.RemedyRestore}
	}
	return nil
}

// writable reports why no write may begin.
func (db *DB) writable() error {
	if err := db.usable(); err != nil {
		return err
	}
	switch {
	case db.opts.ReadOnly:
		return db.readOnlyError()
	case db.failed.Load():
		return &FileError{Path: db.path, Err: ErrFailed, Reason: "what it wrote may or may not be in the file", Remedy: fault.RemedyReopen}
	}
	return nil
}

// lockWriter makes the caller the only writer of this handle until it calls
// unlock. Operations of several transactions hold it throughout.
func (db *DB) lockWriter(ctx context.Context) (unlock func(), err error) {
	if err := db.writable(); err != nil {
		return nil, err
	}
	select {
	case <-db.writer:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another writer: %w", ctx.Err())
	}
	// Between its transactions nobody else may write either.
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

// view runs f in a read transaction.
func (db *DB) view(ctx context.Context, f func(t *tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w", err)
	}
	h, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.release(h)
	return db.viewOn(ctx, h, f)
}

// viewOn is view on a handle that the caller has.
func (db *DB) viewOn(ctx context.Context, h *handle, f func(t *tx) error) error {
	return fault.Guarded(db.path, func() error {
		btx, err := db.begin(ctx, h, false)
		if err != nil {
			return err
		}
		defer db.rollback(btx)
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		return fault.Corrupt(db.path, "", f(t))
	})
}

// update runs f in a write transaction and commits it where f returns nil. The
// caller holds the writer's lock.
func (db *DB) update(ctx context.Context, f func(t *tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w", err)
	}
	if err := db.writable(); err != nil {
		return err
	}
	h, err := db.acquire(ctx)
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
				// Also where the commit ended in a panic. While it runs other
				// writers wait; they must not take it for one that failed.
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
		if err := t.finish(); err != nil {
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
		committed, db.walked = true, nil
		db.epoch.Store(t.header.Epoch)
		return nil
	})
}

// change runs f in a write transaction and then frees what it has discarded. The
// caller must not hold the writer's lock.
func (db *DB) change(ctx context.Context, f func(t *tx) error) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.update(ctx, f); err != nil {
		return err
	}
	db.sweep(ctx)
	return nil
}

func (db *DB) commitError(err error) error {
	return &FileError{Path: db.path, Err: ErrFailed, Reason: "commit", Cause: err, Remedy: fault.RemedyReopen + "; check free space and permissions"}
}

// growth is how much the file grows beyond what a transaction needs, so that
// not every one has to extend it: a sixteenth of the file, at least 64 KiB so
// that small files stay small, and at most bbolt's own 16 MiB.
func (h *handle) growth() int {
	const least, most = 64 << 10, 16 << 20
	info, err := h.file.Stat()
	if err != nil {
		return least
	}
	return int(min(max(info.Size()/16, least), most))
}

// begin starts a transaction. bbolt panics here, with its locks held, where
// both meta pages went bad while the file was open.
func (db *DB) begin(ctx context.Context, h *handle, write bool) (btx *bolt.Tx, err error) {
	if write && db.attached {
		return db.beginShared(ctx, h)
	}
	done := false
	defer func() {
		if !done {
			db.breakDown()
		}
	}()
	btx, err = h.bolt.Begin(write)
	done = true
	if err != nil {
		return nil, db.boltError(err)
	}
	return btx, nil
}

// rollback ends a transaction that was not committed; after a failed commit
// bbolt has ended it already.
func (db *DB) rollback(btx *bolt.Tx) {
	done := false
	defer func() {
		if !done {
			db.breakDown()
		}
	}()
	_ = btx.Rollback() // the only error is that it is over
	done = true
}

// boltError gives the errors of bbolt that a user can meet our types.
func (db *DB) boltError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return fmt.Errorf("%q: %w", db.path, ErrClosed)
	case errors.Is(err, berrors.ErrDatabaseReadOnly):
		return db.readOnlyError()
	}
	return err
}

func (db *DB) readOnlyError() error {
	return fmt.Errorf("%q: %w", db.path, ErrReadOnly)
}

// sweep frees the space of discarded objects. It stops without an error: the
// operation before it is complete, and what is left is swept when the file is
// next opened for writing.
func (db *DB) sweep(ctx context.Context) {
	for {
		var object []byte
		err := db.view(ctx, func(t *tx) (err error) {
			object, err = t.discarded()
			return err
		})
		if err != nil || object == nil || db.update(ctx, (*tx).sweepOne) != nil {
			return
		}
	}
}

// discardLeft is tidy for a caller who holds the writer's lock.
func (db *DB) discardLeft(ctx context.Context) error {
	stale, garbage, err := db.leftovers(ctx)
	if err == nil && (garbage || len(stale) > 0) {
		err = db.discard(ctx, stale)
	}
	return err
}

// leftovers finds what a killed process left: entries of the journal, and whether there is
// something in the trash.
func (db *DB) leftovers(ctx context.Context) (stale []string, garbage bool, err error) {
	err = db.view(ctx, func(t *tx) error {
		trash, err := t.discarded()
		if err != nil {
			return err
		}
		garbage = trash != nil
		return t.each(block.JournalName, func(key, _ []byte) error {
			if key[0] == journalEmbedding || key[0] == journalBlob {
				stale = append(stale, string(key))
			}
			return nil
		})
	})
	return stale, garbage, err
}

// discard discards what entries of the journal are about and empties the trash. The
// caller holds the writer's lock.
func (db *DB) discard(ctx context.Context, keys []string) error {
	if len(keys) > 0 {
		err := db.update(ctx, func(t *tx) error {
			for _, key := range keys {
				if err := t.dropJournal(key[0], key[1:]); err != nil {
					return fault.Corrupt(t.path, fmt.Sprintf("journal of %q", key[1:]), err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	db.sweep(ctx)
	return nil
}
