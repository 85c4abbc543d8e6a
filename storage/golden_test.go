package storage

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"heavytail/storage/internal/block"
)

// goldenFile unpacks a file that was written by the code of an earlier format.
func goldenFile(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "golden")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkFormat1 compares a store with the known content of the file of format 1.
func checkFormat1(t *testing.T, db *DB) {
	t.Helper()
	ctx := context.Background()
	checkStore(t, db)
	graphs, err := db.Graphs(ctx)
	if err != nil || len(graphs) != 3 || graphs[0].Name != "empty" || graphs[1].Name != "letters" || graphs[2].Name != "ring" {
		t.Fatalf("%+v, %v", graphs, err)
	}
	if g := graphs[1]; g.Version != 3 || g.Vertices != 10 || g.Deleted != 0 || g.Weighted || g.Timed || len(g.Attributes) > 0 {
		t.Errorf("%+v", g)
	}
	s, err := db.Snapshot(ctx, "letters")
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"a", "b", "c", "d", "ä", "e", "f", "007", "7", "new"}
	rows := [][]uint32{{1, 2, 9}, {0, 2}, {0, 1, 3}, {2, 4, 5}, {3}, {3, 6}, {5, 7, 8}, {6}, {6}, {0}}
	for v, key := range keys {
		id, err := db.VertexID(ctx, "letters", key)
		if s.Key(uint32(v)) != key || !slices.Equal(s.Graph.Neighbors(uint32(v)), rows[v]) || id != uint32(v) || err != nil {
			t.Errorf("vertex %d: %q %v %d %v", v, s.Key(uint32(v)), s.Graph.Neighbors(uint32(v)), id, err)
		}
	}
	set, err := db.Changes(ctx, "letters", 1)
	if err != nil || set.All || !slices.Equal(set.Touched, []uint32{0, 5, 6, 7, 8, 9}) {
		t.Errorf("%+v, %v", set, err)
	}
	if list, err := db.Neighbors(ctx, "ring", "hub"); err != nil || len(list) != 3000 {
		t.Errorf("%d neighbours, %v", len(list), err)
	}
	info, m, err := db.Embedding(ctx, "spec")
	if err != nil || info.GraphVersion != 2 || m.Rows != 9 || m.Dim != 3 || info.Seed != 7 {
		t.Errorf("%+v, %v", info, err)
	}
}

// A file of format 1 is read as it is, upgraded by a commit, and migrated.
func TestOpen_Format1(t *testing.T) {
	ctx := context.Background()
	path := goldenFile(t, "format1.ht.gz")
	before := fileSum(t, path)
	db := openStore(t, path, &Options{ReadOnly: true})
	checkFormat1(t, db)
	stats, err := db.Stats(ctx)
	if err != nil || stats.Format != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	if _, err := db.Migrate(ctx, nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("migration of a file that is read: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	checkFormat1(t, db)
	if before != fileSum(t, path) {
		t.Error("reading changed the file")
	}
	migrated, err := db.Migrate(ctx, nil)
	if err != nil || migrated.From != 1 || migrated.To != block.FormatVersion || migrated.After >= migrated.Before {
		t.Errorf("%+v, %v", migrated, err)
	}
	checkFormat1(t, db)
	if again, err := db.Migrate(ctx, nil); err != nil || again.From != block.FormatVersion || again.To != block.FormatVersion {
		t.Errorf("%+v, %v", again, err)
	}

	path = goldenFile(t, "format1.ht.gz")
	report, err := Recover(ctx, path, path+".new", RecoverOptions{})
	if err != nil || len(report.Lost) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	checkFormat1(t, openStore(t, path+".new", nil))

	written := openStore(t, path, nil)
	err = written.Update(ctx, func(x *Tx) error {
		_, err := x.InsertEdges("letters", []Edge{{Source: "new", Target: "ä", Weight: 2}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if stats, err := written.Stats(ctx); err != nil || stats.Format != block.FormatVersion {
		t.Errorf("%+v, %v", stats, err)
	}
	if g, err := written.Graph(ctx, "letters"); err != nil || g.Edges != 11 || !g.Weighted {
		t.Errorf("%+v, %v", g, err)
	}
}

// A file of format 3 is read as it is, and upgraded by the first commit, which may store a
// model.
func TestOpen_Format3(t *testing.T) {
	ctx := context.Background()
	path := goldenFile(t, "format3.ht.gz")
	before := fileSum(t, path)
	db := openStore(t, path, &Options{ReadOnly: true})
	checkStore(t, db)
	info, m, err := db.Embedding(ctx, "spec")
	if err != nil || info.Generation != 2 || m.Rows != 4 || m.Dim != 256 || info.StateBytes != 5 || !info.Coordinates.Equal(info.Created) {
		t.Errorf("%+v, %v", info, err)
	}
	indexes, err := db.Indexes(ctx, "spec")
	jobs, jobsErr := db.Jobs(ctx)
	models, modelsErr := db.Models(ctx)
	if len(indexes) != 1 || len(jobs) != 1 || jobs[0].Checkpoint != 10 || len(models) != 0 || err != nil || jobsErr != nil || modelsErr != nil {
		t.Errorf("%+v, %+v, %+v, %v, %v, %v", indexes, jobs, models, err, jobsErr, modelsErr)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	if before != fileSum(t, path) {
		t.Error("reading changed the file")
	}
	putModel(t, db, info, "m", 100)
	if stats, err := db.Stats(ctx); err != nil || stats.Format != block.FormatVersion {
		t.Errorf("%+v, %v", stats, err)
	}
	checkStore(t, db)
}
