package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"heavytail/storage/internal/tree"
)

var errDisk = errors.New("the disk is full")

// TestDB_FailingCommit fails commit 0, 1, 2, … of some work until the work succeeds. After
// each failure the open store must refuse writes and still read, and the reopened file must
// have the state before the work or after it.
func TestDB_FailingCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: fails each commit of each kind of work")
	}
	t.Parallel()
	ctx := context.Background()
	var before image
	fill := func(path string) {
		db := openStore(t, path, nil)
		importText(t, db, "g", "a b\nb c\n")
		putRing(t, db, "ring", 2500)
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(2500, 1)); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	importMore := func(db *DB) error {
		_, err := db.Import(ctx, "g", strings.NewReader(killText()), ImportOptions{})
		return err
	}
	for _, work := range []struct {
		name    string
		commits int // at least
		do      func(db *DB) error
		changed func(db *DB) (bool, error)
	}{
		{"import", 2, importMore, func(db *DB) (bool, error) {
			g, err := db.Graph(ctx, "g")
			return g.Version == 2, err
		}},
		{"update", 1, func(db *DB) error {
			return db.Update(ctx, func(x *Tx) error {
				if _, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "d", Weight: 2}}); err != nil {
					return err
				}
				_, err := x.DeleteEdges("ring", []Edge{{Source: "0", Target: "1"}})
				return err
			})
		}, func(db *DB) (bool, error) {
			g, err := db.Graph(ctx, "g")
			ring, ringErr := db.Graph(ctx, "ring")
			if (g.Version == 2) != (ring.Version == 2) {
				return false, errors.New("the graphs did not change together")
			}
			return g.Version == 2 && g.Edges == 3 && ring.Edges == 2499, errors.Join(err, ringErr)
		}},
		{"put embedding", 2, func(db *DB) error {
			_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(2500, 2))
			return err
		}, func(db *DB) (bool, error) {
			e, m, err := db.Embedding(ctx, "e")
			if err != nil {
				return false, err
			}
			for _, x := range m.Data {
				if x != float32(e.Generation) {
					return false, fmt.Errorf("value %v in generation %d", x, e.Generation)
				}
			}
			return e.Generation == 2, nil
		}},
		{"checkpoint beside", 1, putJobCheckpoint, jobCheckpointed},
		{"checkpoint inside", 2, func(db *DB) error { inFile(db); return putJobCheckpoint(db) }, jobCheckpointed},
		{"put model", 3, func(db *DB) error {
			own := []NewEmbedding{
				{EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(2500, 2), nil},
				{EmbeddingInfo{Name: "f", Graph: "ring", GraphVersion: 1}, constantRows(2500, 2), nil},
			}
			info := ModelInfo{Name: "m", Graph: "ring", GraphVersion: 1, AUC: 0.5, TrainingPairs: 1, TestPairs: 1, Terms: []string{"l3"},
				Embeddings: []ModelEmbedding{{Name: "e", Generation: 9, Own: true}, {Name: "f", Own: true}}}
			_, err := db.PutModel(ctx, info, func(w io.Writer) error { _, err := w.Write([]byte("model")); return err }, own...)
			return err
		}, func(db *DB) (bool, error) {
			e, err := db.EmbeddingInfo(ctx, "e")
			if err != nil {
				return false, err
			}
			made := e.Generation == 2
			f, errF := db.EmbeddingInfo(ctx, "f")
			m, errM := db.ModelInfo(ctx, "m")
			if errors.Is(errF, ErrNotFound) == made || errors.Is(errM, ErrNotFound) == made {
				return false, fmt.Errorf("the model and its embeddings did not come together: %v, %v, generation %d", errF, errM, e.Generation)
			}
			if made && (m.Embeddings[0].Generation != 2 || m.Embeddings[1].Generation != f.Generation) {
				return false, fmt.Errorf("the model has other generations: %+v", m.Embeddings)
			}
			return made, nil
		}},
		{"drop graph", 2, func(db *DB) error { return db.DropGraph(ctx, "ring", true) }, func(db *DB) (bool, error) {
			_, err := db.Graph(ctx, "ring")
			_, embeddingErr := db.EmbeddingInfo(ctx, "e")
			if errors.Is(err, ErrNotFound) != errors.Is(embeddingErr, ErrNotFound) {
				return false, errors.New("the graph and its embedding did not go together")
			}
			return errors.Is(err, ErrNotFound), nil
		}},
	} {
		t.Run(work.name, func(t *testing.T) {
			for failAt := 0; ; failAt++ {
				path := before.copy(t, fill)
				db := openStore(t, path, &Options{BatchBytes: 6000})
				commits, hit := 0, false
				db.file.BeforeCommit = func() error {
					commits++
					if commits-1 == failAt {
						hit = true
						return errDisk
					}
					return nil
				}
				err := work.do(db)
				if hit != (err != nil) || hit && (!errors.Is(err, errDisk) || errors.Is(err, ErrFailed) == errors.Is(err, ErrUnfreed)) {
					t.Fatalf("commit %d: %v", failAt, err)
				}
				if hit {
					if _, err := db.CreateGraph(ctx, "h"); !errors.Is(err, ErrFailed) {
						t.Fatalf("commit %d failed, and the handle still writes: %v", failAt, err)
					}
					if _, err := db.Snapshot(ctx, "g"); err != nil {
						t.Fatalf("commit %d failed, and the handle does not read: %v", failAt, err)
					}
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openStore(t, path, nil)
				checkStore(t, db)
				changed, stateErr := work.changed(db)
				if stateErr != nil {
					t.Fatalf("commit %d: %v", failAt, stateErr)
				}
				// A failure of the later clean-up is not a failure of the work.
				if changed != (err == nil || errors.Is(err, ErrUnfreed)) {
					t.Fatalf("commit %d: error %v, but changed is %t", failAt, err, changed)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if !hit {
					if failAt < work.commits {
						t.Errorf("only %d commits", failAt)
					}
					return
				}
			}
		})
	}
}

// putJobCheckpoint and jobCheckpointed are work of TestDB_FailingCommit, and whether it was done.
func putJobCheckpoint(db *DB) error {
	return db.PutJobCheckpoint(context.Background(), JobInfo{ID: 1, State: JobRunning, Done: 2}, func(w io.Writer) error {
		_, err := w.Write(bytes.Repeat([]byte{2}, 3*tree.BlobBlock))
		return err
	})
}

func jobCheckpointed(db *DB) (bool, error) {
	job, err := db.Job(context.Background(), 1)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	data, readErr := readCheckpoint(db, 1)
	if len(data) != 3*tree.BlobBlock || job.Done != 2 {
		return false, fmt.Errorf("%d bytes with progress %d", len(data), job.Done)
	}
	return true, errors.Join(err, readErr)
}

// Rows that were computed for a graph are not stored for another graph that has taken its
// name meanwhile.
func TestPutEmbedding_GraphMadeAgain(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "g", 10)
	before, err := db.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.DropGraph(ctx, "g", false); err != nil {
		t.Fatal(err)
	}
	putRing(t, db, "g", 10)
	info := EmbeddingInfo{Name: "e", Graph: "g", GraphID: before.ID, GraphVersion: before.Version}
	if _, err := db.PutEmbedding(ctx, info, constantRows(10, 1)); !errors.Is(err, ErrConflict) {
		t.Errorf("rows of the graph before: %v", err)
	}
	now, err := db.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	info.GraphID = now.ID
	if info, err = db.PutEmbedding(ctx, info, constantRows(10, 1)); err != nil || info.GraphID != now.ID {
		t.Errorf("rows of this graph: %+v, %v", info, err)
	}
}

// A cancelled embedding leaves nothing behind, at whatever batch it stops.
func TestPutEmbedding_Cancelled(t *testing.T) {
	db := newStore(t, &Options{BatchBytes: 1})
	putRing(t, db, "g", 2500)
	for stop := range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		commits := 0
		db.file.BeforeCommit = func() error {
			if commits == stop {
				cancel()
			}
			commits++
			return nil
		}
		_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, constantRows(2500, 1))
		cancel()
		if stop < 2 && !errors.Is(err, context.Canceled) {
			t.Errorf("stop %d: %v", stop, err)
		}
		if report := checkStore(t, db); len(report.Notes) != 0 {
			t.Errorf("stop %d left %q", stop, report.Notes)
		}
	}
}
