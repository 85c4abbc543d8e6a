package storage

import (
	"errors"
	"fmt"
	"runtime/debug"

	berrors "go.etcd.io/bbolt/errors"
)

const (
	remedyRestore = "restore the file from a backup, or recover what is sound into a new file (RECOVER)"
	remedyCheck   = "check the store for the whole extent (CHECK); " + remedyRestore
	remedyReopen  = "close the store and open it again"
)

// guarded runs f with faults of the map turned into panics, and panics, ours
// and those of bbolt over a damaged page, turned into ErrCorrupt. Every entry
// into the map goes through it; it works for the calling goroutine only, so f
// must not start others that read the map.
func guarded(path string, f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			err = &FileError{Path: path, Err: ErrCorrupt, Reason: fmt.Sprint(r), Remedy: remedyCheck}
		}
	}()
	return f()
}

// corrupt turns a fault of a record into an error that names file and object;
// other errors, and those that name them already, pass.
func corrupt(path, object string, err error) error {
	if !errors.Is(err, errRecord) || errors.Is(err, ErrCorrupt) {
		return err
	}
	return &FileError{Path: path, Object: object, Err: ErrCorrupt, Cause: err, Remedy: remedyCheck}
}

// boltError gives the errors of bbolt that a user can meet our types.
func (db *DB) boltError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return fmt.Errorf("storage: %q: %w", db.path, ErrClosed)
	case errors.Is(err, berrors.ErrDatabaseReadOnly):
		return db.readOnlyError()
	}
	return err
}

func (db *DB) readOnlyError() error {
	return fmt.Errorf("storage: %q: %w", db.path, ErrReadOnly)
}
