package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"heavytail/storage/internal/tree"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// storeWriter fills a new file record by record, for Backup, Compact and
// Recover. Keys arrive in ascending order, so that pages are filled to the end. Nothing
// is flushed before the file is complete: if the process dies before the file gets its
// name, the file is useless.
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
	accounts       tree.Accounts // of what was written
}

// newStoreWriter makes an empty file for the store at path, in the same folder. kind is the
// suffix of its temporary name.
func newStoreWriter(ctx context.Context, path, kind string) (*storeWriter, error) {
	temp, err := os.CreateTemp(tree.TempName(path, kind))
	if err != nil {
		return nil, err
	}
	w := &storeWriter{ctx: ctx, name: temp.Name(), batch: DefaultBatchBytes, step: func(string) {}, onRecord: func() {}}
	if err := temp.Close(); err != nil {
		return nil, errors.Join(err, os.Remove(w.name))
	}
	for _, mapSize := range file.InitialMaps(AddressSpace()) {
		w.bolt, err = bolt.Open(w.name, tree.FileMode, &bolt.Options{
			Timeout: time.Second, NoFreelistSync: true, FreelistType: bolt.FreelistMapType,
			NoStatistics: true, NoSync: true, NoGrowSync: true, InitialMmapSize: mapSize,
		})
		if err == nil || !file.IsNoMemory(err) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(w.name))
	}
	w.bolt.AllocSize = 1 << 20
	return w, nil
}

// Into makes a bucket below the root bucket, and those above it, where they are
// missing, and directs the records that follow into it.
func (w *storeWriter) Into(path ...[]byte) error {
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
	b, err := w.btx.CreateBucketIfNotExists(block.RootName)
	for i, name := range w.path {
		if err != nil {
			break
		}
		if i == 1 && bytes.Equal(w.path[0], block.ObjectsName) && b.Bucket(name) == nil {
			w.accounts.Of(block.TopPlace(block.ObjectsName)).AddBucket(name)
		}
		b, err = b.CreateBucketIfNotExists(name)
	}
	if err == nil {
		b.FillPercent = 1
		w.bucket = b
	}
	return err
}

// Put appends a sealed record to the bucket. It keeps neither key nor record,
// which may lie in the map of another file.
func (w *storeWriter) Put(key, record []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.bucket == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	to := tree.Part{Bucket: w.bucket}
	if place, ok := block.PlaceOf(w.path); ok {
		to.Account = w.accounts.Of(place)
	}
	if err := to.Put(key, bytes.Clone(record)); err != nil {
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

// writeSums writes the sums of the buckets, and returns the tally of that.
func (w *storeWriter) writeSums() (sums page.Tally, err error) {
	if err := w.Into(block.SumsName); err != nil {
		return sums, err
	}
	for _, place := range slices.Sorted(maps.Keys(w.accounts)) {
		if tally := *w.accounts[place]; tally != (page.Tally{}) {
			record := block.EncodeSum(place, tally)
			sums.Add([]byte(place), record)
			if err := w.Put([]byte(place), record); err != nil {
				return sums, err
			}
		}
	}
	return sums, nil
}

// finish writes the header, without which the file is not a store, truncates the file
// after its last page and flushes it.
func (w *storeWriter) finish(h block.Header) error {
	for _, name := range block.TopBuckets {
		if err := w.Into(name); err != nil {
			return err
		}
	}
	sums, err := w.writeSums()
	if err != nil {
		return err
	}
	if err := w.Into(); err != nil {
		return err
	}
	h.TxID, h.Sums = uint64(w.btx.ID()), sums
	if err := w.Put(block.HeaderKey, h.Encode()); err != nil {
		return err
	}
	err = w.commit()
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

// trim truncates a closed store after its last used page, and flushes it.
func trim(f *os.File) error {
	m, _, err := page.ReadMeta(f, page.SizeOf(f))
	if err != nil {
		return err
	}
	if err := f.Truncate(int64(m.HighWater) * int64(m.PageSize)); err != nil {
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

// discard removes the temporary file, unless it has been renamed.
func (w *storeWriter) discard() {
	_ = w.close()
	_ = os.Remove(w.name)
}

// moveTo gives the finished file its name, replaces an existing file only if overwrite
// is set, and makes the name durable.
func (w *storeWriter) moveTo(path string, overwrite bool) error {
	move := tree.MoveNew
	if overwrite {
		move = os.Rename
	}
	switch err := move(w.name, path); {
	case err == nil:
		if err := file.SyncDir(filepath.Dir(path)); err != nil {
			return fmt.Errorf("the file is complete and has its name, which a loss of power may undo: %w", err)
		}
		return nil
	case !overwrite && errors.Is(err, fs.ErrExist):
		return existsError(path)
	default:
		return err
	}
}

func existsError(path string) error {
	return &FileError{Path: path, Err: ErrExists, Remedy: "give another path, or set overwrite"}
}
