package tree

import (
	"unsafe"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// Immutable is a part whose records never change after they were written: the rows of an
// embedding, or a blob. The checksum of such a record, which covers the number of its object
// and its key, is enough to show that the record is the right one, so no count and sum of all
// records are needed to notice a lost write. Therefore only the pages on the path to a record
// are verified, and a search that reads a few records does not wait for a walk over all.
type Immutable struct {
	T      *Tx
	Part   Part
	seeker *page.Seeker // nil where bbolt may follow any page: it was verified, or is trusted
}

// ImmutablePart is part for a part whose records never change.
func (t *Tx) ImmutablePart(id uint64, name []byte) (Immutable, error) {
	if t.Tree == nil || t.File == nil {
		p, err := t.Part(id, name)
		return Immutable{T: t, Part: p}, err
	}
	object, err := t.Object(id)
	if err != nil {
		return Immutable{}, err
	}
	path := [][]byte{block.ObjectsName, block.Key64(id), name}
	if err := t.Tree.below(path[:objectDepth], path); err != nil {
		return Immutable{}, err
	}
	b := object.Bucket(name)
	if b == nil {
		return Immutable{}, fault.Record("object %d has no %s", id, name)
	}
	l := Immutable{T: t, Part: Part{Bucket: b, Seed: block.PartSeed(id, name)}}
	if b.Root() != 0 {
		l.seeker = t.Tree.seekerOf(path, uint64(b.Root()))
	}
	return l, nil
}

// Located is a record of an immutable part that was found and not read.
type Located struct {
	Key    []byte
	Size   int
	At     int64  // in the file; −1 if the file cannot be read without bbolt
	record []byte // in the map; nil if at is set
}

// Locate finds the last record whose key is at most key; false if there is none.
func (l *Immutable) Locate(key []byte) (Located, bool, error) {
	if l.seeker != nil {
		p, found, err := l.seeker.Floor(key)
		if err != nil {
			err = fault.Record("%v", err)
		}
		return Located{Key: p.Key, Size: int(p.Size), At: p.At}, found, err
	}
	first, record := l.Part.Floor(key)
	if first == nil || record == nil {
		return Located{}, false, nil
	}
	r := Located{Key: first, Size: len(record), At: -1, record: record}
	if at, ok := l.T.offset(record); ok {
		r.At, r.record = at, nil
	}
	return r, true, nil
}

// Read copies bytes of a record, whose checksum the caller cannot verify. It reads the file
// and not its map, because each byte that is read in the map makes up to 64 KiB of the file
// count towards the memory of the process.
func (l *Immutable) Read(r Located, at int, b []byte) error {
	if r.record != nil {
		copy(b, r.record[at:])
		return nil
	}
	_, err := l.T.File.ReadAt(b, r.At+int64(at))
	return err
}

// Floor returns the last record whose key is at most key, in the map and unverified, or nil.
func (l *Immutable) Floor(key []byte) (first, record []byte, err error) {
	if l.seeker == nil {
		first, record = l.Part.Floor(key)
		return first, record, nil
	}
	r, found, err := l.Locate(key)
	if err != nil || !found {
		return nil, nil, err
	}
	// Every page on the way to this key was verified.
	first, record = l.Part.Bucket.Cursor().Seek(r.Key)
	return first, record, nil
}

// offset returns where bytes of the map are in the file; false if they are not in the map,
// or the file cannot be read without bbolt.
func (t *Tx) offset(b []byte) (int64, bool) {
	if t.File == nil {
		return 0, false
	}
	btx := t.Root.Tx()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - btx.DB().Info().Data
	return int64(at), uint64(at)+uint64(len(b)) <= uint64(btx.Size())
}
