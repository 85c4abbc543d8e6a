package storage

import (
	"fmt"
	"maps"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// owners are the owners of objects in words, by the numbers of the objects. Each object should
// have one.
type owners map[uint64][]string

// add notes an owner of an object; 0 is no object.
func (o owners) add(object uint64, owner string) {
	if object != 0 {
		o[object] = append(o[object], owner)
	}
}

// owner is a kind of records, other than graphs and embeddings, to which objects belong.
type owner interface {
	own(t *tx, o owners) error // notes what the objects of its records belong to
}

// owners collects the owners of all objects, as far as the catalogue can be read. The trash
// comes last.
func (t *tx) owners(kinds []owner) owners {
	o := make(owners)
	_ = t.each(block.GraphsName, func(key, _ []byte) error {
		if r, err := t.findGraph(string(key)); err == nil {
			o.add(r.Object, describeGraph(string(key)))
		}
		return nil
	})
	_ = t.each(block.EmbeddingsName, func(key, _ []byte) error {
		if r, err := t.findEmbedding(string(key)); err == nil {
			o.add(r.Object, describeEmbedding(string(key)))
			o.add(r.State.Object, describeEmbedding(string(key))+", "+statePart)
		}
		return nil
	})
	for _, k := range kinds {
		_ = k.own(t, o)
	}
	_ = t.each(block.JournalName, func(key, record []byte) error {
		var j journalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err == nil {
			o.add(j.Object, "unfinished work")
		}
		return nil
	})
	_ = t.each(block.TrashName, func(key, _ []byte) error {
		if len(key) == 8 {
			o.add(block.IDOf(key), "trash")
		}
		return nil
	})
	return o
}

// end makes sure that no object has two owners, and prepares a transaction for its commit.
func (t *tx) end(kinds []owner) error {
	if err := t.checkReferences(kinds); err != nil {
		return err
	}
	return t.finish()
}

// checkReferences returns ErrShared if the transaction would let a further entry refer to an
// object that one has already.
func (t *tx) checkReferences(kinds []owner) error {
	var o owners
	for _, object := range slices.Sorted(maps.Keys(t.references)) {
		if t.references[object] <= 0 {
			continue
		}
		if o == nil {
			o = t.owners(kinds)
		}
		if list := o[object]; len(list) > 1 {
			return &FileError{Path: t.path, Object: list[1], Err: ErrShared, Reason: fmt.Sprintf("object %d belongs to %s", object, list[0]), Remedy: fault.RemedyShared}
		}
	}
	return nil
}

// sweepOne removes the first object in the trash. bbolt frees the pages of a
// bucket without rewriting any of them: it reads each leaf page once and keeps
// about 40 bytes per page until the commit, so that even an object of a
// gigabyte is one transaction of a few tens of milliseconds and 12 MB.
//
// An object that an entry refers to as well is only taken out of the trash. So one of two
// entries that share it, in a damaged file, keeps it.
func (t *tx) sweepOne(kinds []owner) error {
	key, err := t.discarded()
	if key == nil || err != nil {
		return err
	}
	objects, err := t.top(block.ObjectsName)
	if err != nil {
		return err
	}
	if shared := len(t.owners(kinds)[block.IDOf(key)]) > 1; objects.Bucket(key) != nil && !shared {
		if err := objects.DeleteBucket(key); err != nil {
			return err
		}
		if a := t.accountOf(block.TopPlace(block.ObjectsName)); a != nil {
			a.RemoveBucket(key)
		}
		if err := t.forget(key); err != nil {
			return err
		}
	}
	return t.remove(block.TrashName, key)
}

// describe names the bucket at a path below the root bucket for a person.
func (o owners) describe(path [][]byte) string {
	if len(path) > 1 && len(path[1]) == 8 {
		if list := o[block.IDOf(path[1])]; list != nil {
			if len(path) > 2 {
				return list[0] + ", " + fault.Clip(string(path[2]))
			}
			return list[0]
		}
	}
	return describePath(path)
}
