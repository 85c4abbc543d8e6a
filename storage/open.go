package storage

import (
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/tree"
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
	return opened(tree.Open(path, o.settings(), allOwners))
}

// opened is the store that was opened or attached, after what killed processes left beside its file
// was removed. What cannot be removed only takes space.
func opened(store *tree.Store, err error) (*DB, error) {
	if err != nil {
		return nil, err
	}
	db := &DB{store}
	if !db.ReadOnly() {
		_ = db.collectCheckpoints()
	}
	return db, nil
}

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
	return opened(tree.Attach(b, append([]byte(nil), bucket...), o.settings(), allOwners))
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
	return db.file.UpdateIn(ctx, btx, func(t *tree.Tx) error { return change(t, f) })
}
