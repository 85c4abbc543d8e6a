package tree

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// count adds n to the counts of the objects of a stored record, nil for none. Those of a damaged
// record are unknown.
func (m *References) count(bucket, key, record []byte, n int) {
	if record == nil {
		return
	}
	for _, object := range ObjectsIn(bucket, key, record) {
		m.add(object, n)
	}
}

// ObjectsIn lists the objects to which a record of a top bucket refers, 0 for none.
func ObjectsIn(bucket, key, record []byte) []uint64 {
	var (
		whole struct {
			Object uint64 `msgpack:"object"`
		}
		rows struct {
			Object uint64     `msgpack:"object"`
			State  BlobRecord `msgpack:"state"`
		}
		stream struct {
			Stream BlobRecord `msgpack:"stream"`
		}
		job struct {
			Checkpoint BlobRecord `msgpack:"checkpoint"`
		}
		err error
	)
	switch string(bucket) {
	case string(block.GraphsName), string(block.PredictionsName), string(block.JournalName):
		err = block.DecodeStruct(bucket, key, record, &whole)
	case string(block.EmbeddingsName):
		err = block.DecodeStruct(bucket, key, record, &rows)
	case string(block.IndexesName), string(block.ModelsName):
		err = block.DecodeStruct(bucket, key, record, &stream)
	case string(block.JobsName):
		err = block.DecodeStruct(bucket, key, record, &job)
	}
	if err != nil {
		return nil
	}
	return []uint64{whole.Object, rows.Object, rows.State.Object, stream.Stream.Object, job.Checkpoint.Object}
}

// Owners are the owners of objects in words, by the numbers of the objects. Each object should
// have one.
type Owners map[uint64][]string

// Add notes an owner of an object; 0 is no object.
func (o Owners) Add(object uint64, owner string) {
	if object != 0 {
		o[object] = append(o[object], owner)
	}
}

// End makes sure that no object has two owners, which all lists, and prepares a transaction for its commit.
func (t *Tx) End(all func(*Tx) Owners) error {
	if err := t.CheckReferences(all); err != nil {
		return err
	}
	return t.finish()
}

// CheckReferences returns ErrShared if the transaction would let a further entry refer to an
// object that one has already.
func (t *Tx) CheckReferences(all func(*Tx) Owners) error {
	var o Owners
	for _, object := range slices.Sorted(maps.Keys(t.References)) {
		if t.References[object] <= 0 {
			continue
		}
		if o == nil {
			o = all(t)
		}
		if list := o[object]; len(list) > 1 {
			return &fault.FileError{Path: t.Path, Object: list[1], Err: fault.ErrShared, Reason: fmt.Sprintf("object %d belongs to %s", object, list[0]), Remedy: fault.RemedyShared}
		}
	}
	return nil
}

// SweepOne removes the first object in the trash. bbolt frees the pages of a
// bucket without rewriting any of them: it reads each leaf page once and keeps
// about 40 bytes per page until the commit, so that even an object of a
// gigabyte is one transaction of a few tens of milliseconds and 12 MB.
//
// An object that an entry refers to as well is only taken out of the trash. So one of two
// entries that share it, in a damaged file, keeps it.
func (t *Tx) SweepOne(all func(*Tx) Owners) error {
	key, err := t.Discarded()
	if key == nil || err != nil {
		return err
	}
	objects, err := t.Top(block.ObjectsName)
	if err != nil {
		return err
	}
	if shared := len(all(t)[block.IDOf(key)]) > 1; objects.Bucket(key) != nil && !shared {
		if err := objects.DeleteBucket(key); err != nil {
			return err
		}
		if a := t.AccountOf(block.TopPlace(block.ObjectsName)); a != nil {
			a.RemoveBucket(key)
		}
		if err := t.forget(key); err != nil {
			return err
		}
	}
	return t.Remove(block.TrashName, key)
}

// Describe names the bucket at a path below the root bucket for a person.
func (o Owners) Describe(path [][]byte) string {
	if len(path) > 1 && len(path[1]) == 8 {
		if list := o[block.IDOf(path[1])]; list != nil {
			if len(path) > 2 {
				return list[0] + ", " + fault.Clip(string(path[2]))
			}
			return list[0]
		}
	}
	return DescribePath(path)
}

// DescribePath names a bucket below the root bucket for a person.
func DescribePath(path [][]byte) string {
	if len(path) == 0 {
		return ""
	}
	text := string(path[0])
	for i, part := range path[1:] {
		if i == 0 && bytes.Equal(path[0], block.ObjectsName) && len(part) == 8 {
			text += fmt.Sprintf(" %d", block.IDOf(part))
		} else {
			text += fmt.Sprintf(", %q", fault.Clip(string(part)))
		}
	}
	return text
}

// Remove deletes a record of the catalogue, if there is one.
func (t *Tx) Remove(bucket, key []byte) error {
	p, err := t.TopPart(bucket)
	if err != nil {
		return err
	}
	t.References.count(bucket, key, p.Bucket.Get(key), -1)
	return p.Delete(key)
}

// Put writes a record of the catalogue. It refuses what Get would not accept: nobody could read it again.
func (t *Tx) Put(bucket, key []byte, v any) error {
	if r, ok := v.(Validated); ok {
		if err := r.Validate(math.MaxInt64); err != nil {
			return fmt.Errorf("%s %q: %w: %s", bucket, fault.Clip(string(key)), fault.ErrInvalid, fault.Reason(err))
		}
	}
	p, err := t.TopPart(bucket)
	if err == nil && p.Bucket == nil {
		p.Bucket, err = t.Root.CreateBucket(bucket)
	}
	if err != nil {
		return err
	}
	record, err := block.EncodeStruct(p.Seed, key, v)
	if err != nil {
		return err
	}
	t.References.count(bucket, key, p.Bucket.Get(key), -1)
	t.References.count(bucket, key, record, 1)
	return p.Put(key, record)
}

// Discarded returns the first object in the trash.
func (t *Tx) Discarded() (object []byte, err error) {
	trash, err := t.Top(block.TrashName)
	if err != nil {
		return nil, err
	}
	key, _ := trash.Cursor().First()
	return bytes.Clone(key), nil
}
