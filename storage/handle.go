package storage

import (
	"context"
	"errors"
	"os"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
)

// handle is one opening of the file by bbolt. A store gives its transactions
// one at a time: first one that only reads; from the first write on one that
// writes; after a compaction one over the new file. A handle that was replaced
// serves the transactions that run on it to their end and is closed then.
type handle struct {
	bolt     *bolt.DB
	file     *os.File   // the file that bbolt holds, for plain reads; may be nil where an application owns it
	tree     *soundness // what is known of the shape of the tree; nil where it is trusted
	rows     soundRows  // embeddings whose rows were verified
	writable bool

	users int    // transactions that run on it; guarded by DB.mu
	close func() // set when it is replaced: what the last user does
}

// acquire returns the present handle, which stays open, and has the lock of the
// file, until release.
func (db *DB) acquire(ctx context.Context) (*handle, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return nil, err
	}
	db.users++ // Close waits from here on, and the file is not let go again
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

// release ends the use of a handle and closes it where it was replaced and this
// was its last user.
func (db *DB) release(h *handle) {
	db.leave(h)
	db.mu.Lock()
	db.users--
	db.idle.Broadcast()
	db.letGo()
	db.mu.Unlock()
}

// leave takes one user from a handle.
func (db *DB) leave(h *handle) {
	db.mu.Lock()
	h.users--
	last := h.users == 0 && h.close != nil
	db.mu.Unlock()
	if last && !db.broken.Load() { // bbolt would wait for locks that it lost
		h.close()
	}
}

// replace makes next the present handle. closeOld runs when the last
// transaction on the one before has ended, which may be at once.
func (db *DB) replace(next *handle, closeOld func()) {
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

// breakDown notes that bbolt stopped in the middle of a transaction, with its
// locks held.
func (db *DB) breakDown() {
	db.mu.Lock()
	db.broken.Store(true)
	db.idle.Broadcast()
	db.mu.Unlock()
}

// shut closes the store to new transactions, waits for those that run, and
// closes the file.
func (db *DB) shut() error {
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

// closeFile closes an opening of the file, and gives its lock back.
func (db *DB) closeFile(h *handle, lock *file.Lock) error {
	if db.broken.Load() {
		// bbolt holds locks that nobody will release; its map is left to the
		// end of the process, but the lock on the file goes.
		return errors.Join(h.file.Close(), lock.Release())
	}
	return errors.Join(fault.Guarded(db.path, h.bolt.Close), lock.Release())
}
