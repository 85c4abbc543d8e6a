package storage

import (
	"errors"
	"path/filepath"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// TestRename_InUse renames while a job is not over, and while an import did not end.
func TestRename_InUse(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := openStore(t, filepath.Join(t.TempDir(), "store"), nil)
	info, err := db.CreateGraph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	job := JobInfo{ID: 1, Kind: "EMBED", Statement: "EMBED g USING m AS e", State: JobRunning, Graph: "g", GraphID: info.ID}
	if err := db.PutJob(ctx, job); err != nil {
		t.Fatal(err)
	}
	if err := db.RenameGraph(ctx, "g", "h"); !errors.Is(err, ErrInUse) {
		t.Errorf("a job is running: %v", err)
	}
	if job.State = JobDone; db.PutJob(ctx, job) != nil {
		t.Fatal("the job cannot end")
	}
	if err := db.RenameGraph(ctx, "g", "h"); err != nil {
		t.Error(err)
	}
	if now, err := db.Graph(ctx, "h"); err != nil || now.ID != info.ID || now.Version != info.Version {
		t.Errorf("%+v, %v; before it was %+v", now, err, info)
	}
	for name, err := range map[string]error{
		"g is gone":            db.RenameGraph(ctx, "g", "x"),
		"no embedding":         db.RenameEmbedding(ctx, "e", "x"),
		"no model":             db.RenameModel(ctx, "m", "x"),
		"no attribute":         db.Update(ctx, func(tx *Tx) error { return tx.RenameAttribute("h", "a", "x") }),
		"an attribute of none": db.Update(ctx, func(tx *Tx) error { return tx.RenameAttribute("g", "a", "x") }),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"graph":      db.RenameGraph(ctx, "h", "a\x00b"),
		"generation": db.RenameEmbedding(ctx, "e", "x@3"),
		"model":      db.RenameModel(ctx, "m", ""),
	} {
		if !errors.Is(err, ErrName) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRename_UnfinishedImport refuses a name under which an import has not ended.
func TestRename_UnfinishedImport(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := openStore(t, filepath.Join(t.TempDir(), "store"), nil)
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if err := db.file.Update(ctx, func(tx *tree.Tx) error {
		return tx.Put([]byte("journal"), tree.JournalKey(tree.JournalGraph, "h"), &tree.JournalRecord{Source: "file"})
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.RenameGraph(ctx, "g", "h"); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	if err := db.file.Update(ctx, func(tx *tree.Tx) error { return tx.Remove([]byte("journal"), tree.JournalKey(tree.JournalGraph, "h")) }); err != nil {
		t.Fatal(err)
	}
}

// TestRename_Reserved refuses to give an attribute a name that every vertex has a column of: the
// graph could not be read any more.
func TestRename_Reserved(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := openStore(t, filepath.Join(t.TempDir(), "store"), nil)
	err := db.Update(ctx, func(tx *Tx) error {
		if _, err := tx.CreateGraph("g"); err != nil {
			return err
		}
		_, err := tx.InsertVertices("g", []Vertex{{Key: "v", Values: []NamedValue{{Name: "a", Value: IntegerValue(1)}}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"key", "degree", "", "a\x00b"} {
		if err := db.Update(ctx, func(tx *Tx) error { return tx.RenameAttribute("g", "a", name) }); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	// Nor does anything else write an entry that no reader accepts.
	err = db.file.Update(ctx, func(tx *tree.Tx) error {
		r, err := graphs.Find(tx, "g")
		if err != nil {
			return err
		}
		r.Attributes[0].Name = "key"
		return tx.Put(block.GraphsName, []byte("g"), r)
	})
	if !errors.Is(err, ErrInvalid) || errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
