package tree

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
)

// Attach opens the store in a bucket of an application's file, and makes it if there is none
// and the settings allow it; all lists what objects belong to.
func Attach(b *bolt.DB, bucket []byte, o Settings, all func(t *Tx) Owners) (*Store, error) {
	db := NewStore(b.Path(), bucket, o, all)
	db.Attached = true
	path, err := filepath.Abs(b.Path())
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	db.Beside = fmt.Sprintf("%s.%d", path, crc32.ChecksumIEEE(bucket))
	db.Current = &Handle{Bolt: b, Writable: !o.ReadOnly}
	if file.CanShareLock { // elsewhere, closing the file again would end the lock of bbolt
		if f, err := os.Open(b.Path()); err == nil {
			db.Current.File = f
		}
	}
	ctx := context.Background()
	err = db.ensureBucket(ctx)
	if err == nil {
		err = db.View(ctx, func(t *Tx) error {
			db.Epoch.Store(t.Header.Epoch)
			return nil
		})
	}
	if err == nil && !o.ReadOnly {
		err = db.tidy(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ensureBucket creates the bucket with an empty store, if there is no bucket.
func (db *Store) ensureBucket(ctx context.Context) error {
	b := db.Current.Bolt
	missing := false
	err := fault.Guarded(db.Path, func() error {
		return b.View(func(btx *bolt.Tx) error {
			missing = btx.Bucket(db.bucket) == nil
			return nil
		})
	})
	if err != nil || !missing {
		return db.boltError(err)
	}
	if db.Opts.ReadOnly || db.Opts.NoCreate {
		return &fault.FileError{Path: db.Path, Err: fault.ErrNotStore, Reason: fmt.Sprintf("it has no bucket %q", fault.Clip(string(db.bucket))),
			Remedy: "attach for writing to make one"}
	}
	return fault.Guarded(db.Path, func() error {
		btx, err := db.beginShared(ctx, db.Current)
		if err != nil {
			return err
		}
		defer db.rollback(btx)
		root, err := btx.CreateBucketIfNotExists(db.bucket)
		if err == nil && root.Get(block.HeaderKey) == nil {
			err = Init(root, block.NewHeader())
		}
		if err != nil {
			return db.boltError(err)
		}
		return btx.Commit()
	})
}

// UpdateIn runs f in a write transaction of the application, and commits nothing. A panic of f
// continues in the caller after the file is released.
func (db *Store) UpdateIn(ctx context.Context, btx *bolt.Tx, f func(*Tx) error) error {
	ctx = OrBackground(ctx)
	h, err := db.acquireToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Release(h)
	switch {
	case !db.Attached:
		return fmt.Errorf("%q: %w: only a store that is attached takes part in a transaction of the application", db.Path, fault.ErrInvalid)
	case btx == nil || btx.DB() != h.Bolt:
		return fmt.Errorf("%q: %w: the transaction is over, or one of another file", db.Path, fault.ErrInvalid)
	case !btx.Writable():
		return fmt.Errorf("%q: %w: the transaction cannot write", db.Path, fault.ErrInvalid)
	}
	var panicked any
	err = fault.Guarded(db.Path, func() error {
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		t.Pending = t.Header.Epoch != db.Epoch.Load()
		err = func() (err error) {
			defer func() {
				if panicked = recover(); panicked != nil {
					err = ErrPanicked
				}
			}()
			return f(t)
		}()
		if err != nil {
			return fault.Corrupt(db.Path, "", err)
		}
		if err := t.End(db.owners); err != nil {
			return err
		}
		btx.OnCommit(func() { db.Epoch.Store(t.Header.Epoch) })
		return nil
	})
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// ErrPanicked rolls back the transaction of a function that panicked.
var ErrPanicked = errors.New("the function panicked")
