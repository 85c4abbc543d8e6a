package storage

import (
	"bytes"
	"context"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

// tx is one transaction over the root bucket of a store. Everything the store
// does is a method of it, and none looks beyond the root bucket: the bucket may
// one day lie in the file of an application, under any name.
type tx struct {
	ctx     context.Context
	root    *bolt.Bucket
	path    string   // file, for errors
	file    *os.File // for plain reads; nil where bbolt alone has it
	header  header
	tree    *soundness // what is known of the shape of the tree; nil where it is trusted
	rows    *soundRows // embeddings whose rows were verified; nil where that is not remembered
	scanned int64      // records that scan has verified
	pending bool       // the transaction holds an earlier UpdateIn, or a blob: the size of the file is no bound
}

// newTx reads the header; a file whose header cannot be read has no further
// meaning.
func (db *DB) newTx(ctx context.Context, h *handle, btx *bolt.Tx) (*tx, error) {
	root := btx.Bucket(db.bucket)
	if root == nil {
		return nil, notStore(db.path, "a bbolt file of another program")
	}
	t, err := newRootTx(ctx, root, db.path, h.tree)
	if err == nil {
		t.file, t.rows = h.file, &h.rows
	}
	return t, err
}

func newRootTx(ctx context.Context, root *bolt.Bucket, path string, tree *soundness) (*tx, error) {
	t := &tx{ctx: ctx, root: root, path: path, tree: tree}
	h, err := decodeHeader(root.Get(headerKey))
	if err != nil {
		return nil, headerError(path, err)
	}
	t.header = h
	for _, name := range topBuckets {
		if root.Bucket(name) == nil {
			return nil, &FileError{Path: path, Err: ErrCorrupt, Reason: fmt.Sprintf("bucket %q is missing", name), Remedy: remedyRestore}
		}
	}
	return t, nil
}

// meta describes the pages of the file as this transaction sees them.
func (t *tx) meta() meta {
	btx := t.root.Tx()
	size := btx.DB().Info().PageSize
	return meta{pageSize: size, root: uint64(btx.Cursor().Bucket().Root()), freelist: noFreelist, highWater: uint64(btx.Size()) / uint64(size)}
}

// finish writes the header of a transaction that is about to commit.
func (t *tx) finish() error {
	t.header.Epoch++
	t.header.Format, t.header.MinReader = formatVersion, minReader
	return t.root.Put(headerKey, t.header.encode())
}

// newID returns a number that no graph or object of the file ever had.
func (t *tx) newID() uint64 {
	id := t.header.NextID
	t.header.NextID++
	return id
}

// initStore makes an empty root bucket into an empty store.
func initStore(root *bolt.Bucket, h header) error {
	for _, name := range topBuckets {
		if _, err := root.CreateBucket(name); err != nil {
			return err
		}
	}
	return root.Put(headerKey, h.encode())
}

// top returns one of the buckets that every store has, or one of those that are
// made when they are needed, and nil where that did not happen.
func (t *tx) top(name []byte) (*bolt.Bucket, error) {
	b := t.root.Bucket(name)
	if t.tree == nil {
		return b, nil
	}
	if err := t.tree.fault([][]byte{name}); err != nil {
		return nil, err
	}
	if string(name) == string(changesName) {
		return b, t.tree.visit(t.ctx, b, name)
	}
	return b, nil
}

// object is the bucket of one graph version or one embedding generation.
func (t *tx) object(id uint64) (*bolt.Bucket, error) {
	objects, err := t.top(objectsName)
	if err != nil {
		return nil, err
	}
	key := be64(id)
	if t.tree != nil {
		if err := t.tree.fault([][]byte{objectsName, key}); err != nil {
			return nil, err
		}
	}
	b := objects.Bucket(key)
	if b == nil {
		return nil, badRecord("object %d is missing", id)
	}
	if t.tree != nil {
		return b, t.tree.visit(t.ctx, b, objectsName, key)
	}
	return b, nil
}

// part is one bucket of an object, with the seed of its records' checksums.
type part struct {
	bucket *bolt.Bucket
	seed   bucketSeed
}

func partSeed(id uint64, name []byte) bucketSeed { return seedOf(objectsName, be64(id), name) }

func (t *tx) part(id uint64, name []byte) (part, error) {
	object, err := t.object(id)
	if err != nil {
		return part{}, err
	}
	if t.tree != nil {
		if err := t.tree.below([][]byte{objectsName, be64(id)}, [][]byte{objectsName, be64(id), name}); err != nil {
			return part{}, err
		}
	}
	b := object.Bucket(name)
	if b == nil {
		return part{}, badRecord("object %d has no %s", id, name)
	}
	return part{bucket: b, seed: partSeed(id, name)}, nil
}

// deleteRange deletes the records of a bucket from a key on, as long as within
// says that a key belongs to them.
func (t *tx) deleteRange(b *bolt.Bucket, from []byte, within func(key []byte) bool) error {
	const most = 1 << 10 // keys that are held at a time
	var keys [][]byte
	for {
		// Deleting under a cursor may skip a key, so that keys are gathered
		// first; and leaves that became empty stay until the commit, so that it
		// goes on where it was, and not from the first of them.
		keys = keys[:0]
		cursor := b.Cursor()
		for key, _ := cursor.Seek(from); key != nil && len(keys) < most && within(key); key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for _, key := range keys {
			if err := t.ctx.Err(); err != nil {
				return fmt.Errorf("storage: %w", err)
			}
			if err := b.Delete(key); err != nil {
				return err
			}
		}
		if len(keys) < most {
			return nil
		}
		from = keys[most-1]
	}
}

// scan calls f with the verified payload of every record of a part, in key
// order, and looks at ctx between records.
func (t *tx) scan(p part, f func(key, payload []byte) error) error {
	cursor := p.bucket.Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		if value == nil {
			return badRecord("bucket where a record should be")
		}
		payload, err := p.seed.open(key, value)
		if err != nil {
			return err
		}
		if err := f(key, payload); err != nil {
			return err
		}
		t.scanned++
	}
	return nil
}
