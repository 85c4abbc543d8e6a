package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"

	berrors "go.etcd.io/bbolt/errors"
)

// Store is an open file. It is safe for concurrent use: any number of readers
// run concurrently with one writer, and writers wait for each other. No method keeps a
// transaction open after it returns.
type Store struct {
	Path     string // as given, for messages
	Real     string // absolute path of the file, with links resolved
	bucket   []byte // bucket of the store in the file
	Beside   string // path whose temporary names the files of its streams have; stores in one file have different ones
	Attached bool   // the file belongs to an application
	Opts     Settings
	owners   func(t *Tx) Owners // lists what objects belong to
	Lock     *file.Lock         // nil if attached; changes only while one goroutine uses the store exclusively
	Token    uint64             // random, so that jobs of other handles are recognised

	Mu      sync.Mutex // guards the following fields
	Current *Handle
	Users   int       // transactions on any handle, and those that wait for the file
	idle    sync.Cond // users or broken changed
	remarks []string
	Lease   lease // with Options.ReleaseIdle

	Writer  chan struct{} // contains one token while nobody writes
	Waiting Queue         // calls that wait for the writer together
	damage  error         // why the file is not opened for writing; guarded by the token of writer
	untidy  bool          // another process may have left unfinished work; guarded by the token of writer
	Failed  atomic.Bool   // a commit failed: no more writes
	broken  atomic.Bool   // bbolt stopped in the middle of a transaction: no more transactions
	Closed  atomic.Bool
	close   sync.Once
	Epoch   atomic.Uint64

	// BeforeCommit, if set, runs before every commit, which fails if it returns an
	// error. Tests count commits with it.
	BeforeCommit func() error
	// AtStep, if set, is called at named points of a copy, and before files of streams are
	// removed. Tests kill the process there.
	AtStep func(point string)
}

// Settings are what the open file must know of how it was opened.
type Settings struct {
	ReadOnly       bool
	NoCreate       bool                     // a missing file is an error
	ReleaseIdle    bool                     // release the lock while nothing uses the file
	AllowNetworkFS bool                     // open files on network file systems for writing
	BatchBytes     int                      // of records that one transaction of long work carries
	LockTimeout    time.Duration            // how long to wait for the lock of the file
	Held           time.Duration            // how long an idle file is kept before its lock is released
	FileSystem     func(path string) string // replaces file.NetworkFS in tests; nil does not
}

// NewStore returns a store of the bucket of a file, which it does not open. The function all returns the
// owners of objects, as a transaction finds them.
func NewStore(path string, bucket []byte, opts Settings, all func(t *Tx) Owners) *Store {
	db := &Store{Path: path, bucket: bucket, Opts: opts, owners: all, Token: rand.Uint64(), Writer: make(chan struct{}, 1)}
	db.idle.L = &db.Mu
	db.Writer <- struct{}{}
	db.Lease.turn = make(chan struct{}, 1)
	db.Lease.turn <- struct{}{}
	return db
}

// ReadOnly reports whether the store was opened for reading only.
func (db *Store) ReadOnly() bool { return db.Opts.ReadOnly }

// Notices returns remarks for the user of the store, one sentence each, or nil. At
// present there is one notice: one of the two meta pages is damaged. Then the file was
// opened with the other one, and if that was the older one, the last commit is undone.
// The next two commits write both again.
func (db *Store) Notices() []string {
	db.Mu.Lock()
	defer db.Mu.Unlock()
	return db.remarks
}

// usable returns an error if no transaction may begin.
func (db *Store) usable() error {
	switch {
	case db.Closed.Load():
		return fmt.Errorf("%q: %w", db.Path, fault.ErrClosed)
	case db.broken.Load():
		return &fault.FileError{Path: db.Path, Err: fault.ErrCorrupt, Reason: "an earlier operation met a damaged page", Remedy: "close the store; " + fault.RemedyRestore}
	}
	return nil
}

// Writable returns an error if nothing can be written.
func (db *Store) Writable() error {
	if err := db.usable(); err != nil {
		return err
	}
	switch {
	case db.Opts.ReadOnly:
		return db.readOnlyError()
	case db.Failed.Load():
		return &fault.FileError{Path: db.Path, Err: fault.ErrFailed, Reason: "its changes may or may not be in the file", Remedy: fault.RemedyReopen}
	}
	return nil
}

// boltError converts the errors of bbolt that a user can meet to errors of this
// package.
func (db *Store) boltError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return fmt.Errorf("%q: %w", db.Path, fault.ErrClosed)
	case errors.Is(err, berrors.ErrDatabaseReadOnly):
		return db.readOnlyError()
	}
	return err
}

func (db *Store) readOnlyError() error {
	return fmt.Errorf("%q: %w", db.Path, fault.ErrReadOnly)
}

// OpenError converts the errors of opening with bbolt to errors of this package.
func (db *Store) OpenError(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, fault.ErrClosed):
		return err
	case errors.Is(err, berrors.ErrTimeout):
		return db.lockedError()
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return &fault.FileError{Path: db.Path, Err: fault.ErrCorrupt, Cause: err, Remedy: fault.RemedyRestore}
	case errors.As(err, new(*fault.FileError)):
		return err
	}
	return db.AccessError(err)
}

// lockedError returns ErrLocked with the process that has the file open, if the system
// shows it.
func (db *Store) lockedError() error {
	who := "another process, or another handle of this one,"
	if found := file.Holders(db.Real); found != nil {
		who = strings.Join(found, ", ")
	}
	return &fault.FileError{Path: db.Path, Err: fault.ErrLocked, Reason: who + " is using it",
		Remedy: "try again later, or close the file there; several processes can read it at the same time if all open it for reading only"}
}

// AccessError adds the remedy if a file may be read but not written.
func (db *Store) AccessError(err error) error {
	if !db.Opts.ReadOnly && (errors.Is(err, fs.ErrPermission) || file.IsReadOnlyFS(err)) {
		return &fault.FileError{Path: db.Path, Err: fault.ErrReadOnly, Cause: err, Reason: "it is write-protected",
			Remedy: "open it for reading only, or change its permissions"}
	}
	return fmt.Errorf("open %q: %w", db.Path, err)
}

// Replaced returns an error if the path of the store leads to a different
// file than the open one.
func (db *Store) Replaced(h *Handle) error {
	there, err := os.Stat(db.Real)
	if err == nil {
		var here os.FileInfo
		if here, err = h.File.Stat(); err == nil && os.SameFile(here, there) {
			return nil
		}
	}
	return &fault.FileError{Path: db.Path, Err: fault.ErrReplaced, Cause: err, Reason: "the open file no longer has this name",
		Remedy: "close the store and open it again; a backup of the open file is still possible"}
}

// stopped returns the error with which the wait for the file ends.
func (db *Store) stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for %q: %w", db.Path, err)
	}
	if db.Closed.Load() {
		return fmt.Errorf("%q: %w", db.Path, fault.ErrClosed)
	}
	return nil
}

// breakDown records that bbolt stopped in the middle of a transaction, with
// its locks held.
func (db *Store) breakDown() {
	db.Mu.Lock()
	db.broken.Store(true)
	db.idle.Broadcast()
	db.Mu.Unlock()
}
