package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// putGeneration stores a matrix full of x, with a state where it is not nil.
func putGeneration(t *testing.T, db *DB, name string, vertices int, x float32, state []byte) EmbeddingInfo {
	t.Helper()
	m := vec.NewMatrix(vertices, 3)
	for i := range m.Data {
		m.Data[i] = x
	}
	var write func(io.Writer) error
	if state != nil {
		write = func(w io.Writer) error {
			_, err := w.Write(state)
			return err
		}
	}
	info, err := db.Snapshot(context.Background(), "ring")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := db.PutEmbeddingState(context.Background(), EmbeddingInfo{Name: name, Graph: "ring", GraphVersion: info.Info.Version}, m, write)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func readState(db *DB, info EmbeddingInfo) ([]byte, error) {
	r, err := db.EmbeddingState(context.Background(), info)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// The present generation and the previous one can be read by name and number, older ones
// are removed, and only the present one has a state.
func TestGenerations(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, &Options{BatchBytes: 5000})
	putRing(t, db, "ring", 100)
	state := blobBytes(3 * tree.BlobBlock)
	for generation := uint64(1); generation <= 5; generation++ {
		info := putGeneration(t, db, "e", 100, float32(generation), state[:int(generation)*1000])
		if info.Generation != generation || info.StateBytes != int64(generation)*1000 {
			t.Fatalf("stored as %+v", info)
		}
		if got, err := readState(db, info); err != nil || !bytes.Equal(got, state[:len(got)]) || int64(len(got)) != info.StateBytes {
			t.Fatalf("state of %d bytes, %v", len(got), err)
		}
		list, err := db.Generations(ctx, "e")
		if err != nil || len(list) != min(int(generation), keptGenerations) || list[len(list)-1].Past || list[len(list)-1].Name != "e" {
			t.Fatalf("%+v, %v", list, err)
		}
		checkStore(t, db)
	}
	for name, want := range map[string]float32{"e": 5, "e@5": 5, "e@4": 4} {
		info, m, err := db.Embedding(ctx, name)
		if err != nil || m.Data[0] != want || info.Generation != uint64(want) || info.Past != (want == 4) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	for _, name := range []string{"e@3", "e@6", "e@05", "e@", "@5"} {
		if _, err := db.EmbeddingInfo(ctx, name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	old, _ := db.EmbeddingInfo(ctx, "e@4")
	if _, err := readState(db, old); !errors.Is(err, ErrNotFound) {
		t.Errorf("state of a past generation: %v", err)
	}
	old.Name = "e"
	if _, err := readState(db, old); !errors.Is(err, ErrConflict) {
		t.Errorf("state of a generation that was replaced: %v", err)
	}
	if list, err := db.Embeddings(ctx); err != nil || len(list) != 1 || list[0].Name != "e" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e@7", Graph: "ring", GraphVersion: 1}, vec.NewMatrix(100, 2)); !errors.Is(err, ErrName) {
		t.Errorf("an embedding with the name of a generation: %v", err)
	}
}

// Dropping an embedding also drops its generations and states, and frees their space.
func TestGenerations_Drop(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 100)
	putGeneration(t, db, "e@x", 100, 9, nil)
	empty := checkStore(t, db).Pages
	for range 3 {
		putGeneration(t, db, "e", 100, 1, blobBytes(5*tree.BlobBlock))
	}
	if err := db.DropEmbedding(ctx, "e@3"); !errors.Is(err, ErrInvalid) {
		t.Errorf("the present generation by its number: %v", err)
	}
	if err := db.DropEmbedding(ctx, "e@2"); err != nil {
		t.Error(err)
	}
	if list, err := db.Generations(ctx, "e"); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	putGeneration(t, db, "e", 100, 1, blobBytes(5*tree.BlobBlock))
	if err := db.DropEmbedding(ctx, "e"); err != nil {
		t.Fatal(err)
	}
	if pages := checkStore(t, db).Pages; pages > empty+1 {
		t.Errorf("%d pages in use, %d before", pages, empty)
	}
	putGeneration(t, db, "e", 100, 1, blobBytes(10))
	putGeneration(t, db, "e", 100, 1, nil)
	if err := db.DropGraph(ctx, "ring", true); err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	if _, err := db.EmbeddingInfo(ctx, "e@1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a generation of a dropped graph: %v", err)
	}
}

// Copies have the generations and states. A damaged state affects nothing but the state.
func TestGenerations_Copied(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := openStore(t, filepath.Join(dir, "store"), nil)
	putRing(t, db, "ring", 100)
	state := blobBytes(2*tree.BlobBlock + 7)
	putGeneration(t, db, "e", 100, 1, nil)
	info := putGeneration(t, db, "e", 100, 2, state)
	if _, err := db.Backup(ctx, filepath.Join(dir, "backup"), false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if report, err := db.Recover(ctx, filepath.Join(dir, "recovered"), RecoverOptions{}); err != nil || len(report.Lost) > 0 {
		t.Errorf("recovery says %q, %v", report.Lost, err)
	}
	for _, copied := range []*DB{db, openStore(t, filepath.Join(dir, "backup"), &Options{ReadOnly: true}), openStore(t, filepath.Join(dir, "recovered"), nil)} {
		checkStore(t, copied)
		if got, err := readState(copied, info); err != nil || !bytes.Equal(got, state) {
			t.Errorf("%s: %d bytes, %v", copied.Path(), len(got), err)
		}
		if _, m, err := copied.Embedding(ctx, "e@1"); err != nil || m.Data[0] != 1 {
			t.Errorf("%s: %v", copied.Path(), err)
		}
	}
	publishing(t, db, func(x *tree.Tx) error {
		r, err := findEmbedding(x, "e")
		if err != nil {
			return err
		}
		p, err := x.Part(r.State.Object, block.BlobName)
		if err != nil {
			return err
		}
		return p.Delete(block.Key32(1))
	})
	report, err := db.Recover(ctx, filepath.Join(dir, "mended"), RecoverOptions{})
	if err != nil || len(report.Lost) != 1 || len(report.Embeddings) != 1 {
		t.Fatalf("recovery says %+v, %v", report, err)
	}
	mended := openStore(t, filepath.Join(dir, "mended"), nil)
	checkStore(t, mended)
	got, m, err := mended.Embedding(ctx, "e")
	if err != nil || got.StateBytes != 0 || m.Data[0] != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	// The store was damaged on purpose, so it is not checked at the end.
	publishing(t, db, func(x *tree.Tx) error { return dropEmbedding(x, "e") })
	db.file.Sweep(ctx)
}

// If writing a state fails, the previous generation stays unchanged.
func TestPutEmbeddingState_FailedState(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, &Options{BatchBytes: 5000})
	putRing(t, db, "ring", 100)
	before := putGeneration(t, db, "e", 100, 1, []byte("state"))
	broken := errors.New("broken")
	_, err := db.PutEmbeddingState(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, vec.NewMatrix(100, 2), func(w io.Writer) error {
		if _, err := w.Write(blobBytes(3 * tree.BlobBlock)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	checkStore(t, db)
	if got, err := readState(db, before); err != nil || string(got) != "state" {
		t.Errorf("%q, %v", got, err)
	}
	if list, err := db.Generations(ctx, "e"); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// RowsOf agrees with Align, whose rows it numbers.
func TestSnapshot_RowsOf(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 20)
	snap, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	info := putGeneration(t, db, "e", 20, 1, nil)
	gone := []string{snap.Key(3), snap.Key(11), snap.Key(19)}
	err = db.Update(ctx, func(tx *Tx) error {
		if _, err := tx.DeleteVertices("ring", gone); err != nil {
			return err
		}
		_, err := tx.InsertEdges("ring", []Edge{{Source: "new", Target: snap.Key(5)}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	now, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := now.RowsOf(info)
	if err != nil || len(rows) != 18 {
		t.Fatalf("%v, %v", rows, err)
	}
	for v, row := range rows {
		key := now.Key(uint32(v))
		if old, was := snap.Vertex(key); !was && row != NoRow || was && row != old {
			t.Errorf("vertex %q has row %d", key, row)
		}
	}
	if slices.Contains(rows[:17], NoRow) {
		t.Errorf("a vertex that was there has no row: %v", rows)
	}
}

// The setting for automatic refreshes passes from one generation to the next, and is not
// reported for replaced ones.
func TestDB_SetAutoRefresh(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 20)
	putGeneration(t, db, "e", 20, 1, nil)
	auto := AutoRefresh{Changes: 7, Every: 3}
	if info, err := db.SetAutoRefresh(ctx, "e", auto); err != nil || info.Auto != auto || info.Generation != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	if info := putGeneration(t, db, "e", 20, 2, nil); info.Auto != auto {
		t.Errorf("the next generation: %+v", info.Auto)
	}
	list, err := db.Generations(ctx, "e")
	if err != nil || len(list) != 2 || list[0].Auto != (AutoRefresh{}) || list[1].Auto != auto {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := db.SetAutoRefresh(ctx, "e@1", auto); !errors.Is(err, ErrInvalid) {
		t.Errorf("a past generation: %v", err)
	}
	if _, err := db.SetAutoRefresh(ctx, "e", AutoRefresh{Changes: -1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("-1 changes: %v", err)
	}
	if _, err := db.SetAutoRefresh(ctx, "none", auto); !errors.Is(err, ErrNotFound) {
		t.Errorf("no embedding: %v", err)
	}
}

// The number of the present generation is another name of the embedding: what is written by it
// is the entry of the embedding. That of a past generation changes nothing, and that of no
// generation is not found, with the generations that there are.
func TestGenerations_Names(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const present, past, future = "e@2", "e@1", "e@3"
	for _, c := range []struct {
		name         string
		call         func(db *DB, name string) error
		present      error // for the present generation; nil for none
		past, future error
	}{
		{"SetAutoRefresh", func(db *DB, name string) error {
			info, err := db.SetAutoRefresh(ctx, name, AutoRefresh{Changes: 5})
			if err == nil && info.Name != "e" {
				err = errors.New(info.Name)
			}
			return err
		}, nil, ErrInvalid, ErrNotFound},
		{"RenameEmbedding", func(db *DB, name string) error {
			err := db.RenameEmbedding(ctx, name, "f")
			return errors.Join(err, db.RenameEmbedding(ctx, "f", "e"))
		}, nil, ErrInvalid, ErrNotFound},
		{"RenameEmbedding to", func(db *DB, name string) error { return db.RenameEmbedding(ctx, "e", name) }, ErrName, ErrName, ErrName},
		{"DropEmbedding", func(db *DB, name string) error { return db.DropEmbedding(ctx, name) }, ErrInvalid, nil, ErrNotFound},
		{"DropIndexes", func(db *DB, name string) error { _, err := db.DropIndexes(ctx, name, ""); return err }, nil, ErrNotFound, ErrNotFound},
		{"Indexes", func(db *DB, name string) error {
			list, err := db.Indexes(ctx, name)
			if err == nil && (len(list) == 1) != (name == present) {
				err = errors.New("the wrong indexes")
			}
			return err
		}, nil, nil, ErrNotFound},
		{"Generations", func(db *DB, name string) error {
			list, err := db.Generations(ctx, name)
			if err == nil && (len(list) != 2 || list[1].Name != "e") {
				err = errors.New("the wrong generations")
			}
			return err
		}, nil, nil, ErrNotFound},
		{"Embedding", func(db *DB, name string) error {
			info, m, err := db.Embedding(ctx, name)
			if err == nil && (info.Name != map[string]string{present: "e", past: past}[name] || m.Data[0] != float32(info.Generation)) {
				err = errors.New(info.Name)
			}
			return err
		}, nil, nil, ErrNotFound},
		{"PutEmbedding", func(db *DB, name string) error {
			_, m, err := db.Embedding(ctx, "e")
			if err == nil {
				_, err = db.PutEmbedding(ctx, EmbeddingInfo{Name: name, Graph: "ring", GraphVersion: 1}, m)
			}
			return err
		}, ErrName, ErrName, ErrName},
		{"PutSameRows", func(db *DB, name string) error {
			_, m, err := db.Embedding(ctx, "e")
			if err == nil {
				_, _, err = db.PutSameRows(ctx, EmbeddingInfo{Name: name, Graph: "ring", GraphVersion: 1}, m, nil)
			}
			return err
		}, ErrName, ErrName, ErrName},
		{"EmbeddingState", func(db *DB, name string) error {
			info, err := db.EmbeddingInfo(ctx, name)
			if err == nil {
				_, err = readState(db, info)
			}
			return err
		}, nil, ErrNotFound, ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, want := range map[string]error{present: c.present, past: c.past, future: c.future} {
				db := newStore(t, nil)
				putRing(t, db, "ring", 100)
				putGeneration(t, db, "e", 100, 1, blobBytes(10))
				info := putGeneration(t, db, "e", 100, 2, blobBytes(10))
				putIndex(t, db, info, "l2", 10)
				err := c.call(db, name)
				if !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("%s: %v", name, err)
				}
				var missing *NotFoundError
				if name == future && errors.As(err, &missing) && missing.Has() != `embedding "e" has the generations 1 and 2` {
					t.Errorf("%s: %v", name, err)
				}
				if list, err := db.Embeddings(ctx); err != nil || len(list) != 1 || list[0].Name != "e" {
					t.Errorf("afterwards there are %+v, %v", list, err)
				}
				checkStore(t, db)
			}
		})
	}
}
