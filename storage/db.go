package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
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
	lock     *fileLock // nil where attached
	token    uint64    // random; no other handle has it, by which what others left is known

	mu      sync.Mutex // guards what follows
	current *handle
	users   int       // transactions on any handle
	idle    sync.Cond // users or broken changed

	writer chan struct{} // holds one token while nobody writes
	damage error         // why the file is not opened for writing; its holder owns it
	failed atomic.Bool   // a commit failed: no more writes
	broken atomic.Bool   // bbolt stopped in the middle of a transaction: nothing more
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
	return db
}

// Path returns the path that the store was opened with.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the store was opened for reading only.
func (db *DB) ReadOnly() bool { return db.opts.ReadOnly }

// Epoch returns the number of commits since the file was made, as this handle
// last saw it. It only grows; a caller who remembers it can tell that a file
// was replaced by an older copy, or lost its last commit to a damaged meta page
// (bbolt then falls back to the one before, which the file itself cannot show).
func (db *DB) Epoch() uint64 { return db.epoch.Load() }

// Close waits for running operations and closes the file; an attached store
// leaves the file open. Further calls return nil.
func (db *DB) Close() error {
	var err error
	db.close.Do(func() { err = db.shut() })
	if err != nil {
		return fmt.Errorf("storage: close %q: %w", db.path, err)
	}
	return nil
}

// usable reports why no transaction may begin.
func (db *DB) usable() error {
	switch {
	case db.closed.Load():
		return fmt.Errorf("storage: %q: %w", db.path, ErrClosed)
	case db.broken.Load():
		return &FileError{Path: db.path, Err: ErrCorrupt, Reason: "an earlier operation met a damaged page", Remedy: "close the store; " + remedyRestore}
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
		return &FileError{Path: db.path, Err: ErrFailed, Reason: "what it wrote may or may not be in the file", Remedy: remedyReopen}
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
		return nil, fmt.Errorf("storage: wait for another writer: %w", ctx.Err())
	}
	unlock = func() { db.writer <- struct{}{} }
	// The writer before may have failed while this one waited.
	err = db.writable()
	if err == nil {
		err = db.prepareWrite(ctx)
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
		return fmt.Errorf("storage: %w", err)
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	defer db.release(h)
	return guarded(db.path, func() error {
		btx, err := db.begin(ctx, h, false)
		if err != nil {
			return err
		}
		defer db.rollback(btx)
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		return corrupt(db.path, "", f(t))
	})
}

// update runs f in a write transaction and commits it where f returns nil. The
// caller holds the writer's lock.
func (db *DB) update(ctx context.Context, f func(t *tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	if err := db.writable(); err != nil {
		return err
	}
	h, err := db.acquire()
	if err != nil {
		return err
	}
	defer db.release(h)
	return guarded(db.path, func() error {
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
			return corrupt(db.path, "", err)
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
		committed = true
		db.epoch.Store(t.header.Epoch)
		return nil
	})
}

func (db *DB) commitError(err error) error {
	return &FileError{Path: db.path, Err: ErrFailed, Reason: "commit", Cause: err, Remedy: remedyReopen + "; check free space and permissions"}
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
