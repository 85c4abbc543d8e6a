package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
)

// Single rows and any bytes of an index are those that were stored, also where they cross
// blocks.
func TestRowView_InPlace(t *testing.T) {
	ctx := context.Background()
	db := openStore(t, storeOfRows(t), nil)
	of, m, err := db.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	const size = 3*blobBlock + 100
	putIndex(t, db, of, "l2", size)
	want := blobBytes(size)
	random := rand.New(rand.NewPCG(1, 2))
	err = db.ViewRows(ctx, "e", func(v *RowView) error {
		row := make([]float32, m.Dim)
		for _, i := range []uint32{0, 2999, 1500, 1023, 1024, 1025, 0} {
			if err := v.ReadRow(i, row); err != nil || !slices.Equal(row, m.Row(int(i))) {
				t.Errorf("row %d: %v", i, err)
			}
		}
		v.t.file = nil // as in a file that an application has open
		if err := v.ReadRow(7, row); err != nil || !slices.Equal(row, m.Row(7)) {
			t.Errorf("row 7 of the map: %v", err)
		}
		for what, err := range map[string]error{"row": v.ReadRow(3000, row), "dim": v.ReadRow(1, row[1:])} {
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := v.Index("dot"); !errors.Is(err, ErrNotFound) {
			t.Errorf("another metric: %v", err)
		}
		x, err := v.Index("l2")
		if err != nil {
			return err
		}
		for range 200 {
			at := random.IntN(size)
			b := make([]byte, random.IntN(min(size-at, 2*blobBlock)+1))
			if n, err := x.ReadAt(b, int64(at)); err != nil || n != len(b) || !bytes.Equal(b, want[at:at+n]) {
				t.Fatalf("%d bytes at %d: %d, %v", len(b), at, n, err)
			}
		}
		if n, err := x.ReadAt(make([]byte, 10), size-3); n != 3 || err != io.EOF {
			t.Errorf("at the end: %d, %v", n, err)
		}
		if n, err := x.ReadAt(make([]byte, 10), -1); n != 0 || err != io.EOF {
			t.Errorf("before the beginning: %d, %v", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A damaged block of an index is an error when it is read; the others are not concerned.
func TestRowView_IndexDamaged(t *testing.T) {
	ctx := context.Background()
	path := storeOfRows(t)
	db := openStore(t, path, nil)
	of, err := db.EmbeddingInfo(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, db, of, "l2", 3*blobBlock)
	var object uint64
	if err := db.ViewRows(ctx, "e", func(v *RowView) error {
		x, err := v.Index("l2")
		object = x.record.Object
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	withRoot(t, path, func(root *bolt.Bucket) error {
		b := root.Bucket(block.ObjectsName).Bucket(block.Key64(object)).Bucket(block.BlobName)
		value := bytes.Clone(b.Get(block.Key32(1)))
		value[1000] ^= 4
		return b.Put(block.Key32(1), value)
	})
	if db, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.ViewRows(ctx, "e", func(v *RowView) error {
		x, err := v.Index("l2")
		if err != nil {
			return err
		}
		b := make([]byte, 8)
		for at, damaged := range map[int64]bool{0: false, blobBlock - 8: false, blobBlock - 7: true, blobBlock: true, 2*blobBlock - 1: true, 2 * blobBlock: false} {
			if _, err := x.ReadAt(b, at); errors.Is(err, ErrCorrupt) != damaged {
				t.Errorf("at %d: %v", at, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
