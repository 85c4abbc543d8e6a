package tree

import (
	"bytes"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"

	bolt "go.etcd.io/bbolt"
)

// GraphParts are the buckets that every graph object has, and FurtherParts those that
// it has only if they have records.
var (
	GraphParts   = [...][]byte{block.KeysName, block.IDsName, block.ArcsName}
	FurtherParts = [...][]byte{block.EmptyName, block.AttrsName, block.EdgeAttrsName}
)

// StagedParts are the buckets of a graph object in the order in which they are
// written. Each is filled in ascending order of its keys.
var StagedParts = [...][]byte{block.KeysName, block.IDsName, block.ArcsName, block.EmptyName, block.AttrsName, block.EdgeAttrsName}

// NewObject makes the bucket of a new object with the given parts.
func (t *Tx) NewObject(parts ...[]byte) (uint64, error) {
	objects, err := t.Top(block.ObjectsName)
	if err != nil {
		return 0, err
	}
	id := t.NewID()
	b, err := objects.CreateBucket(block.Key64(id))
	if err != nil {
		return 0, err
	}
	if a := t.AccountOf(block.TopPlace(block.ObjectsName)); a != nil {
		a.AddBucket(block.Key64(id))
	}
	for _, name := range parts {
		if _, err := b.CreateBucket(name); err != nil {
			return 0, err
		}
	}
	t.References.add(id, -1) // it gets its owner in the same transaction
	return id, nil
}

// Discard hands an object to the sweep; 0 is no object. Rows may have indexes: see
// discardRows.
func (t *Tx) Discard(object uint64) error {
	if object == 0 {
		return nil
	}
	trash, err := t.TopPart(block.TrashName)
	if err != nil {
		return err
	}
	key := block.Key64(object)
	if trash.Bucket.Get(key) == nil {
		t.References.add(object, 1)
	}
	return trash.Put(key, trash.Seed.Seal(key, make([]byte, block.ChecksumSize)))
}

// ReadSlots reads the empty slots of an object, of which there should be n.
func (t *Tx) ReadSlots(object, slots, n uint64) (block.SlotMap, error) {
	m := block.SlotMap{Slots: slots}
	if n == 0 {
		return m, nil
	}
	p, err := t.Part(object, block.EmptyName)
	if err != nil {
		return m, err
	}
	m.Empty = make([]uint32, 0, n)
	err = t.Scan(p, func(key, payload []byte) (err error) {
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

// OpenPart returns a part of an object, and makes it if it does not exist.
func (t *Tx) OpenPart(object uint64, name []byte) (Part, error) {
	b, err := t.Object(object)
	if err != nil {
		return Part{}, err
	}
	if b.Bucket(name) == nil {
		if _, err := b.CreateBucket(name); err != nil {
			return Part{}, err
		}
	}
	return t.Part(object, name)
}

// FindPart returns a part that an object may lack, and whether it exists.
func (t *Tx) FindPart(object uint64, name []byte) (p Part, found bool, err error) {
	b, err := t.Object(object)
	if err == nil && t.Tree != nil { // a part that was lost must not pass for one that never existed
		err = t.Tree.below([][]byte{block.ObjectsName, block.Key64(object)}, [][]byte{block.ObjectsName, block.Key64(object), name})
	}
	if err != nil || b.Bucket(name) == nil {
		return Part{}, false, err
	}
	p, err = t.Part(object, name)
	return p, err == nil, err
}

// Object is the bucket of one graph version or one embedding generation. Its own pages are
// verified, those of its parts by part.
func (t *Tx) Object(id uint64) (*bolt.Bucket, error) {
	objects, err := t.Top(block.ObjectsName)
	if err != nil {
		return nil, err
	}
	key := block.Key64(id)
	if t.Tree != nil {
		if err := t.Tree.Fault([][]byte{block.ObjectsName, key}); err != nil {
			return nil, err
		}
	}
	b := objects.Bucket(key)
	if b == nil {
		return nil, fault.Record("object %d is missing", id)
	}
	if t.Tree != nil {
		return b, t.Tree.visit(t.Ctx, &t.Ledger, b, block.ObjectsName, key)
	}
	return b, nil
}

// Part returns a part of an object, whose pages are verified at its first use; see OpenPart.
func (t *Tx) Part(id uint64, name []byte) (Part, error) {
	object, err := t.Object(id)
	if err != nil {
		return Part{}, err
	}
	b, err := t.PartIn(object, block.ObjectsName, block.Key64(id), name)
	if err != nil {
		return Part{}, err
	}
	if b == nil {
		return Part{}, fault.Record("object %d has no %s", id, name)
	}
	return Part{Bucket: b, Seed: block.PartSeed(id, name), Account: t.AccountOf(block.PartPlace(id, name))}, nil
}

// PartIn is the bucket of a part of an object, whose path it is given, after its pages were
// verified; nil if there is none.
func (t *Tx) PartIn(object *bolt.Bucket, path ...[]byte) (*bolt.Bucket, error) {
	if t.Tree != nil {
		if err := t.Tree.below(path[:2], path); err != nil {
			return nil, err
		}
	}
	b := object.Bucket(path[2])
	if b == nil || t.Tree == nil {
		return b, nil
	}
	return b, t.Tree.visit(t.Ctx, &t.Ledger, b, path...)
}

// DeleteRange deletes the records of a bucket from a key on, up to the first key for
// which within is false.
func (t *Tx) DeleteRange(p Part, from []byte, within func(key []byte) bool) error {
	const most = 1 << 10 // keys that are held at a time
	var keys [][]byte
	for {
		// Deleting under a cursor may skip a key, so keys are gathered first. Leaves
		// that became empty stay until the commit, so the next round starts at the last
		// key and not at the beginning.
		keys = keys[:0]
		cursor := p.Bucket.Cursor()
		for key, _ := cursor.Seek(from); key != nil && len(keys) < most && within(key); key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		for _, key := range keys {
			if err := t.Ctx.Err(); err != nil {
				return err
			}
			if err := p.Delete(key); err != nil {
				return err
			}
		}
		if len(keys) < most {
			return nil
		}
		from = keys[most-1]
	}
}

// Scan calls f with the verified payload of every record of a part, in key order, and
// checks ctx between records.
func (t *Tx) Scan(p Part, f func(key, payload []byte) error) error {
	cursor := p.Bucket.Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		if value == nil {
			return fault.Record("bucket where a record should be")
		}
		payload, err := p.Seed.Open(key, value)
		if err != nil {
			return err
		}
		if err := f(key, payload); err != nil {
			return err
		}
		t.Scanned++
	}
	return nil
}

// Get reads a record of a top bucket of the catalogue into v, and reports whether there is one.
func (t *Tx) Get(bucket, key []byte, v any) (bool, error) {
	b, err := t.Top(bucket)
	if err != nil || b == nil {
		return false, err
	}
	record := b.Get(key)
	if record == nil {
		return false, nil
	}
	return true, t.memory.record(bucket, key, record, v)
}

// Validated is a record that can say whether readers would accept it, in a file of size bytes. Put
// refuses one that they would not.
type Validated interface {
	// Validate returns an error if a file of size bytes cannot hold what the record counts.
	Validate(size int64) error
}

// Each calls f with every key of a top bucket, in order, with its record still
// encoded. f must not change the bucket.
func (t *Tx) Each(bucket []byte, f func(key, record []byte) error) error {
	b, err := t.Top(bucket)
	if err != nil || b == nil {
		return err
	}
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		if err := f(key, record); err != nil {
			return err
		}
	}
	return nil
}
