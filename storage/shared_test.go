package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// sharing writes a file whose entry to refers to the objects of the entry from, as an earlier
// version could: the transaction does not count the references.
func sharing(t *testing.T, db *DB, bucket []byte, from, to string, r any) {
	t.Helper()
	publishing(t, db, func(x *tree.Tx) error {
		if found, err := x.Get(bucket, []byte(from), r); !found || err != nil {
			return fmt.Errorf("no entry %q: %w", from, err)
		}
		err := x.Put(bucket, []byte(to), r)
		clear(x.References)
		return err
	})
}

// sharedStore is a store with every kind of entry to which objects belong.
func sharedStore(t *testing.T) *DB {
	t.Helper()
	ctx := context.Background()
	db := openStore(t, filepath.Join(t.TempDir(), "store"), nil)
	putRing(t, db, "ring", 100)
	info := putGeneration(t, db, "e", 100, 1, []byte("state"))
	write := func(w io.Writer) error { _, err := w.Write([]byte("content")); return err }
	if _, err := db.PutIndex(ctx, info, IndexInfo{Metric: "l2"}, write); err != nil {
		t.Fatal(err)
	}
	putModel(t, db, info, "m", 100)
	inFile(db)
	if err := db.PutJobCheckpoint(ctx, JobInfo{ID: 1, Kind: "EMBED", Statement: "EMBED", State: JobFailed, Graph: "ring", GraphID: info.GraphID}, write); err != nil {
		t.Fatal(err)
	}
	putPredictions(t, db, "ring", "katz", 2)
	return db
}

// Each entry of the catalogue is written a second time, under another key: no transaction may
// end like that, nor one that discards an object and keeps its entry.
func TestShared_Refused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := sharedStore(t)
	before := db.Epoch()
	kinds := 0
	for _, bucket := range block.TopBuckets {
		if recordIn(bucket) == nil {
			continue
		}
		t.Run(string(bucket), func(t *testing.T) { refusesShared(t, db, bucket) })
		kinds++
	}
	for _, bucket := range [][]byte{block.IndexesName, block.ModelsName, block.PredictionsName, block.JobsName} {
		t.Run(string(bucket), func(t *testing.T) { refusesShared(t, db, bucket) })
		kinds++
	}
	if kinds != 7 {
		t.Errorf("%d kinds of entries, and records.go has 7", kinds)
	}
	if db.Epoch() != before {
		t.Error("something was written")
	}
	// The store continues.
	if err := db.RenameEmbedding(ctx, "e", "f"); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	putGeneration(t, db, "e", 100, 2, nil)
}

// recordIn is an empty record of a top bucket; nil where the bucket has no records to which
// objects belong.
func recordIn(bucket []byte) any {
	switch string(bucket) {
	case string(block.GraphsName):
		return new(graphs.Record)
	case string(block.EmbeddingsName):
		return new(embeddingRecord)
	case string(block.IndexesName):
		return new(indexRecord)
	case string(block.ModelsName):
		return new(modelRecord)
	case string(block.PredictionsName):
		return new(predictionRecord)
	case string(block.JobsName):
		return new(jobRecord)
	case string(block.JournalName):
		return new(tree.JournalRecord)
	}
	return nil
}

func refusesShared(t *testing.T, db *DB, bucket []byte) {
	ctx := t.Context()
	var key []byte
	var objects []uint64
	r := recordIn(bucket)
	if err := db.file.View(ctx, func(x *tree.Tx) error {
		return x.Each(bucket, func(k, record []byte) error {
			key = bytes.Clone(k)
			objects = slices.DeleteFunc(tree.ObjectsIn(bucket, k, record), func(object uint64) bool { return object == 0 })
			return block.DecodeStruct(bucket, k, record, r)
		})
	}); err != nil {
		t.Fatal(err)
	}
	if key == nil { // the journal is empty; an unfinished write of the rows of the embedding
		err := db.file.Update(ctx, func(x *tree.Tx) error {
			e, err := findEmbedding(x, "e")
			if err != nil {
				return err
			}
			return x.Put(bucket, tree.JournalKey(tree.JournalEmbedding, "other"), &tree.JournalRecord{Object: e.Object, GraphID: e.GraphID})
		})
		if !errors.Is(err, ErrShared) {
			t.Errorf("a journal entry of another's object: %v", err)
		}
		return
	}
	other := bytes.Clone(key)
	other[len(other)-1]++
	err := db.file.Update(ctx, func(x *tree.Tx) error { return x.Put(bucket, other, r) })
	var file *FileError
	if !errors.Is(err, ErrShared) || !errors.As(err, &file) || file.Object == "" {
		t.Errorf("a second entry: %v", err)
	}
	for _, object := range objects {
		if err := db.file.Update(ctx, func(x *tree.Tx) error { return x.Discard(object) }); !errors.Is(err, ErrShared) {
			t.Errorf("an object that is discarded and keeps its entry: %v", err)
		}
	}
	// Moving an entry is no sharing.
	errStop := errors.New("stop")
	err = db.file.Update(ctx, func(x *tree.Tx) error {
		if err := errors.Join(x.Remove(bucket, key), x.Put(bucket, other, r), x.CheckReferences(allOwners)); err != nil {
			return err
		}
		return errStop
	})
	if !errors.Is(err, errStop) {
		t.Errorf("an entry under another name: %v", err)
	}
}

// Two entries of the catalogue that share an object are damage that CHECK names, copies
// refuse, a drop of one of them does not free, and a recovery ends by keeping one.
func TestShared_Found(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, to string
		bucket         []byte
		record         any
		kept           string // the embedding that a recovery keeps
	}{
		{"a copy behind", "e", "old", block.EmbeddingsName, new(embeddingRecord), "e"},
		{"a copy before", "e", "a", block.EmbeddingsName, new(embeddingRecord), "e"}, // a model reads e
		{"the present generation", "e", "e@1", block.EmbeddingsName, new(embeddingRecord), "e"},
		{"a graph", "ring", "other", block.GraphsName, new(graphs.Record), "e"},
		{"a model", "m", "n", block.ModelsName, new(modelRecord), "e"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db := sharedStore(t)
			_, want, err := db.Embedding(ctx, "e")
			if err != nil {
				t.Fatal(err)
			}
			sharing(t, db, c.bucket, c.from, c.to, c.record)
			report, err := db.Check(ctx, nil)
			if err != nil || report.OK() {
				t.Fatalf("CHECK: %+v, %v", report, err)
			}
			named := slices.ContainsFunc(report.Faults, func(f Fault) bool {
				return strings.Contains(f.What, "belongs to") && (strings.Contains(f.What, fmt.Sprintf("%q", c.from)) || strings.Contains(f.What, fmt.Sprintf("%q", c.to)))
			})
			if !named && c.name != "a graph" { // whose number is found first
				t.Errorf("CHECK does not name both entries: %+v", report.Faults)
			}
			if _, err := db.Backup(ctx, filepath.Join(t.TempDir(), "copy"), false, nil); !errors.Is(err, ErrCorrupt) {
				t.Errorf("BACKUP: %v", err)
			}
			if _, err := db.Compact(ctx, nil); !errors.Is(err, ErrCorrupt) {
				t.Errorf("COMPACT: %v", err)
			}
			to := filepath.Join(t.TempDir(), "recovered")
			recovered, err := db.Recover(ctx, to, RecoverOptions{})
			if err != nil {
				t.Fatal(err)
			}
			again := openStore(t, to, nil)
			checkStore(t, again)
			list, err := again.Embeddings(ctx)
			if err != nil || len(list) != 1 || list[0].Name != c.kept {
				t.Errorf("recovered: %+v, %v", list, err)
			}
			if _, got, err := again.Embedding(ctx, c.kept); err != nil || !slices.Equal(got.Data, want.Data) {
				t.Errorf("the embedding that was kept: %v", err)
			}
			if lost := strings.Join(recovered.Lost, "\n"); !strings.Contains(lost, c.to) {
				t.Errorf("the report does not name %s: %q", c.to, recovered.Lost)
			}
			// A drop of either leaves the other whole.
			switch c.from {
			case "e":
				err = db.DropEmbedding(ctx, c.to)
			case "m":
				err = db.DropModel(ctx, c.to)
			default:
				publishing(t, db, func(x *tree.Tx) error { return x.Remove(c.bucket, []byte(c.to)) })
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkStore(t, db)
		})
	}
}
