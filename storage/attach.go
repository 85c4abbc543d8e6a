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

// Attach opens a store in a bucket of the application's own bbolt file. The bucket is
// created if it does not exist and the options allow it. All methods work as on a file
// of its own, except Compact, which replaces the file and returns
// ErrInvalid. Backup copies only the store into a separate file. Close ends the store
// and leaves b open; b must stay open until then. There should be one store per bucket
// and process.
//
// Each write is one or several transactions of b, which wait for those of the
// application. A write inside a write transaction of the same goroutine would wait for
// itself. After Options.LockTimeout it fails with ErrLocked, as does a write that
// waits longer for another goroutine. To write inside of a transaction, use UpdateIn.
// As always with bbolt, a goroutine that has a read transaction open must not begin to
// write.
//
// Records are verified by their checksums, and a fault of the map while our code
// runs is ErrCorrupt, as in a file of its own. But the shape of the tree is not
// verified before bbolt follows it, because bbolt has already opened the file. A
// damaged file may therefore end the process, which a file of its own does not.
// Check walks over the bucket with plain reads first.
func Attach(b *bolt.DB, bucket []byte, opts *Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	o := opts.withDefaults()
	if o.ReleaseIdle {
		return nil, fmt.Errorf("attach: %w: ReleaseIdle, but the application has the file", ErrInvalid)
	}
	if len(bucket) == 0 || len(bucket) > bolt.MaxKeySize {
		return nil, fmt.Errorf("attach: bucket name of %d bytes: %w", len(bucket), ErrInvalid)
	}
	if b.IsReadOnly() && !o.ReadOnly {
		return nil, fmt.Errorf("attach to %q: %w: it can be attached for reading only", b.Path(), ErrReadOnly)
	}
	db := newDB(b.Path(), append([]byte(nil), bucket...), o, allOwners)
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
func (db *DB) ensureBucket(ctx context.Context) error {
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

// UpdateIn calls f with a write transaction that is part of the application's
// own: the changes of f are committed or rolled back with btx, together with
// those of the application. UpdateIn commits nothing. btx must be a write
// transaction of the bbolt file that db is attached to, and db must not be used
// for anything else by this goroutine before btx has ended: its reads do not
// see what btx wrote, and its writes wait for btx.
//
// If UpdateIn returns an error, the transaction may contain a part of the
// changes of f: roll it back.
func (db *DB) UpdateIn(ctx context.Context, btx *bolt.Tx, f func(*Tx) error) error {
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
		err = change(t, func(x *Tx) (err error) {
			defer func() {
				if panicked = recover(); panicked != nil {
					err = errPanicked
				}
			}()
			return f(x)
		})
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
