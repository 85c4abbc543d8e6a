package storage

import (
	"context"
	"errors"
	"fmt"
	"heavytail/storage/internal/tree"
	"os"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"

	bolt "go.etcd.io/bbolt"
)

// attachTree opens the store in a bucket of an application's file, and makes it if there is none
// and the settings allow it; all lists what objects belong to.
func attachTree(b *bolt.DB, bucket []byte, o Settings, all func(t *tree.Tx) tree.Owners) (*Store, error) {
	db := makeStore(b.Path(), bucket, o, all)
	db.attached = true
	db.current = &handle{bolt: b, writable: !o.ReadOnly}
	if file.CanShareLock { // elsewhere, closing the file again would end the lock of bbolt
		if f, err := os.Open(b.Path()); err == nil {
			db.current.file = f
		}
	}
	ctx := context.Background()
	err := db.ensureBucket(ctx)
	if err == nil {
		err = db.view(ctx, func(t *tree.Tx) error {
			db.epoch.Store(t.Header.Epoch)
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
	b := db.current.bolt
	missing := false
	err := fault.Guarded(db.path, func() error {
		return b.View(func(btx *bolt.Tx) error {
			missing = btx.Bucket(db.bucket) == nil
			return nil
		})
	})
	if err != nil || !missing {
		return db.boltError(err)
	}
	if db.opts.ReadOnly || db.opts.NoCreate {
		return &FileError{Path: db.path, Err: ErrNotStore, Reason: fmt.Sprintf("it has no bucket %q", fault.Clip(string(db.bucket))),
			Remedy: "attach for writing to make one"}
	}
	return fault.Guarded(db.path, func() error {
		btx, err := db.beginShared(ctx, db.current)
		if err != nil {
			return err
		}
		defer db.rollback(btx)
		root, err := btx.CreateBucketIfNotExists(db.bucket)
		if err == nil && root.Get(block.HeaderKey) == nil {
			err = tree.Init(root, block.NewHeader())
		}
		if err != nil {
			return db.boltError(err)
		}
		return btx.Commit()
	})
}

// updateIn runs f in a write transaction of the application, and commits nothing. A panic of f
// goes on in the caller after the file is released.
func (db *Store) updateIn(ctx context.Context, btx *bolt.Tx, f func(*tree.Tx) error) error {
	ctx = orBackground(ctx)
	h, err := db.acquireToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.release(h)
	switch {
	case !db.attached:
		return fmt.Errorf("%q: %w: only a store that is attached takes part in a transaction of the application", db.path, ErrInvalid)
	case btx == nil || btx.DB() != h.bolt:
		return fmt.Errorf("%q: %w: the transaction is over, or one of another file", db.path, ErrInvalid)
	case !btx.Writable():
		return fmt.Errorf("%q: %w: the transaction cannot write", db.path, ErrInvalid)
	}
	var panicked any
	err = fault.Guarded(db.path, func() error {
		t, err := db.newTx(ctx, h, btx)
		if err != nil {
			return err
		}
		t.Pending = t.Header.Epoch != db.epoch.Load()
		err = func() (err error) {
			defer func() {
				if panicked = recover(); panicked != nil {
					err = errPanicked
				}
			}()
			return f(t)
		}()
		if err != nil {
			return fault.Corrupt(db.path, "", err)
		}
		if err := t.End(db.owners); err != nil {
			return err
		}
		btx.OnCommit(func() { db.epoch.Store(t.Header.Epoch) })
		return nil
	})
	if panicked != nil {
		panic(panicked)
	}
	return err
}
