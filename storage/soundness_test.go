package storage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
)

// TestSoundness_ByPart shows that a lookup of a key walks over the keys of a graph and not
// over its edges, and that damage of the edges is found when they are used.
func TestSoundness_ByPart(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "parts.ht")
	db := openStore(t, path, nil)
	putRing(t, db, "g", 3000)
	var arcs uint64
	if err := db.file.View(ctx, func(x *tree.Tx) error {
		r, err := graphs.Find(x, "g")
		if err != nil {
			return err
		}
		p, err := x.Part(r.Object, block.ArcsName)
		if err == nil {
			arcs = uint64(p.Bucket.Root())
		}
		return err
	}); err != nil || arcs == 0 {
		t.Fatalf("root of the edges on page %d: %v", arcs, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(make([]byte, page.HeadSize), int64(arcs)*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.VertexID(ctx, "g", "7"); err != nil {
		t.Errorf("key of a graph with damaged edges: %v", err)
	}
	for part := range db.file.Current.Tree.Parts {
		if strings.HasSuffix(part, "/"+string(block.ArcsName)) {
			t.Errorf("the lookup of a key walked over %q", part)
		}
	}
	if _, err := db.Snapshot(ctx, "g"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged edges: %v", err)
	}
	if _, err := db.VertexID(ctx, "g", "8"); err != nil {
		t.Errorf("key after the damage was found: %v", err)
	}
}
