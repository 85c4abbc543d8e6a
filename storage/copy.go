package storage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Backup, Compact, Migrate and Recover write a new file record by record. Keys
// arrive in ascending order, so that pages are filled to the end. Nothing of
// the new file is flushed before all of it is there: until it gets its name it
// is rubbish if the process dies.

// storeWriter fills a new file.
type storeWriter struct {
	ctx     context.Context
	name    string // temporary name
	bolt    *bolt.DB
	btx     *bolt.Tx     // open where records are pending
	path    [][]byte     // of the bucket that is being filled, below the root bucket
	bucket  *bolt.Bucket // of btx; nil before the first record
	pending int
	batch   int // bytes of records per transaction
	step    func(point string)

	onRecord func() // after every record

	records, bytes int64
}

// tempName is the pattern of the names of files that are not yet whole.
func tempName(path, kind string) (dir, pattern string) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	return dir, "." + base + ".*." + kind
}

// newStoreWriter makes an empty file for the store at path, beside it. kind is
// the end of its temporary name.
func newStoreWriter(ctx context.Context, path, kind string) (*storeWriter, error) {
	temp, err := os.CreateTemp(tempName(path, kind))
	if err != nil {
		return nil, err
	}
	w := &storeWriter{ctx: ctx, name: temp.Name(), batch: defaultBatchBytes, step: func(string) {}, onRecord: func() {}}
	if err := temp.Close(); err != nil {
		return nil, errors.Join(err, os.Remove(w.name))
	}
	for _, mapSize := range initialMaps {
		w.bolt, err = bolt.Open(w.name, fileMode, &bolt.Options{
			Timeout: time.Second, NoFreelistSync: true, FreelistType: bolt.FreelistMapType,
			NoStatistics: true, NoSync: true, NoGrowSync: true, InitialMmapSize: mapSize,
		})
		if err == nil || !isNoMemory(err) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(w.name))
	}
	w.bolt.AllocSize = 1 << 20
	return w, nil
}

// into makes a bucket below the root bucket, and those above it, where they are
// missing, and directs the records that follow into it.
func (w *storeWriter) into(path ...[]byte) error {
	w.path, w.bucket = path, nil
	return w.open()
}

// open opens the bucket at w.path in a write transaction.
func (w *storeWriter) open() (err error) {
	if w.btx == nil {
		if w.btx, err = w.bolt.Begin(true); err != nil {
			return err
		}
	}
	b, err := w.btx.CreateBucketIfNotExists(rootName)
	for _, name := range w.path {
		if err == nil {
			b, err = b.CreateBucketIfNotExists(name)
		}
	}
	if err == nil {
		b.FillPercent = 1
		w.bucket = b
	}
	return err
}

// put appends a sealed record to the bucket. It keeps neither key nor record,
// which may lie in the map of another file.
func (w *storeWriter) put(key, record []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.bucket == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if err := w.bucket.Put(key, bytes.Clone(record)); err != nil {
		return err
	}
	w.records++
	w.onRecord()
	w.bytes += int64(len(key) + len(record))
	if w.pending += len(key) + len(record); w.pending >= w.batch {
		return w.commit()
	}
	return nil
}

func (w *storeWriter) commit() error {
	w.step("batch")
	btx := w.btx
	w.btx, w.bucket, w.pending = nil, nil, 0
	if btx == nil {
		return nil
	}
	return btx.Commit()
}

// finish writes the header, by which the file becomes a store, cuts the file to
// its pages and flushes it.
func (w *storeWriter) finish(h header) error {
	for _, name := range topBuckets {
		if err := w.into(name); err != nil {
			return err
		}
	}
	if err := w.into(); err != nil {
		return err
	}
	if err := w.put(headerKey, h.encode()); err != nil {
		return err
	}
	err := w.commit()
	if closeErr := w.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(w.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(trim(f), f.Close())
}

// trim cuts a closed store to the pages that it has used, and flushes it.
func trim(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, _, err := readMeta(f, info.Size())
	if err != nil {
		return err
	}
	if err := f.Truncate(int64(m.highWater) * int64(m.pageSize)); err != nil {
		return err
	}
	return f.Sync()
}

// close ends the use of bbolt; it may be called twice.
func (w *storeWriter) close() error {
	if w.btx != nil {
		_ = w.btx.Rollback() // the only error is that it is over
		w.btx = nil
	}
	return w.bolt.Close()
}

// discard removes what was written, unless it has got another name.
func (w *storeWriter) discard() {
	_ = w.close()
	_ = os.Remove(w.name)
}

// moveTo gives the finished file its name, over an existing file only where
// overwrite says so, and makes the name durable.
func (w *storeWriter) moveTo(path string, overwrite bool) error {
	if !overwrite {
		err := os.Link(w.name, path)
		if err == nil {
			return syncDir(filepath.Dir(path))
		}
		// Where there are no links, a rename that might replace has to do.
		if _, statErr := os.Lstat(path); statErr == nil {
			return existsError(path)
		}
	}
	if err := os.Rename(w.name, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func existsError(path string) error {
	return &FileError{Path: path, Err: ErrExists, Remedy: "give another path, or set overwrite"}
}

// copyTo writes the state that the transaction sees into w: everything but
// trash, unfinished embeddings, and objects that belong to nothing. Every
// record is verified on the way.
func (t *tx) copyTo(w *storeWriter) error {
	objects, err := t.copyCatalogue(w)
	if err != nil {
		return err
	}
	changes, err := t.top(changesName)
	if err != nil {
		return corrupt(t.path, "change log", err)
	}
	if err := t.copyBucket(w, changes, changesName); err != nil {
		return corrupt(t.path, "change log", err)
	}
	list, err := t.top(objectsName)
	if err != nil {
		return err
	}
	cursor := list.Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		where, found := objects[string(key)]
		if !found {
			continue
		}
		b, err := t.object(bytesToID(key))
		if err == nil {
			err = t.copyBucket(w, b, objectsName, bytes.Clone(key))
		}
		if err != nil {
			return corrupt(t.path, where, err)
		}
		delete(objects, string(key))
	}
	for _, where := range objects {
		return corrupt(t.path, where, badRecord("its object is missing"))
	}
	return nil
}

// copyCatalogue copies the records that name objects, and returns what each
// object belongs to, by the object's key.
func (t *tx) copyCatalogue(w *storeWriter) (objects map[string]string, err error) {
	objects = make(map[string]string)
	refer := func(object uint64, where string) {
		if object != 0 {
			objects[string(be64(object))] = where
		}
	}
	copyTop := func(bucket []byte, entry func(key, record []byte) (keep bool, err error)) error {
		if err := w.into(bucket); err != nil {
			return err
		}
		return t.each(bucket, func(key, record []byte) error {
			keep, err := entry(key, record)
			if err != nil || !keep {
				return err
			}
			return w.put(key, record)
		})
	}
	err = copyTop(embeddingsName, func(key, _ []byte) (bool, error) {
		r, err := t.findEmbedding(string(key))
		if err == nil {
			refer(r.Object, describeEmbedding(string(key)))
			refer(r.State.Object, describeEmbedding(string(key))+", "+statePart)
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	err = copyTop(graphsName, func(key, _ []byte) (bool, error) {
		r, err := t.findGraph(string(key))
		if err == nil {
			refer(r.Object, describeGraph(string(key)))
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	if err := t.copyIndexes(w, refer); err != nil {
		return nil, err
	}
	if err := t.copyModels(w, refer); err != nil {
		return nil, err
	}
	if err := t.copyPredictions(w, refer); err != nil {
		return nil, err
	}
	if err := t.copyJobs(w, refer); err != nil {
		return nil, err
	}
	return objects, copyTop(journalName, func(key, record []byte) (bool, error) {
		var j journalRecord
		if err := decodeStruct(seedOf(journalName), key, record, &j); err != nil {
			return false, corrupt(t.path, "journal", err)
		}
		keep := key[0] == journalGraph
		if keep {
			refer(j.Object, "unfinished import")
		}
		return keep, nil
	})
}

// copyBucket copies a bucket with all that is in it.
func (t *tx) copyBucket(w *storeWriter, b *bolt.Bucket, path ...[]byte) error {
	if len(path) == 3 && t.tree != nil {
		if err := t.tree.below(path[:2], path); err != nil {
			return err
		}
	}
	if err := w.into(path...); err != nil {
		return err
	}
	t.readAhead(b)
	seed := seedOf(path...)
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if record == nil {
			below := append(append([][]byte(nil), path...), bytes.Clone(key))
			if err := t.copyBucket(w, b.Bucket(key), below...); err != nil {
				return err
			}
			if err := w.into(path...); err != nil {
				return err
			}
			continue
		}
		if _, err := seed.open(key, record); err != nil {
			return err
		}
		if err := w.put(key, record); err != nil {
			return err
		}
	}
	return nil
}

// verifyCopy reads a finished file back from the disk's side: the shape of its
// tree and the checksum of every record.
func verifyCopy(ctx context.Context, path string, records int64) error {
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	h := db.current
	w := newWalker(ctx, h.tree.file)
	if err := w.walk(); err != nil {
		return err
	}
	if len(w.faults) > 0 {
		return badRecord("%s", w.faults[0].what)
	}
	var found int64
	err = db.view(ctx, func(t *tx) error {
		var err error
		found, err = t.countRecords(t.root)
		return err
	})
	if err == nil && found != records {
		err = badRecord("%d records where %d were written", found, records)
	}
	return err
}

// countRecords verifies the checksum of every record of a bucket.
func (t *tx) countRecords(b *bolt.Bucket, path ...[]byte) (n int64, err error) {
	seed := seedOf(path...)
	cursor := b.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return n, err
		}
		if record == nil {
			inner, err := t.countRecords(b.Bucket(key), append(append([][]byte(nil), path...), key)...)
			if n += inner; err != nil {
				return n, err
			}
			continue
		}
		if _, err := seed.open(key, record); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
