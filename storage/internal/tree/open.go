package tree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/file"
)

// Open opens the file at path, and makes one if there is none and the settings allow it.
// all lists what objects belong to.
func Open(path string, o Settings, all func(t *Tx) Owners) (*Store, error) {
	deadline := time.Now().Add(o.LockTimeout)
	real, err := locate(path, o)
	if err != nil {
		return nil, err
	}
	if o.ReleaseIdle {
		o.ReleaseIdle = file.CanShareLock && o.fileSystemAt(real) == ""
	}
	db := NewStore(path, block.RootName, o, all)
	if db.Real, err = filepath.Abs(real); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	db.Beside = db.Real
	found, err := db.openFile(context.Background(), deadline)
	if err != nil {
		return nil, err
	}
	db.Lock, db.Current, db.remarks = found.lock, found.handle, found.notices
	db.Lease.created = found.header.Created
	db.Epoch.Store(found.header.Epoch)
	if o.ReleaseIdle {
		defer db.Hold()()
		db.startLease()
	}
	if o.ReadOnly {
		return db, nil
	}
	if !file.CanShareLock {
		// On this system the file must be verified and opened for writing at the same
		// time.
		unlock, err := db.LockWriter(context.Background())
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		unlock()
	}
	RemoveLeftovers(db.Real, KindCompact, KindImport, KindNew)
	if err := db.tidy(context.Background()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
