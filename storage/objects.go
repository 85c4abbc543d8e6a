package storage

import (
	"bytes"
	"fmt"
	"math"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// graphParts are the buckets that every graph object has, and furtherParts those that
// it has only if they have records.
var (
	graphParts   = [...][]byte{block.KeysName, block.IDsName, block.ArcsName}
	furtherParts = [...][]byte{block.EmptyName, block.AttrsName}
)

// stagedParts are the buckets of a graph object in the order in which they are
// written. Each is filled in ascending order of its keys.
var stagedParts = [...][]byte{block.KeysName, block.IDsName, block.ArcsName, block.EmptyName, block.AttrsName}

// newObject makes the bucket of a new object with the given parts.
func (t *tx) newObject(parts ...[]byte) (uint64, error) {
	objects, err := t.top(block.ObjectsName)
	if err != nil {
		return 0, err
	}
	id := t.newID()
	b, err := objects.CreateBucket(block.Key64(id))
	if err != nil {
		return 0, err
	}
	if a := t.accountOf(block.TopPlace(block.ObjectsName)); a != nil {
		a.AddBucket(block.Key64(id))
	}
	for _, name := range parts {
		if _, err := b.CreateBucket(name); err != nil {
			return 0, err
		}
	}
	t.references.add(id, -1) // it gets its owner in the same transaction
	return id, nil
}

// discard hands an object to the sweep; 0 is no object. Rows may have indexes: see
// discardRows.
func (t *tx) discard(object uint64) error {
	if object == 0 {
		return nil
	}
	trash, err := t.topPart(block.TrashName)
	if err != nil {
		return err
	}
	key := block.Key64(object)
	if trash.bucket.Get(key) == nil {
		t.references.add(object, 1)
	}
	return trash.put(key, trash.seed.Seal(key, make([]byte, block.ChecksumSize)))
}

// discarded returns the first object in the trash.
func (t *tx) discarded() (object []byte, err error) {
	trash, err := t.top(block.TrashName)
	if err != nil {
		return nil, err
	}
	key, _ := trash.Cursor().First()
	return bytes.Clone(key), nil
}

// readSlots reads the empty slots of an object, of which there should be n.
func (t *tx) readSlots(object, slots, n uint64) (block.SlotMap, error) {
	m := block.SlotMap{Slots: slots}
	if n == 0 {
		return m, nil
	}
	p, err := t.part(object, block.EmptyName)
	if err != nil {
		return m, err
	}
	m.Empty = make([]uint32, 0, n)
	err = t.scan(p, func(key, payload []byte) (err error) {
		before := len(m.Empty)
		if m.Empty, err = block.DecodeSlots(m.Empty, key, payload); err != nil {
			return err
		}
		if before > 0 && m.Empty[before] <= m.Empty[before-1] {
			return fault.Record("empty slots do not ascend")
		}
		if last := m.Empty[len(m.Empty)-1]; uint64(len(m.Empty)) > n || uint64(last) >= slots {
			return fault.Record("%d empty slots up to %d, where the catalogue says %d of %d", len(m.Empty), last, n, slots)
		}
		return nil
	})
	if err == nil && uint64(len(m.Empty)) != n {
		err = fault.Record("%d empty slots where the catalogue says %d", len(m.Empty), n)
	}
	return m, err
}

// openPart returns a part of an object, and makes it if it does not exist.
func (t *tx) openPart(object uint64, name []byte) (part, error) {
	b, err := t.object(object)
	if err != nil {
		return part{}, err
	}
	if b.Bucket(name) == nil {
		if _, err := b.CreateBucket(name); err != nil {
			return part{}, err
		}
	}
	return t.part(object, name)
}

// findPart returns a part that an object may lack, and whether it exists.
func (t *tx) findPart(object uint64, name []byte) (p part, found bool, err error) {
	b, err := t.object(object)
	if err == nil && t.tree != nil { // a part that was lost must not pass for one that never existed
		err = t.tree.below([][]byte{block.ObjectsName, block.Key64(object)}, [][]byte{block.ObjectsName, block.Key64(object), name})
	}
	if err != nil || b.Bucket(name) == nil {
		return part{}, false, err
	}
	p, err = t.part(object, name)
	return p, err == nil, err
}

// object is the bucket of one graph version or one embedding generation. Its own pages are
// verified, those of its parts by part.
func (t *tx) object(id uint64) (*bolt.Bucket, error) {
	objects, err := t.top(block.ObjectsName)
	if err != nil {
		return nil, err
	}
	key := block.Key64(id)
	if t.tree != nil {
		if err := t.tree.fault([][]byte{block.ObjectsName, key}); err != nil {
			return nil, err
		}
	}
	b := objects.Bucket(key)
	if b == nil {
		return nil, fault.Record("object %d is missing", id)
	}
	if t.tree != nil {
		return b, t.tree.visit(t.ctx, &t.ledger, b, block.ObjectsName, key)
	}
	return b, nil
}

func (t *tx) part(id uint64, name []byte) (part, error) {
	object, err := t.object(id)
	if err != nil {
		return part{}, err
	}
	b, err := t.partIn(object, block.ObjectsName, block.Key64(id), name)
	if err != nil {
		return part{}, err
	}
	if b == nil {
		return part{}, fault.Record("object %d has no %s", id, name)
	}
	return part{bucket: b, seed: block.PartSeed(id, name), account: t.accountOf(block.PartPlace(id, name))}, nil
}

// partIn is the bucket of a part of an object, whose path it is given, after its pages were
// verified; nil if there is none.
func (t *tx) partIn(object *bolt.Bucket, path ...[]byte) (*bolt.Bucket, error) {
	if t.tree != nil {
		if err := t.tree.below(path[:2], path); err != nil {
			return nil, err
		}
	}
	b := object.Bucket(path[2])
	if b == nil || t.tree == nil {
		return b, nil
	}
	return b, t.tree.visit(t.ctx, &t.ledger, b, path...)
}

// deleteRange deletes the records of a bucket from a key on, up to the first key for
// which within is false.
func (t *tx) deleteRange(p part, from []byte, within func(key []byte) bool) error {
	const most = 1 << 10 // keys that are held at a time
	var keys [][]byte
	for {
		// Deleting under a cursor may skip a key, so keys are gathered first. Leaves
		// that became empty stay until the commit, so the next round starts at the last
		// key and not at the beginning.
		keys = keys[:0]
		cursor := p.bucket.Cursor()
		for key, _ := cursor.Seek(from); key != nil && len(keys) < most && within(key); key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for _, key := range keys {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			if err := p.delete(key); err != nil {
				return err
			}
		}
		if len(keys) < most {
			return nil
		}
		from = keys[most-1]
	}
}

// scan calls f with the verified payload of every record of a part, in key order, and
// checks ctx between records.
func (t *tx) scan(p part, f func(key, payload []byte) error) error {
	cursor := p.bucket.Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if value == nil {
			return fault.Record("bucket where a record should be")
		}
		payload, err := p.seed.Open(key, value)
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

// Catalogue access: get reads and put writes one record of a top bucket. get
// reports whether there is one.
func (t *tx) get(bucket, key []byte, v any) (bool, error) {
	b, err := t.top(bucket)
	if err != nil || b == nil {
		return false, err
	}
	record := b.Get(key)
	if record == nil {
		return false, nil
	}
	return true, t.memory.record(bucket, key, record, v)
}

// put refuses what get would not accept: nobody could read it again.
func (t *tx) put(bucket, key []byte, v any) error {
	if r, ok := v.(interface{ validate(size int64) error }); ok {
		if err := r.validate(math.MaxInt64); err != nil {
			return fmt.Errorf("%s %q: %w: %s", bucket, fault.Clip(string(key)), ErrInvalid, fault.Reason(err))
		}
	}
	p, err := t.topPart(bucket)
	if err == nil && p.bucket == nil {
		p.bucket, err = t.root.CreateBucket(bucket)
	}
	if err != nil {
		return err
	}
	record, err := block.EncodeStruct(p.seed, key, v)
	if err != nil {
		return err
	}
	t.references.count(bucket, key, p.bucket.Get(key), -1)
	t.references.count(bucket, key, record, 1)
	return p.put(key, record)
}

func (t *tx) remove(bucket, key []byte) error {
	p, err := t.topPart(bucket)
	if err != nil {
		return err
	}
	t.references.count(bucket, key, p.bucket.Get(key), -1)
	return p.delete(key)
}

// each calls f with every key of a top bucket, in order, with its record still
// encoded. f must not change the bucket.
func (t *tx) each(bucket []byte, f func(key, record []byte) error) error {
	b, err := t.top(bucket)
	if err != nil || b == nil {
		return err
	}
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := f(key, record); err != nil {
			return err
		}
	}
	return nil
}
