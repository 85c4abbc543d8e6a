package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
)

// blobBytes are n bytes that differ from block to block.
func blobBytes(n int) []byte {
	random := rand.New(rand.NewPCG(uint64(n), 8))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// writeBlob writes bytes in pieces and publishes them. The blob has no owner, so tests must
// discard it before the store is checked.
func writeBlob(t *testing.T, db *DB, data []byte, piece int) tree.BlobRecord {
	t.Helper()
	ctx := context.Background()
	w := tree.NewBlobWriter(ctx, db.file, "test blob")
	for rest := data; len(rest) > 0; {
		n := min(piece, len(rest))
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	var record tree.BlobRecord
	publishing(t, db, func(x *tree.Tx) (err error) {
		record, err = w.Publish(x)
		return err
	})
	return record
}

// publishing runs f in a write transaction.
func publishing(t *testing.T, db *DB, f func(x *tree.Tx) error) {
	t.Helper()
	if err := db.file.InTransaction(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func readBlob(db *DB, record tree.BlobRecord) ([]byte, error) {
	var r io.Reader
	err := db.file.View(context.Background(), func(x *tree.Tx) (err error) {
		r, err = tree.OpenBlob(x, db.file, "test blob", record)
		return err
	})
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// What is written is read back, in however large pieces and transactions.
func TestBlob_RoundTrip(t *testing.T) {
	for _, batch := range []int{1, 3 * tree.BlobBlock, 0} {
		db := newStore(t, &Options{BatchBytes: batch})
		for _, size := range []int{0, 1, tree.BlobBlock - 1, tree.BlobBlock, tree.BlobBlock + 1, 9*tree.BlobBlock + 77} {
			data := blobBytes(size)
			record := writeBlob(t, db, data, 1+size/3)
			if record.Size != uint64(size) || (record.Object == 0) != (size == 0) {
				t.Fatalf("%d bytes: %+v", size, record)
			}
			got, err := readBlob(db, record)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("batch %d, %d bytes: %d bytes came back, %v", batch, size, len(got), err)
			}
			publishing(t, db, func(x *tree.Tx) error { return x.Discard(record.Object) })
		}
		db.file.Sweep(context.Background())
	}
}

// Two blocks fill 32 pages, so that a blob takes little more space than its bytes.
func TestBlob_Space(t *testing.T) {
	db := newStore(t, nil)
	data := blobBytes(10 << 20)
	record := writeBlob(t, db, data, len(data))
	err := db.file.View(context.Background(), func(x *tree.Tx) error {
		var s Stats
		found, err := db.measure(x, &s)
		if took := found.object(record.Object); took > 10<<20*1002/1000 {
			t.Errorf("%d bytes take %d", len(data), took)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	publishing(t, db, func(x *tree.Tx) error { return x.Discard(record.Object) })
	db.file.Sweep(context.Background())
	report := checkStore(t, db)
	if free := report.FreePages * int64(os.Getpagesize()); free < 10<<20 {
		t.Errorf("%d bytes free after the blob was discarded", free)
	}
}

// A blob that is not published is freed, by its writer or when the file is opened again.
func TestBlob_Unpublished(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, &Options{BatchBytes: 1})
	w := tree.NewBlobWriter(ctx, db.file, "test blob")
	if _, err := w.Write(blobBytes(5 * tree.BlobBlock)); err != nil {
		t.Fatal(err)
	}
	if report := checkStore(t, db); len(report.Notes) != 1 {
		t.Errorf("notes %q", report.Notes)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Unfinished) != 1 || stats.Unfinished[0].Name != "test blob" || stats.Unfinished[0].Bytes < 4*tree.BlobBlock {
		t.Errorf("%+v, %v", stats.Unfinished, err)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := db.Backup(ctx, backup, false, nil); err != nil {
		t.Fatal(err)
	}
	if report := checkStore(t, openStore(t, backup, &Options{ReadOnly: true})); len(report.Notes) != 0 {
		t.Errorf("a backup has %q", report.Notes)
	}
	w.Abandon(ctx)
	w.Abandon(ctx)
	if report := checkStore(t, db); len(report.Notes) != 0 {
		t.Errorf("after it was abandoned: %q", report.Notes)
	}
	w = tree.NewBlobWriter(ctx, db.file, "test blob")
	if _, err := w.Write(blobBytes(5 * tree.BlobBlock)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(blobBytes(5 * tree.BlobBlock)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if report := checkStore(t, openStore(t, path, nil)); len(report.Notes) != 0 {
		t.Errorf("after it was opened again: %q", report.Notes)
	}
}

// A failed transaction ends the writer, and what it wrote before is freed.
func TestBlob_FailedWrite(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := newStore(t, &Options{BatchBytes: 1})
	w := tree.NewBlobWriter(ctx, db.file, "test blob")
	if _, err := w.Write(blobBytes(3 * tree.BlobBlock)); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		if _, err := w.Write(blobBytes(3 * tree.BlobBlock)); !errors.Is(err, context.Canceled) {
			t.Errorf("after cancel: %v", err)
		}
	}
	err := db.file.InTransaction(context.Background(), func(x *tree.Tx) error {
		_, err := w.Publish(x)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("published after a failure: %v", err)
	}
	w.Abandon(ctx)
	if report := checkStore(t, db); len(report.Notes) != 0 {
		t.Errorf("after it was abandoned: %q", report.Notes)
	}
}

// Damage is found, and so is a blob that its owner has dropped meanwhile.
func TestBlob_Damage(t *testing.T) {
	ctx := context.Background()
	data := blobBytes(20 * tree.BlobBlock)
	for name, damage := range map[string]func(p tree.Part) error{
		"missing block": func(p tree.Part) error { return p.Delete(block.Key32(7)) },
		"last block":    func(p tree.Part) error { return p.Delete(block.Key32(19)) },
		"flipped bit": func(p tree.Part) error {
			b := bytes.Clone(p.Bucket.Get(block.Key32(18)))
			b[100] ^= 1
			return p.Put(block.Key32(18), b)
		},
		"moved block": func(p tree.Part) error { return p.Put(block.Key32(3), bytes.Clone(p.Bucket.Get(block.Key32(4)))) },
		"short block": func(p tree.Part) error {
			return p.Put(block.Key32(5), p.Seed.Seal(block.Key32(5), make([]byte, block.ChecksumSize+100)))
		},
	} {
		db := newStore(t, nil)
		record := writeBlob(t, db, data, len(data))
		publishing(t, db, func(x *tree.Tx) error {
			p, err := x.Part(record.Object, block.BlobName)
			if err != nil {
				return err
			}
			return damage(p)
		})
		if _, err := readBlob(db, record); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		publishing(t, db, func(x *tree.Tx) error { return x.Discard(record.Object) })
		db.file.Sweep(ctx)
	}

	db := newStore(t, nil)
	record := writeBlob(t, db, data, len(data))
	var r io.Reader
	err := db.file.View(ctx, func(x *tree.Tx) (err error) {
		r, err = tree.OpenBlob(x, db.file, "test blob", record)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	publishing(t, db, func(x *tree.Tx) error { return x.Discard(record.Object) })
	db.file.Sweep(ctx)
	if _, err := io.ReadAll(r); !errors.Is(err, ErrConflict) {
		t.Errorf("a blob that was removed: %v", err)
	}
}

// The buffers of a transaction serve the next: beside the pages of bbolt, which take the size of
// the blob, a large blob allocates little.
func TestBlob_Garbage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: writes many megabytes")
	}
	const batch, size = 1 << 20, 32 << 20
	db := newStore(t, &Options{BatchBytes: batch})
	data := blobBytes(size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	record := writeBlob(t, db, data, len(data))
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size+size/2 {
		t.Errorf("writing %d bytes allocated %d", size, allocated)
	}
	got, err := readBlob(db, record)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes came back, %v", len(got), err)
	}
	publishing(t, db, func(x *tree.Tx) error { return x.Discard(record.Object) })
	db.file.Sweep(context.Background())
}
