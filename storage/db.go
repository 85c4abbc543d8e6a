package storage

import (
	"time"

	"heavytail/storage/internal/tree"
)

// DB is an open store. It is safe for concurrent use: any number of readers
// run concurrently with one writer, and writers wait for each other. No method keeps a
// transaction open after it returns.
type DB struct {
	file *tree.Store
}

// Path returns the path that the store was opened with.
func (db *DB) Path() string { return db.file.Path }

// ReadOnly reports whether the store was opened for reading only.
func (db *DB) ReadOnly() bool { return db.file.ReadOnly() }

// Epoch returns the number of commits since the file was made, as this handle last saw
// it. It only grows, also across processes; a caller who remembers it can detect that
// the file was replaced by an older copy, or that its last commit was lost with a
// damaged meta page (bbolt then uses the one before, and the file itself cannot show
// that).
func (db *DB) Epoch() uint64 { return db.file.Epoch.Load() }

// Notices returns remarks for the user of the store, one sentence each, or nil. At
// present there is one notice: one of the two meta pages is damaged. Then the file was
// opened with the other one, and if that was the older one, the last commit is undone.
// The next two commits write both again.
func (db *DB) Notices() []string { return db.file.Notices() }

// Reopened returns how many times the file was opened again because another
// process had written to it or replaced it while its lock was released
// (Options.ReleaseIdle).
func (db *DB) Reopened() uint64 { return db.file.Reopened() }

// Hold makes a store with Options.ReleaseIdle keep the lock of the file from its
// next use until release is called, so that several calls see no change that another
// process made between them. Without that option it does nothing. It may be called
// several times, and does not wait.
func (db *DB) Hold() (release func()) { return db.file.Hold() }

// Close waits for running operations and closes the file; an attached store
// leaves the file open. Further calls return nil.
func (db *DB) Close() error { return db.file.Close() }

// step calls the hook of tests for points of a copy, and before files beside are removed.
func (db *DB) step(point string) {
	if db.file.AtStep != nil {
		db.file.AtStep(point)
	}
}

// reporter passes progress on, at most about 20 times per second.
type reporter struct {
	call func(stage string, done, total int64)
	last time.Time
}

func newReporter(f func(stage string, done, total int64)) *reporter { return &reporter{call: f} }

func (r *reporter) report(stage string, done, total int64) {
	if r.call == nil || time.Since(r.last) < 50*time.Millisecond {
		return
	}
	r.finish(stage, done, total)
}

// finish reports whatever the time since the last report: the end of a stage is always
// reported.
func (r *reporter) finish(stage string, done, total int64) {
	if r.call != nil {
		r.last = time.Now()
		r.call(stage, done, total)
	}
}
