package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A file system of a network is refused for writing, before a file is made on
// it, unless the options allow it.
func TestOpen_NetworkFS(t *testing.T) {
	path := closedStore(t)
	network := func(string) string { return "NFS" }
	if db, err := Open(path, &Options{fileSystem: network}); db != nil || !errors.Is(err, ErrNetworkFS) || !strings.Contains(err.Error(), "NFS") {
		t.Errorf("for writing: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := Open(missing, &Options{fileSystem: network}); !errors.Is(err, ErrNetworkFS) {
		t.Errorf("new file: %v", err)
	}
	if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made")
	}
	for _, opts := range []*Options{{fileSystem: network, ReadOnly: true}, {fileSystem: network, AllowNetworkFS: true}} {
		db := openStore(t, path, opts)
		if _, err := db.Snapshot(context.Background(), "g"); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A write to a file that has lost its name would be lost, so it is refused;
// reading continues, and a backup saves what is open.
func TestDB_Replaced(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		do   func(path string) error
	}{
		{"removed", os.Remove},
		{"replaced", func(path string) error {
			other := path + ".other"
			return errors.Join(os.WriteFile(other, []byte("another"), 0o600), os.Rename(other, path))
		}},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }},
	} {
		for _, written := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "store")
			db, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if written {
				importText(t, db, "g", "a b\n")
			}
			if err := c.do(path); err != nil {
				t.Skipf("an open file cannot be %s here: %v", c.name, err)
			}
			if _, err := db.CreateGraph(ctx, "lost"); !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, written before %t: %v", c.name, written, err)
			}
			if _, err := db.Compact(ctx, nil); !errors.Is(err, ErrReplaced) {
				t.Errorf("%s: compaction: %v", c.name, err)
			}
			if _, err := db.Backup(ctx, filepath.Join(dir, "saved"), false, nil); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			saved := openStore(t, filepath.Join(dir, "saved"), nil)
			if graphs, err := saved.Graphs(ctx); err != nil || (len(graphs) == 1) != written {
				t.Errorf("%s: saved %v, %v", c.name, graphs, err)
			}
		}
	}
}

// Of several that open a file for writing at once, one gets it, and the others
// get the error that it is locked.
func TestOpen_OneWriter(t *testing.T) {
	path := closedStore(t)
	for range 20 {
		var (
			all  sync.WaitGroup
			mu   sync.Mutex
			open []*DB
		)
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				db, err := Open(path, &Options{LockTimeout: -1})
				if err != nil {
					if !errors.Is(err, ErrLocked) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				open = append(open, db)
				mu.Unlock()
			}()
		}
		all.Wait()
		if len(open) > 1 {
			t.Errorf("%d writers", len(open))
		}
		for _, db := range open {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Who waits for the lock while the file is replaced by a compaction gets the
// new file.
func TestOpen_WaitsThroughCompaction(t *testing.T) {
	db, err := Open(closedStore(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() {
		next, err := Open(db.Path(), &Options{LockTimeout: time.Hour})
		if err == nil {
			_, err = next.Graph(context.Background(), "after")
			err = errors.Join(err, next.Close())
		}
		waited <- err
	}()
	for range 3 {
		if _, err := db.Compact(context.Background(), nil); err != nil {
			t.Error(err)
		}
	}
	importText(t, db, "after", "a b\n")
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// Close ends during first writes, compactions and reads, with nothing left open, and
// acknowledged writes are in the file.
func TestDB_CloseMeanwhile(t *testing.T) {
	ctx := context.Background()
	path := closedStore(t)
	made := 0
	for round := range 12 {
		db, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		results := make([]error, 3)
		for i, work := range []func() error{
			func() error { _, err := db.CreateGraph(ctx, string(rune('k'+round))); return err },
			func() error { _, err := db.Compact(ctx, nil); return err },
			func() error { _, err := db.Snapshot(ctx, "g"); return err },
		} {
			all.Add(1)
			go func() {
				defer all.Done()
				results[i] = work()
			}()
		}
		if round%2 == 0 { // otherwise most of them find it closed
			if _, err := db.Graphs(ctx); err != nil {
				t.Error(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
		for _, err := range results {
			if err != nil && !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
		if results[0] == nil {
			made++
		}
		again := openStore(t, path, nil)
		if graphs, err := again.Graphs(ctx); err != nil || len(graphs) != made+1 {
			t.Fatalf("round %d: %d graphs, want %d; %v", round, len(graphs), made+1, err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
