package storage

import (
	"bytes"
	"cmp"
	"context"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// copyTo writes the state that the transaction sees into w: everything except
// trash, unfinished embeddings, and objects without an owner. Every record is
// verified on the way.
func copyTo(t *tree.Tx, w *storeWriter) error {
	objects, err := copyCatalogue(t, w)
	if err != nil {
		return err
	}
	changes, err := t.Top(block.ChangesName)
	if err != nil {
		return fault.Corrupt(t.Path, "change log", err)
	}
	if err := copyBucket(t, w, changes, block.ChangesName); err != nil {
		return fault.Corrupt(t.Path, "change log", err)
	}
	list, err := t.Top(block.ObjectsName)
	if err != nil {
		return err
	}
	cursor := list.Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		where, found := objects[string(key)]
		if !found {
			continue
		}
		b, err := t.Object(block.IDOf(key))
		if err == nil {
			err = copyBucket(t, w, b, block.ObjectsName, bytes.Clone(key))
		}
		if err != nil {
			return fault.Corrupt(t.Path, where, err)
		}
		delete(objects, string(key))
	}
	for _, where := range objects {
		return fault.Corrupt(t.Path, where, fault.Record("its object is missing"))
	}
	return nil
}

// copyCatalogue copies the records that name objects, and returns what each
// object belongs to, by the object's key.
func copyCatalogue(t *tree.Tx, w *storeWriter) (objects map[string]string, err error) {
	objects = make(map[string]string)
	var shared error
	refer := func(object uint64, where string) {
		key := string(block.Key64(object))
		if other, taken := objects[key]; taken && shared == nil {
			shared = fault.Corrupt(t.Path, where, fault.Record("object %d belongs to %s too", object, other))
		}
		if object != 0 {
			objects[key] = where
		}
	}
	copyTop := func(bucket []byte, entry func(key, record []byte) (keep bool, err error)) error {
		if err := w.Into(bucket); err != nil {
			return err
		}
		return t.Each(bucket, func(key, record []byte) error {
			keep, err := entry(key, record)
			if err != nil || !keep {
				return err
			}
			return w.Put(key, record)
		})
	}
	err = copyTop(block.EmbeddingsName, func(key, _ []byte) (bool, error) {
		r, err := findEmbedding(t, string(key))
		if err == nil {
			refer(r.Object, describeEmbedding(string(key)))
			refer(r.State.Object, describeEmbedding(string(key))+", "+statePart)
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	err = copyTop(block.GraphsName, func(key, _ []byte) (bool, error) {
		r, err := graphs.Find(t, string(key))
		if err == nil {
			refer(r.Object, graphs.DescribeGraph(string(key)))
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		if err := k.copyTo(t, w, refer); err != nil {
			return nil, err
		}
	}
	err = copyTop(block.JournalName, func(key, record []byte) (bool, error) {
		var j tree.JournalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err != nil {
			return false, fault.Corrupt(t.Path, "journal", err)
		}
		keep := key[0] == tree.JournalGraph
		if keep {
			refer(j.Object, "unfinished import")
		}
		return keep, nil
	})
	return objects, cmp.Or(err, shared)
}

func copyBucket(t *tree.Tx, w *storeWriter, b *bolt.Bucket, path ...[]byte) error {
	if err := w.Into(path...); err != nil {
		return err
	}
	t.ReadAhead(b)
	seed := block.SeedOf(path...)
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if record == nil {
			below := append(append([][]byte(nil), path...), bytes.Clone(key))
			inner := b.Bucket(key)
			if len(below) == 3 {
				var err error
				if inner, err = t.PartIn(b, below...); err != nil {
					return err
				}
			}
			if err := copyBucket(t, w, inner, below...); err != nil {
				return err
			}
			if err := w.Into(path...); err != nil {
				return err
			}
			continue
		}
		if _, err := seed.Open(key, record); err != nil {
			return err
		}
		if err := w.Put(key, record); err != nil {
			return err
		}
	}
	return nil
}

// verifyCopy opens a finished file and verifies the shape of its tree and the checksum
// of every record.
func verifyCopy(ctx context.Context, path string, records int64) error {
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	h := db.file.Current
	w, found := page.NewWalker(ctx, h.Tree.File), block.NewTallies()
	w.Counted = found.Counted
	if err := w.Walk(); err != nil {
		return err
	}
	if len(w.Faults) > 0 {
		return fault.Record("%s", w.Faults[0].What)
	}
	var written int64
	err = db.file.View(ctx, func(t *tree.Tx) error {
		var err error
		if written, err = countRecords(t, t.Root); err != nil {
			return err
		}
		faults, err := t.Broken(found, "", func([][]byte) bool { return false })
		if err == nil && len(faults) > 0 {
			err = fault.Record("%s: %s", tree.DescribePath(faults[0].Path), faults[0].What)
		}
		return err
	})
	if err == nil && written != records {
		err = fault.Record("%d records where %d were written", written, records)
	}
	return err
}

// countRecords verifies the checksum of every record of a bucket.
func countRecords(t *tree.Tx, b *bolt.Bucket, path ...[]byte) (n int64, err error) {
	seed := block.SeedOf(path...)
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if err := t.Ctx.Err(); err != nil {
			return n, err
		}
		if record == nil {
			inner, err := countRecords(t, b.Bucket(key), append(append([][]byte(nil), path...), key)...)
			if n += inner; err != nil {
				return n, err
			}
			continue
		}
		if _, err := seed.Open(key, record); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
