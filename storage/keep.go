package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"heavytail/storage/internal/fault"
)

// Keep makes a store with Options.ReleaseIdle keep the lock of the file from its
// next use until release is called, so that several calls see no change that another
// process made between them. Without that option it does nothing. It may be called
// several times, and does not wait.
func (db *Store) Keep() (release func()) {
	if !db.opts.ReleaseIdle {
		return func() {}
	}
	db.mu.Lock()
	db.lease.keeps++
	db.mu.Unlock()
	done := false
	return func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		if !done {
			done = true
			db.lease.keeps--
			db.releaseIfIdle()
		}
	}
}

// startLease records that the store has the lock, and starts or restarts the idle time.
func (db *Store) startLease() {
	db.mu.Lock()
	defer db.mu.Unlock()
	l := &db.lease
	l.away, l.over = false, false
	if l.timer == nil {
		l.timer = time.AfterFunc(db.opts.Held, db.expire)
	} else {
		l.timer.Reset(db.opts.Held)
	}
}

// expire releases the lock, at once or after its last use.
func (db *Store) expire() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.lease.over = true
	db.releaseIfIdle()
}

// releaseIfIdle releases the lock if the idle time is over and nothing uses the file. The
// caller holds mu.
func (db *Store) releaseIfIdle() {
	l := &db.lease
	if !l.over || l.away || l.keeps > 0 || db.users > 0 || db.closed.Load() || db.broken.Load() {
		return
	}
	l.left = db.leaveAs(db.current)
	l.away = db.lock.LetGo() == nil // otherwise the next use tries again
}

// leaveAs records the state of the file.
func (db *Store) leaveAs(h *handle) left {
	now := left{at: time.Now()}
	info, err := h.file.Stat()
	if err == nil {
		now.meta, err = db.meta(h.file)
	}
	if err == nil {
		now.known, now.size, now.time = true, info.Size(), info.ModTime()
	}
	return now
}

// asLeft reports whether the path still leads to the file that is open, and nobody
// wrote to it.
func (db *Store) asLeft(h *handle, before left) bool {
	now := db.leaveAs(h)
	return before.known && now.known && now.meta == before.meta && now.size == before.size && now.time.Equal(before.time) && db.replaced(h) == nil
}

// Reopened returns how many times the file was opened again because another
// process had written to it or replaced it while its lock was released
// (Options.ReleaseIdle).
func (db *Store) Reopened() uint64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.lease.opened
}

// regain takes the lock again after it was released, and opens the file again if
// it changed meanwhile. If that fails, the next use tries again.
func (db *Store) regain(ctx context.Context) error {
	deadline := time.Now().Add(db.opts.LockTimeout)
	select {
	case <-db.lease.turn:
		defer func() { db.lease.turn <- struct{}{} }()
	case <-ctx.Done():
		return db.stopped(ctx)
	}
	db.mu.Lock()
	away, before := db.lease.away, db.lease.left
	db.mu.Unlock()
	if !away {
		return nil // another goroutine was faster
	}
	time.Sleep(time.Until(before.at.Add(breather)))
	if err := db.lock.Take(db.opts.ReadOnly, deadline, func() error { return db.stopped(ctx) }); err != nil {
		return db.openError(err)
	}
	if !db.asLeft(db.current, before) {
		_ = db.lock.LetGo() // the file that has the name now has its own lock, or is locked again later
		if err := db.openAgain(ctx, deadline); err != nil {
			return err
		}
	}
	db.startLease()
	return nil
}

// openAgain opens the file that has the name of the store now, and replaces the open
// one, which nobody uses.
func (db *Store) openAgain(ctx context.Context, deadline time.Time) error {
	file, err := db.openFound(ctx, deadline)
	if err != nil {
		return err
	}
	if !file.header.Created.Equal(db.lease.created) {
		err := &FileError{Path: db.path, Err: ErrReplaced, Reason: "another store is under this name now", Remedy: fault.RemedyReopen}
		return errors.Join(err, db.closeFile(file.handle, file.lock))
	}
	db.mu.Lock()
	old, oldLock := db.current, db.lock
	db.current, db.lock, db.remarks = file.handle, file.lock, file.notices
	db.lease.opened++
	// The next writer finds out what the file needs.
	db.damage, db.untidy = nil, !db.opts.ReadOnly
	db.mu.Unlock()
	db.epoch.Store(file.header.Epoch)
	_ = db.closeFile(old, oldLock)
	return nil
}

// openFound opens the file that has the name of the store, which may be any file.
func (db *Store) openFound(ctx context.Context, deadline time.Time) (*opening, error) {
	o := db.opts
	o.NoCreate = true
	_, err := locate(db.real, o)
	var file *opening
	if err == nil {
		file, err = db.openFile(ctx, deadline)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = &FileError{Path: db.path, Err: ErrReplaced, Reason: "nothing is under this name any more", Cause: &os.PathError{Op: "open", Path: db.real, Err: fs.ErrNotExist},
			Remedy: "put the file back, or close the store"}
	}
	return file, err
}
