package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
)

// Hold makes a store with Options.ReleaseIdle keep the lock of the file from its
// next use until release is called, so that several calls see no change that another
// process made between them. Without that option it does nothing. It may be called
// several times, and does not wait.
func (db *Store) Hold() (release func()) {
	if !db.Opts.ReleaseIdle {
		return func() {}
	}
	db.Mu.Lock()
	db.Lease.keeps++
	db.Mu.Unlock()
	done := false
	return func() {
		db.Mu.Lock()
		defer db.Mu.Unlock()
		if !done {
			done = true
			db.Lease.keeps--
			db.releaseIfIdle()
		}
	}
}

// startLease records that the store has the lock, and starts or restarts the idle time.
func (db *Store) startLease() {
	db.Mu.Lock()
	defer db.Mu.Unlock()
	l := &db.Lease
	l.Away, l.over = false, false
	if l.timer == nil {
		l.timer = time.AfterFunc(db.Opts.Held, db.expire)
	} else {
		l.timer.Reset(db.Opts.Held)
	}
}

// expire releases the lock, at once or after its last use.
func (db *Store) expire() {
	db.Mu.Lock()
	defer db.Mu.Unlock()
	db.Lease.over = true
	db.releaseIfIdle()
}

// releaseIfIdle releases the lock if the idle time is over and nothing uses the file. The
// caller holds mu.
func (db *Store) releaseIfIdle() {
	l := &db.Lease
	if !l.over || l.Away || l.keeps > 0 || db.Users > 0 || db.Closed.Load() || db.broken.Load() {
		return
	}
	l.left = db.leaveAs(db.Current)
	l.Away = db.Lock.LetGo() == nil // otherwise the next use tries again
}

// leaveAs records the state of the file.
func (db *Store) leaveAs(h *Handle) left {
	now := left{at: time.Now()}
	info, err := h.File.Stat()
	if err == nil {
		now.meta, err = db.meta(h.File)
	}
	if err == nil {
		now.known, now.size, now.time = true, info.Size(), info.ModTime()
	}
	return now
}

// asLeft reports whether the path still leads to the file that is open, and nobody
// wrote to it.
func (db *Store) asLeft(h *Handle, before left) bool {
	now := db.leaveAs(h)
	return before.known && now.known && now.meta == before.meta && now.size == before.size && now.time.Equal(before.time) && db.Replaced(h) == nil
}

// Reopened returns how many times the file was opened again because another
// process had written to it or replaced it while its lock was released
// (Options.ReleaseIdle).
func (db *Store) Reopened() uint64 {
	db.Mu.Lock()
	defer db.Mu.Unlock()
	return db.Lease.opened
}

// regain takes the lock again after it was released, and opens the file again if
// it changed meanwhile. If that fails, the next use tries again.
func (db *Store) regain(ctx context.Context) error {
	deadline := time.Now().Add(db.Opts.LockTimeout)
	select {
	case <-db.Lease.turn:
		defer func() { db.Lease.turn <- struct{}{} }()
	case <-ctx.Done():
		return db.stopped(ctx)
	}
	db.Mu.Lock()
	away, before := db.Lease.Away, db.Lease.left
	db.Mu.Unlock()
	if !away {
		return nil // another goroutine was faster
	}
	time.Sleep(time.Until(before.at.Add(Breather)))
	if err := db.Lock.Take(db.Opts.ReadOnly, deadline, func() error { return db.stopped(ctx) }); err != nil {
		return db.OpenError(err)
	}
	if !db.asLeft(db.Current, before) {
		_ = db.Lock.LetGo() // the file that has the name now has its own lock, or is locked again later
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
	if !file.header.Created.Equal(db.Lease.created) {
		err := &fault.FileError{Path: db.Path, Err: fault.ErrReplaced, Reason: "another store is under this name now", Remedy: fault.RemedyReopen}
		return errors.Join(err, db.closeFile(file.handle, file.lock))
	}
	db.Mu.Lock()
	old, oldLock := db.Current, db.Lock
	db.Current, db.Lock, db.remarks = file.handle, file.lock, file.notices
	db.Lease.opened++
	// The next writer finds out what the file needs.
	db.damage, db.untidy = nil, !db.Opts.ReadOnly
	db.Mu.Unlock()
	db.Epoch.Store(file.header.Epoch)
	_ = db.closeFile(old, oldLock)
	return nil
}

// openFound opens the file that has the name of the store, which may be any file.
func (db *Store) openFound(ctx context.Context, deadline time.Time) (*opening, error) {
	o := db.Opts
	o.NoCreate = true
	_, err := locate(db.Real, o)
	var file *opening
	if err == nil {
		file, err = db.openFile(ctx, deadline)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = &fault.FileError{Path: db.Path, Err: fault.ErrReplaced, Reason: "nothing is under this name any more", Cause: &os.PathError{Op: "open", Path: db.Real, Err: fs.ErrNotExist},
			Remedy: "put the file back, or close the store"}
	}
	return file, err
}

const (
	// HeldFor is how long a file is kept after its use, so that the statements of a
	// script do not lock it one by one.
	HeldFor = 300 * time.Millisecond

	// Breather is how long a store that released the file waits before it takes it
	// again. Others try every file.Pause; without the wait, a busy store would take the
	// file again before they could see that it is free.
	Breather = 5 * file.Pause
)
