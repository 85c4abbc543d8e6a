package storage

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
)

// For every kind of artefact, a damaged record hides no sound one. Lists, Stats, Check and
// Compact name it, and it can be dropped without leaving anything behind.
func TestArtefact_DamagedRecord(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	e := ringEmbedding(t, db, "g", "e", 20)
	lists := map[string]struct {
		put  func(name string)
		key  []byte // name of one artefact; the other is "b"
		list func() (int, error)
		drop func() error
	}{
		"models": {
			put: func(name string) { putModel(t, db, e, name, 10) }, key: []byte("a"),
			list: func() (int, error) { l, err := db.Models(ctx); return len(l), err },
			drop: func() error { return db.DropModel(ctx, "a") },
		},
		"indexes": {
			put:  func(name string) { putIndex(t, db, e, name, 10) },
			list: func() (int, error) { l, err := db.Indexes(ctx, ""); return len(l), err },
			drop: func() error { _, err := db.DropIndexes(ctx, "e", "a"); return err },
		},
		"predictions": {
			put: func(name string) { putPredictions(t, db, "g", name, 2) }, key: predictionKey(e.GraphID, "a"),
			list: func() (int, error) { l, err := db.Predictions(ctx); return len(l), err },
			drop: func() error { return db.DropPredictions(ctx, "g", "a") },
		},
		"jobs": {
			put: func(name string) {
				checkpointOf(t, db, JobInfo{ID: uint64(name[0]-'a') + 1, Target: "f", State: JobCancelled}, 10)
			},
			key:  block.Key64(1),
			list: func() (int, error) { l, err := db.Jobs(ctx); return len(l), err },
			drop: func() error { return db.DropJob(ctx, 1) },
		},
	}
	for _, of := range lists {
		of.put("a")
		of.put("b")
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Models) != 2 || len(stats.Indexes) != 2 || len(stats.Predicted) != 2 || len(stats.Jobs) != 2 {
		t.Fatalf("%+v, %v", stats, err)
	}
	for _, k := range kinds() {
		name := string(k.top())
		of := lists[name]
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		withRoot(t, path, func(root *bolt.Bucket) error {
			b := root.Bucket(k.top())
			key, record := b.Cursor().First()
			if of.key != nil && !bytes.Equal(key, of.key) {
				t.Errorf("%s: the first key is %x", name, key)
			}
			record = bytes.Clone(record)
			record[len(record)-1] ^= 1
			return b.Put(bytes.Clone(key), record)
		})
		db = openStore(t, path, nil)
		var partial *PartialError
		if n, err := of.list(); n != 1 || !errors.As(err, &partial) || len(partial.Errs) != 1 || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %d are listed, %v", name, n, err)
		}
		now, err := db.Stats(ctx)
		left := len(now.Models) + len(now.Indexes) + len(now.Predicted) + len(now.Jobs)
		if !errors.As(err, &partial) || left != 7 || len(now.Graphs) != 1 || len(now.Embeddings) != 1 {
			t.Errorf("%s: %+v, %v", name, now, err)
		}
		if report, err := db.Check(ctx, nil); err != nil || report.OK() {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		if _, err := db.Compact(ctx, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "then copy again") {
			t.Errorf("%s: compaction: %v", name, err)
		}
		if err := of.drop(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		of.put("a")
		if n, err := of.list(); n != 2 || err != nil {
			t.Errorf("%s: %d are listed, %v", name, n, err)
		}
		if _, err := db.Compact(ctx, nil); err != nil { // objects without an owner are removed
			t.Errorf("%s: %v", name, err)
		}
		checkStore(t, db)
	}
}
