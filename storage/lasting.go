package storage

import (
	"unsafe"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// lasting is a part whose records never change after they were written: the rows of an
// embedding, or a blob. The checksum of such a record, which covers the number of its object
// and its key, is enough to show that the record is the right one, so no count and sum of all
// records are needed to notice a lost write. Therefore only the pages on the path to a record
// are verified, and a search that reads a few records does not wait for a walk over all.
type lasting struct {
	t      *tx
	part   part
	seeker *page.Seeker // nil where bbolt may follow any page: it was verified, or is trusted
}

// lastingPart is part for a part whose records never change.
func (t *tx) lastingPart(id uint64, name []byte) (lasting, error) {
	if t.tree == nil || t.file == nil {
		p, err := t.part(id, name)
		return lasting{t: t, part: p}, err
	}
	object, err := t.object(id)
	if err != nil {
		return lasting{}, err
	}
	path := [][]byte{block.ObjectsName, block.Key64(id), name}
	if err := t.tree.below(path[:objectDepth], path); err != nil {
		return lasting{}, err
	}
	b := object.Bucket(name)
	if b == nil {
		return lasting{}, fault.Record("object %d has no %s", id, name)
	}
	l := lasting{t: t, part: part{bucket: b, seed: block.PartSeed(id, name)}}
	if b.Root() != 0 {
		l.seeker = t.tree.seekerOf(path, uint64(b.Root()))
	}
	return l, nil
}

// located is a record of a lasting part that was found and not read.
type located struct {
	key    []byte
	size   int
	at     int64  // in the file; −1 if the file cannot be read without bbolt
	record []byte // in the map; nil if at is set
}

// locate finds the last record whose key is at most key; false if there is none.
func (l *lasting) locate(key []byte) (located, bool, error) {
	if l.seeker != nil {
		p, found, err := l.seeker.Floor(key)
		if err != nil {
			err = fault.Record("%v", err)
		}
		return located{key: p.Key, size: int(p.Size), at: p.At}, found, err
	}
	first, record := l.part.floor(key)
	if first == nil || record == nil {
		return located{}, false, nil
	}
	r := located{key: first, size: len(record), at: -1, record: record}
	if at, ok := l.t.offset(record); ok {
		r.at, r.record = at, nil
	}
	return r, true, nil
}

// read copies bytes of a record, whose checksum the caller cannot verify. It reads the file
// and not its map, because each byte that is read in the map makes up to 64 KiB of the file
// count towards the memory of the process.
func (l *lasting) read(r located, at int, b []byte) error {
	if r.record != nil {
		copy(b, r.record[at:])
		return nil
	}
	_, err := l.t.file.ReadAt(b, r.at+int64(at))
	return err
}

// floor returns the last record whose key is at most key, in the map and unverified, or nil.
func (l *lasting) floor(key []byte) (first, record []byte, err error) {
	if l.seeker == nil {
		first, record = l.part.floor(key)
		return first, record, nil
	}
	r, found, err := l.locate(key)
	if err != nil || !found {
		return nil, nil, err
	}
	// Every page on the way to this key was verified.
	first, record = l.part.bucket.Cursor().Seek(r.key)
	return first, record, nil
}

// offset returns where bytes of the map are in the file; false if they are not in the map,
// or the file cannot be read without bbolt.
func (t *tx) offset(b []byte) (int64, bool) {
	if t.file == nil {
		return 0, false
	}
	btx := t.root.Tx()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - btx.DB().Info().Data
	return int64(at), uint64(at)+uint64(len(b)) <= uint64(btx.Size())
}
