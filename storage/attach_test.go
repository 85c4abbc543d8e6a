package storage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
)

// appFile is a bbolt file of an application with a bucket of its own.
func appFile(t *testing.T) *bolt.DB {
	t.Helper()
	b, err := bolt.Open(filepath.Join(t.TempDir(), "app.db"), 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	err = b.Update(func(btx *bolt.Tx) error {
		users, err := btx.CreateBucket([]byte("users"))
		return errors.Join(err, users.Put([]byte("1"), []byte("ann")))
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// attach attaches a store that waits up to an hour for a write transaction.
func attach(t *testing.T, b *bolt.DB, bucket string, opts *Options) *DB {
	t.Helper()
	var patient Options
	if opts != nil {
		patient = *opts
	}
	patient.LockTimeout = time.Hour
	db, err := Attach(b, []byte(bucket), &patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !db.file.Closed.Load() {
			checkStore(t, db)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// A store in a bucket of a bbolt file works like a store in its own file, also with several
// stores in one file, and does not change the other buckets.
func TestAttach_SameAsFile(t *testing.T) {
	ctx := context.Background()
	b := appFile(t)
	for _, bucket := range []string{"graphs of the app", "heavytail"} {
		db := attach(t, b, bucket, &Options{BatchBytes: 4096})
		if _, err := db.Import(ctx, "g", strings.NewReader(killValues()), killOptions(false)); err != nil {
			t.Fatal(err)
		}
		sameSnapshot(t, killedGraph(t, db, "g"), expectedSnapshot(t, false))
		putRing(t, db, "ring", 100)
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(100, 3)); err != nil {
			t.Fatal(err)
		}
		if err := db.DropGraph(ctx, "g", false); err != nil {
			t.Fatal(err)
		}
		if report := checkStore(t, db); len(report.Notes) > 0 || report.Pages == 0 {
			t.Errorf("%+v", report)
		}
		epoch := db.Epoch()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Graphs(ctx); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		again := attach(t, b, bucket, nil)
		if _, m, err := again.Embedding(ctx, "e"); err != nil || m.Rows != 100 || again.Epoch() != epoch {
			t.Errorf("attached again: %v, epoch %d after %d", err, again.Epoch(), epoch)
		}
	}
	err := b.View(func(btx *bolt.Tx) error {
		if string(btx.Bucket([]byte("users")).Get([]byte("1"))) != "ann" {
			t.Error("the application's bucket changed")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAttach_Refused(t *testing.T) {
	b := appFile(t)
	for _, opts := range []*Options{{NoCreate: true}, {ReadOnly: true}} {
		if db, err := Attach(b, []byte("none"), opts); db != nil || !errors.Is(err, ErrNotStore) || !strings.Contains(err.Error(), "none") {
			t.Errorf("missing bucket: %v", err)
		}
	}
	if _, err := Attach(b, nil, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no bucket: %v", err)
	}
	if _, err := Attach(b, []byte("users"), nil); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNotStore) {
		t.Errorf("bucket of something else: %v", err)
	}
	db := attach(t, b, "store", nil)
	readOnly := attach(t, b, "store", &Options{ReadOnly: true})
	if _, err := readOnly.CreateGraph(context.Background(), "g"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	// An unsound record is an error, never a wrong answer.
	importText(t, db, "g", "a b\nb c\n")
	err := b.Update(func(btx *bolt.Tx) error {
		part, _ := objectBucket(t, btx.Bucket([]byte("store")), "graphs", "g", block.ArcsName)
		key, value := part.Cursor().First()
		value = slices.Clone(value)
		value[len(value)-1] ^= 1
		return part.Put(slices.Clone(key), value)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Snapshot(context.Background(), "g"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged record: %v", err)
	}
	report, err := db.Check(context.Background(), nil)
	if err != nil || report.OK() {
		t.Errorf("check: %+v, %v", report, err)
	}
	if err := db.DropGraph(context.Background(), "g", false); err != nil {
		t.Error(err)
	}
}

// TestDB_UpdateIn commits and rolls back writes of the application and of the store
// together.
func TestDB_UpdateIn(t *testing.T) {
	ctx := context.Background()
	b := appFile(t)
	db := attach(t, b, "store", nil)
	db.file.Opts.LockTimeout = 50 * time.Millisecond
	both := func(key string, end error) error {
		return b.Update(func(btx *bolt.Tx) error {
			if err := btx.Bucket([]byte("users")).Put([]byte(key), []byte("x")); err != nil {
				return err
			}
			err := db.UpdateIn(ctx, btx, func(x *Tx) error { _, err := x.CreateGraph("graph " + key); return err })
			return errors.Join(err, end)
		})
	}
	if err := both("kept", nil); err != nil {
		t.Fatal(err)
	}
	epoch := db.Epoch()
	if err := both("undone", errDisk); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if db.Epoch() != epoch {
		t.Error("a transaction that was rolled back counts")
	}
	graphs, err := db.Graphs(ctx)
	if err != nil || len(graphs) != 1 || graphs[0].Name != "graph kept" {
		t.Errorf("%+v, %v", graphs, err)
	}
	err = b.View(func(btx *bolt.Tx) error {
		if err := db.UpdateIn(ctx, btx, func(*Tx) error { return nil }); !errors.Is(err, ErrInvalid) {
			t.Errorf("in a read transaction: %v", err)
		}
		users := btx.Bucket([]byte("users"))
		if users.Get([]byte("kept")) == nil || users.Get([]byte("undone")) != nil {
			t.Error("the application's part did not go with ours")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := newStore(t, nil).UpdateIn(ctx, nil, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("store with a file of its own: %v", err)
	}
}

// A second UpdateIn of a transaction sees what the first one wrote, which may be much
// larger than the file.
func TestDB_UpdateIn_Twice(t *testing.T) {
	ctx := context.Background()
	b := appFile(t)
	db := attach(t, b, "store", nil)
	vertices := make([]Vertex, 20_000)
	for i := range vertices {
		vertices[i].Key = fmt.Sprint(i)
	}
	err := b.Update(func(btx *bolt.Tx) error {
		if btx.Size() >= int64(2*len(vertices)) {
			t.Fatalf("the file has %d bytes already", btx.Size())
		}
		first := db.UpdateIn(ctx, btx, func(x *Tx) error {
			_, err := x.CreateGraph("g")
			if err == nil {
				_, err = x.InsertVertices("g", vertices)
			}
			return err
		})
		second := db.UpdateIn(ctx, btx, func(x *Tx) error {
			_, err := x.InsertEdges("g", []Edge{{Source: "1", Target: "2"}})
			return err
		})
		return errors.Join(first, second)
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := db.Graph(ctx, "g"); err != nil || info.Vertices != len(vertices) || info.Edges != 1 || info.Version != 2 {
		t.Errorf("%+v, %v", info, err)
	}
	checkStore(t, db)
}

// A write of the store inside the application's transaction would wait for itself; it ends
// with an error, after its time limit or when its context ends.
func TestAttach_WriteInsideWrite(t *testing.T) {
	b := appFile(t)
	db, patient := attach(t, b, "store", nil), attach(t, b, "store", nil)
	db.file.Opts.LockTimeout = 50 * time.Millisecond // not earlier: attaching writes, and may take long on a busy machine
	err := b.Update(func(*bolt.Tx) error {
		if _, err := db.CreateGraph(context.Background(), "g"); !errors.Is(err, ErrLocked) {
			t.Errorf("got %v, want ErrLocked", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		if _, err := patient.CreateGraph(ctx, "g"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db.file.Opts.LockTimeout = time.Hour
	if _, err := db.CreateGraph(context.Background(), "g"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
