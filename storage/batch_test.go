package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// batchedEdges inserts edges by many calls at once, some of which fail in each way there is, and returns those whose
// calls returned nil.
func batchedEdges(t *testing.T, db *DB, seed uint64, writers, each int) (kept []Edge) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	failure := errors.New("a failure of f")
	for w := range writers {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			for i := range each {
				e := Edge{Source: strconv.Itoa(r.IntN(50)), Target: fmt.Sprint("w", w, "-", i), Weight: 1}
				ctx, cancel := context.WithCancel(t.Context())
				way := r.IntN(12)
				want := error(nil)
				insert := func(tx *Tx) error {
					_, err := tx.InsertEdges("g", []Edge{e})
					return err
				}
				f := insert
				switch way {
				case 0:
					f, want = func(tx *Tx) error { return errors.Join(insert(tx), failure) }, failure
				case 1:
					f, want = func(tx *Tx) error { cancel(); return insert(tx) }, context.Canceled
				case 2:
					f, want = func(tx *Tx) error { _, err := tx.InsertEdges("none", []Edge{e}); return err }, ErrNotFound
				case 3:
					cancel()
					want = context.Canceled
				case 4:
					f = func(tx *Tx) error { return errors.Join(insert(tx), panicNow()) }
				}
				err := func() (err error) {
					defer func() {
						if p := recover(); p != nil {
							err = errPanicked
						}
					}()
					return db.Batch(ctx, f)
				}()
				cancel()
				if way == 4 {
					want = errPanicked
				}
				switch {
				case !errors.Is(err, want):
					t.Errorf("way %d: %v, want %v", way, err, want)
				case err == nil:
					mu.Lock()
					kept = append(kept, e)
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return kept
}

var errPanicked = errors.New("panicked")

func panicNow() error { panic("of f") }

// TestDB_Batch checks that what is there is what the calls that succeeded have written, whatever happened to the others.
func TestDB_Batch(t *testing.T) {
	for seed := range uint64(2) {
		path := filepath.Join(t.TempDir(), "b.ht")
		db := openStore(t, path, nil)
		if err := db.Update(t.Context(), func(tx *Tx) error { _, err := tx.CreateGraph("g"); return err }); err != nil {
			t.Fatal(err)
		}
		before := db.Epoch()
		kept := batchedEdges(t, db, seed, 16, 20)
		if commits := db.Epoch() - before; commits > uint64(len(kept)) {
			t.Errorf("%d commits of %d calls", commits, len(kept))
		}
		info, err := db.Graph(t.Context(), "g")
		if err != nil || info.Edges != int64(len(kept)) {
			t.Fatalf("%d edges of %d calls, %v", info.Edges, len(kept), err)
		}
		err = db.Update(t.Context(), func(tx *Tx) error {
			stats, err := tx.DeleteEdges("g", kept)
			if stats.Deleted != int64(len(kept)) {
				t.Errorf("%+v", stats)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if report, err := db.Check(t.Context(), nil); err != nil || !report.OK() {
			t.Errorf("%v, %v", report, err)
		}
	}
}

// TestDB_BatchTogether has calls wait for a writer, which are then one commit and one version.
func TestDB_BatchTogether(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "b.ht"), nil)
	if err := db.Update(t.Context(), func(tx *Tx) error { _, err := tx.CreateGraph("g"); return err }); err != nil {
		t.Fatal(err)
	}
	const calls = 40
	var ran atomic.Int64
	var wait sync.WaitGroup
	err := db.Update(t.Context(), func(*Tx) error {
		for i := range calls {
			wait.Go(func() {
				err := db.Batch(t.Context(), func(tx *Tx) error {
					ran.Add(1)
					_, err := tx.InsertVertices("g", []Vertex{{Key: strconv.Itoa(i)}})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for db.file.Waiting.Len() < calls {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := db.Epoch()
	wait.Wait()
	info, err := db.Graph(t.Context(), "g")
	if commits := db.Epoch() - before; err != nil || info.Vertices != calls || info.Version != 1+commits || ran.Load() != calls {
		t.Errorf("%d commits, %d runs, %+v, %v", commits, ran.Load(), info, err)
	}
}

// TestDB_BatchGoexit has calls end the goroutine that runs them, as the tests of programs do: the others are committed.
func TestDB_BatchGoexit(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "b.ht"), nil)
	if err := db.Update(t.Context(), func(tx *Tx) error { _, err := tx.CreateGraph("g"); return err }); err != nil {
		t.Fatal(err)
	}
	const calls = 12
	var wait sync.WaitGroup
	var returned atomic.Int64
	err := db.Update(t.Context(), func(*Tx) error {
		for i := range calls {
			wait.Go(func() {
				err := db.Batch(t.Context(), func(tx *Tx) error {
					if _, err := tx.InsertVertices("g", []Vertex{{Key: strconv.Itoa(i)}}); err != nil || i%4 > 0 {
						return err
					}
					runtime.Goexit()
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				returned.Add(1)
			})
		}
		for db.file.Waiting.Len() < calls {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	info, err := db.Graph(t.Context(), "g")
	if err != nil || int64(info.Vertices) < returned.Load() || info.Vertices > calls/4*3 {
		t.Errorf("%d vertices of %d calls that returned, %v", info.Vertices, returned.Load(), err)
	}
}

// TestDB_BatchFailingCommit has a commit fail that many calls share: each gets the error.
func TestDB_BatchFailingCommit(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "b.ht"), nil)
	if err := db.Update(t.Context(), func(tx *Tx) error { _, err := tx.CreateGraph("g"); return err }); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no space")
	db.file.BeforeCommit = func() error { return failure }
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			err := db.Batch(t.Context(), func(tx *Tx) error {
				_, err := tx.InsertVertices("g", []Vertex{{Key: strconv.Itoa(i)}})
				return err
			})
			if !errors.Is(err, ErrFailed) {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wait.Wait()
}

const batchWriters = 8

// TestDB_Batch_Killed kills a process of many writers before commits and at random moments: every vertex whose call has
// returned is there, and of the others at most those of the last commit.
func TestDB_Batch_Killed(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "killed")
	db := openStore(t, path, nil)
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	said, lost := map[string]bool{}, 0
	for round := range 6 {
		commits, wait := 1+random.IntN(20), never
		if round >= 3 {
			commits, wait = -1, time.Duration(100+random.IntN(150))*time.Millisecond
		}
		cmd, out := startChild(t, "batch", path, commits)
		timer := randomMoment(cmd, wait)
		for out.Scan() {
			said[out.Text()] = true
		}
		waitKilled(t, cmd)
		timer.Stop()
		db := openStore(t, path, nil)
		s, err := db.Snapshot(ctx, "g")
		if err != nil {
			t.Fatal(err)
		}
		for key := range said {
			if _, there := s.Vertex(key); !there {
				t.Errorf("round %d: %s was there, and is not", round, key)
			}
		}
		if lost += batchWriters; int(s.Info.Vertices) > len(said)+lost {
			t.Errorf("round %d: %d vertices, of which %d were inserted", round, int(s.Info.Vertices), len(said))
		}
		if report, err := db.Check(ctx, nil); err != nil || !report.OK() {
			t.Errorf("round %d: %v, %v", round, report, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(said) < 10 {
		t.Errorf("only %d vertices; the test killed too early", len(said))
	}
}

// BenchmarkDB_Batch inserts single edges, one call after the other and by many at once, each committed when its call
// returns.
func BenchmarkDB_Batch(b *testing.B) {
	for _, writers := range []int{1, 50} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			db := openStore(b, filepath.Join(b.TempDir(), "b.ht"), nil)
			if err := db.Update(b.Context(), func(tx *Tx) error { _, err := tx.CreateGraph("g"); return err }); err != nil {
				b.Fatal(err)
			}
			var next atomic.Int64
			var wait sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wait.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						e := Edge{Source: strconv.FormatInt(i, 10), Target: strconv.FormatInt(i*7919%1000, 10) + "t", Weight: 1}
						if err := db.Batch(b.Context(), func(tx *Tx) error { _, err := tx.InsertEdges("g", []Edge{e}); return err }); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			if info, err := db.Graph(b.Context(), "g"); err != nil || info.Edges != int64(b.N) {
				b.Errorf("%d edges, %v", info.Edges, err)
			}
		})
	}
}
