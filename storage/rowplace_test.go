package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"heavytail/storage/internal/tree"

	"heavytail/storage/internal/block"

	bolt "go.etcd.io/bbolt"
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
	const size = 3*tree.BlobBlock + 100
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
		v.t.File, v.immutable, v.places = nil, tree.Immutable{}, nil // as in a file that an application has open
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
			b := make([]byte, random.IntN(min(size-at, 2*tree.BlobBlock)+1))
			if n, err := x.ReadAt(b, int64(at)); err != nil || n != len(b) || !bytes.Equal(b, want[at:at+n]) {
				t.Fatalf("%d bytes at %d: %d, %v", len(b), at, n, err)
			}
			clear(b)
			if n, err := x.Raw().ReadAt(b, int64(at)); err != nil || n != len(b) || !bytes.Equal(b, want[at:at+n]) {
				t.Fatalf("%d raw bytes at %d: %d, %v", len(b), at, n, err)
			}
		}
		if n, err := x.Raw().ReadAt(make([]byte, 10), size-3); n != 3 || err != io.EOF {
			t.Errorf("raw at the end: %d, %v", n, err)
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

// Searches at the same time share what was verified, and read the same. The first of them do
// not walk over the rows and the index.
func TestRowView_Together(t *testing.T) {
	ctx := context.Background()
	path := storeOfRows(t)
	db := openStore(t, path, nil)
	of, m, err := db.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	const size = 9*tree.BlobBlock + 1
	putIndex(t, db, of, "l2", size)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := blobBytes(size)
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 2))
			err := db.ViewRows(ctx, "e", func(v *RowView) error {
				x, err := v.Index("l2")
				if err != nil {
					return err
				}
				for range 100 {
					i, at, b, row := random.IntN(m.Rows), random.IntN(size-8), make([]byte, 8), make([]float32, m.Dim)
					if err := v.ReadRow(uint32(i), row); err != nil || !slices.Equal(row, m.Row(i)) {
						t.Errorf("row %d: %v", i, err)
					}
					if values, err := v.Row(uint32(i)); err != nil || !slices.Equal(values, m.Row(i)) {
						t.Errorf("verified row %d: %v", i, err)
					}
					for what, r := range map[string]io.ReaderAt{"raw": x.Raw(), "verified": x} {
						if _, err := r.ReadAt(b, int64(at)); err != nil || !bytes.Equal(b, want[at:at+8]) {
							t.Errorf("%s bytes at %d: %v", what, at, err)
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for part := range db.file.Current.Tree.Parts {
		for _, name := range [][]byte{block.RowsName, block.BlobName} {
			if strings.HasSuffix(part, "/"+string(name)) {
				t.Errorf("single reads walked over %q", part)
			}
		}
	}
	if len(db.file.Current.Tree.Seekers) != 2 {
		t.Errorf("%d seekers", len(db.file.Current.Tree.Seekers))
	}
}

// A block that is missing, or on a page that is damaged, is an error of the raw reader too.
func TestRowView_RawDamaged(t *testing.T) {
	ctx := context.Background()
	path := storeOfRows(t)
	db := openStore(t, path, nil)
	of, err := db.EmbeddingInfo(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, db, of, "l2", 5*tree.BlobBlock)
	var object, leaf uint64
	if err := db.ViewRows(ctx, "e", func(v *RowView) error {
		x, err := v.Index("l2")
		object = x.record.Object
		if err == nil {
			var found tree.Located
			if found, _, err = x.part.Locate(block.Key32(0)); err == nil {
				leaf = uint64(found.At) / uint64(os.Getpagesize())
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(number int64) error {
		db, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		return db.ViewRows(ctx, "e", func(v *RowView) error {
			x, err := v.Index("l2")
			if err == nil {
				_, err = x.Raw().ReadAt(make([]byte, 8), number*tree.BlobBlock+100)
			}
			return err
		})
	}
	if err := read(0); err != nil {
		t.Fatal(err)
	}
	content[int(leaf)*os.Getpagesize()+8] ^= 0x40 // the type of the page
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(0); !errors.Is(err, ErrCorrupt) {
		t.Errorf("block on a damaged page: %v", err)
	}
	if err := read(4); err != nil {
		t.Errorf("block on another page: %v", err)
	}
	content[int(leaf)*os.Getpagesize()+8] ^= 0x40
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	withRoot(t, path, func(root *bolt.Bucket) error {
		return root.Bucket(block.ObjectsName).Bucket(block.Key64(object)).Bucket(block.BlobName).Delete(block.Key32(2))
	})
	if err := read(2); !errors.Is(err, ErrCorrupt) {
		t.Errorf("block that is missing: %v", err)
	}
	if err := read(4); err != nil {
		t.Errorf("block after a missing one: %v", err)
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
	putIndex(t, db, of, "l2", 3*tree.BlobBlock)
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
		for at, damaged := range map[int64]bool{0: false, tree.BlobBlock - 8: false, tree.BlobBlock - 7: true, tree.BlobBlock: true, 2*tree.BlobBlock - 1: true, 2 * tree.BlobBlock: false} {
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
