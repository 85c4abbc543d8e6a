package storage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/file"
)

// Open opens the store in the file at path, and makes one if there is none and the
// options allow it. A file that is not a store, needs newer code, is damaged or is in
// use is refused with an error that says so. Such a file is not changed.
//
// It takes a few milliseconds whatever the size of the file. Before bbolt
// follows a page, its shape is verified with plain reads: at once that of the
// catalogue, and that of a graph or embedding at its first use. The first write
// verifies the whole tree, which takes some tenths of a second per gigabyte. So
// a file with damage outside of the catalogue is opened; what is sound in it
// can be used, Check lists the rest, and nothing is written to it.
func Open(path string, opts *Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	o := opts.withDefaults()
	deadline := time.Now().Add(o.LockTimeout)
	real, err := locate(path, o)
	if err != nil {
		return nil, err
	}
	if o.ReleaseIdle {
		o.ReleaseIdle = file.CanShareLock && o.fileSystemAt(real) == ""
	}
	db := newDB(path, block.RootName, o, allOwners)
	if db.real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	found, err := db.openFile(context.Background(), deadline)
	if err != nil {
		return nil, err
	}
	db.lock, db.current, db.notices = found.lock, found.handle, found.notices
	db.lease.created = found.header.Created
	db.epoch.Store(found.header.Epoch)
	if o.ReleaseIdle {
		defer db.Keep()()
		db.startLease()
	}
	if o.ReadOnly {
		return db, nil
	}
	if !file.CanShareLock {
		// On this system the file must be verified and opened for writing at the same
		// time.
		unlock, err := db.lockWriter(context.Background())
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		unlock()
	}
	removeLeftovers(db.real, kindCompact, kindImport, kindNew)
	if err := db.tidy(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
