package storage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heavytail/storage/internal/file"

	bolt "go.etcd.io/bbolt"
)

// released are the options of a store that releases the file shortly after each use.
func released(t testing.TB) *Options {
	t.Helper()
	if !file.CanShareLock {
		t.Skip("a store on this system keeps the file locked until it is closed")
	}
	return &Options{ReleaseIdle: true, held: time.Millisecond, LockTimeout: time.Hour}
}

// releasedReader has the same options for reading only.
func releasedReader(t testing.TB) *Options {
	o := released(t)
	o.ReadOnly = true
	return o
}

// idle waits until a store has released its file.
func idle(t testing.TB, db *DB) {
	t.Helper()
	for away := false; !away; time.Sleep(time.Millisecond) {
		db.file.Mu.Lock()
		away = db.file.Lease.Away
		db.file.Mu.Unlock()
	}
}

// addEdge inserts the edge between vertices n and n+1 of the path "g", and returns
// how many edges there were before.
func addEdge(ctx context.Context, db *DB, n int) (before int64, err error) {
	err = db.Update(ctx, func(x *Tx) error {
		info, err := x.Graph("g")
		if err != nil {
			return err
		}
		before = info.Edges
		_, err = x.InsertEdges("g", []Edge{{Source: fmt.Sprint(n), Target: fmt.Sprint(n + 1)}})
		return err
	})
	return before, err
}

// pathStore makes a store with graph "g", a path of one edge, and closes it.
func pathStore(t testing.TB) string {
	t.Helper()
	db := newStore(t, nil)
	importText(t, db, "g", "0 1\n")
	path := db.Path()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func edgesOf(t testing.TB, db *DB) int64 {
	t.Helper()
	info, err := db.Graph(context.Background(), "g")
	if err != nil {
		t.Fatal(err)
	}
	return info.Edges
}

// Idle readers and writers release the file to each other, and to a store that keeps it.
func TestReleaseIdle_Beside(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	reader := openStore(t, path, releasedReader(t))
	writer := openStore(t, path, released(t))
	other := openStore(t, path, released(t))
	for n := 1; n <= 6; n += 2 {
		for i, db := range []*DB{writer, other} {
			before, err := addEdge(ctx, db, n+i)
			if err != nil || before != int64(n+i) {
				t.Fatalf("edge %d: %d edges before, %v", n+i, before, err)
			}
			if got := edgesOf(t, reader); got != int64(n+i+1) {
				t.Fatalf("the reader sees %d edges of %d", got, n+i+1)
			}
		}
	}
	if reader.Epoch() != other.Epoch() {
		t.Errorf("the reader is at epoch %d of %d", reader.Epoch(), other.Epoch())
	}
	kept := openStore(t, path, &Options{LockTimeout: time.Hour})
	_, err := Open(path, &Options{ReadOnly: true, LockTimeout: -1})
	if !errors.Is(err, ErrLocked) {
		t.Errorf("beside a store that keeps the file: %v", err)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

// An undisturbed store keeps its knowledge of the file: what was verified, and that it is
// open for writing.
func TestReleaseIdle_Undisturbed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	db := openStore(t, path, released(t))
	if _, err := addEdge(ctx, db, 1); err != nil {
		t.Fatal(err)
	}
	before := db.file.Current
	if !before.Writable {
		t.Fatal("not open for writing")
	}
	for n := 2; n < 6; n++ {
		idle(t, db)
		reader := openStore(t, path, releasedReader(t)) // reads, and closes
		if got := edgesOf(t, reader); got != int64(n) {
			t.Errorf("%d edges of %d", got, n)
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
		if _, err := addEdge(ctx, db, n); err != nil {
			t.Fatal(err)
		}
	}
	if db.file.Current != before || db.Reopened() != 0 {
		t.Errorf("the file was opened again %d times", db.Reopened())
	}
	other := openStore(t, path, released(t))
	if _, err := addEdge(ctx, other, 6); err != nil {
		t.Fatal(err)
	}
	if got := edgesOf(t, db); got != 7 || db.file.Current == before || db.Reopened() != 1 {
		t.Errorf("after another writer: %d edges, opened again %d times", got, db.Reopened())
	}
}

// childTurns adds an edge for each line of its input, and writes how many there were.
func childTurns(path string) {
	db, err := Open(path, &Options{ReleaseIdle: true, held: time.Millisecond, LockTimeout: time.Hour})
	fail(err)
	fmt.Println("open")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		before, err := addEdge(context.Background(), db, atoi(in.Text()))
		fail(err)
		fmt.Println(before)
	}
	fail(db.Close())
}

// Two processes write alternately, and each sees every commit of the other.
func TestReleaseIdle_Turns(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: handles take turns for a second")
	}
	t.Parallel()
	path := pathStore(t)
	db := openStore(t, path, released(t))
	cmd, in, out := startTalk(t, "turns", path)
	if !out.Scan() || out.Text() != "open" {
		t.Fatalf("the child says %q", out.Text())
	}
	const turns = 100
	for n := 1; n < 2*turns; n += 2 {
		if before, err := addEdge(context.Background(), db, n); err != nil || before != int64(n) {
			t.Fatalf("turn %d: %d edges before, %v", n, before, err)
		}
		fmt.Fprintln(in, n+1)
		if !out.Scan() || out.Text() != fmt.Sprint(n+1) {
			t.Fatalf("turn %d of the child: %q edges before", n+1, out.Text())
		}
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if got := edgesOf(t, db); got != int64(2*turns+1) {
		t.Errorf("%d edges", got)
	}
	if report := checkStore(t, db); len(report.Notes) > 0 {
		t.Errorf("notes: %q", report.Notes)
	}
}

// A writer is killed while another store is idle. That store then finds the last complete
// state, and discards the unfinished work of the killed writer when it writes itself.
func TestReleaseIdle_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestDB_Update_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "killed")
	db := openStore(t, path, released(t))
	putJob := func(done int64) error {
		return db.PutJobCheckpoint(ctx, JobInfo{ID: 1, State: JobRunning, Done: done}, func(w io.Writer) error {
			_, err := w.Write([]byte{byte(done)})
			return err
		})
	}
	if err := putJob(1); err != nil {
		t.Fatal(err)
	}
	unfinished := 0
	for commits := range 8 {
		idle(t, db)
		cmd, out := startChild(t, "checkpoint", path, "inside", "commit", commits)
		last := "checkpoint 0"
		for out.Scan() {
			last = out.Text()
		}
		if waitKilled(t, cmd) {
			t.Fatal("the child was not killed")
		}
		job, err := db.Job(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		var done int64
		if _, err := fmt.Sscanf(last, "checkpoint %d", &done); err != nil || job.Done < done {
			t.Errorf("after %d commits: %q was acknowledged, %d is there", commits, last, job.Done)
		}
		unfinished += len(checkStore(t, db).Notes)
		if err := putJob(job.Done + 1); err != nil {
			t.Fatal(err)
		}
		if notes := checkStore(t, db).Notes; len(notes) > 0 {
			t.Errorf("after %d commits of the other, and one more: %q", commits, notes)
		}
	}
	if unfinished == 0 {
		t.Error("nothing was ever left to discard")
	}
}

// A compaction replaces the file that an idle store has open.
func TestReleaseIdle_Compacted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	db, reader, other := openStore(t, path, released(t)), openStore(t, path, releasedReader(t)), openStore(t, path, released(t))
	if _, err := addEdge(ctx, db, 1); err != nil {
		t.Fatal(err)
	}
	for n := 2; n < 5; n++ {
		if _, err := other.Compact(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if before, err := addEdge(ctx, db, n); err != nil || before != int64(n) {
			t.Fatalf("%d edges before, %v", before, err)
		}
		for name, db := range map[string]*DB{"writer": db, "reader": reader, "other": other} {
			if got := edgesOf(t, db); got != int64(n+1) {
				t.Errorf("the %s sees %d edges of %d", name, got, n+1)
			}
			h, err := db.file.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.file.Replaced(h); err != nil {
				t.Errorf("the %s: %v", name, err)
			}
			db.file.Release(h)
		}
	}
}

// An idle store accepts the same store from a backup under its name, refuses anything else
// with an error that says what it found, and continues when its file is back.
func TestReleaseIdle_Replaced(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	saved := filepath.Join(t.TempDir(), "saved")
	db := openStore(t, path, released(t))
	if _, err := db.Backup(ctx, saved, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := addEdge(ctx, db, 1); err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) func() error {
		return func() error { return os.WriteFile(path, data, 0o600) }
	}
	another := newStore(t, nil)
	if err := another.Close(); err != nil {
		t.Fatal(err)
	}
	anotherData, err := os.ReadFile(another.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		do   func() error
		want error
	}{
		{"nothing", func() error { return nil }, ErrReplaced},
		{"another store", put(anotherData), ErrReplaced},
		{"a text", put([]byte(strings.Repeat("text", 4096))), ErrNotStore},
		{"an empty file", put(nil), ErrNotStore},
		{"a folder", func() error { return os.Mkdir(path, 0o700) }, ErrNotStore},
		{"half of another store", put(anotherData[:len(anotherData)/2]), ErrCorrupt},
	} {
		idle(t, db)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		_, err := db.Graph(ctx, "g")
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name == "nothing" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := db.CreateGraph(ctx, "lost"); !errors.Is(err, c.want) {
			t.Errorf("%s, to be written: %v", c.name, err)
		}
		if err := errors.Join(os.RemoveAll(path), os.Rename(path+".away", path)); err != nil {
			t.Fatal(err)
		}
		if got := edgesOf(t, db); got != 2 {
			t.Errorf("after %s: %d edges", c.name, got)
		}
	}
	epoch := db.Epoch()
	for _, inPlace := range []bool{false, true} {
		idle(t, db)
		data, err := os.ReadFile(saved)
		if err == nil && !inPlace {
			err = os.Remove(path)
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := edgesOf(t, db); got != 1 || db.Epoch() >= epoch {
			t.Errorf("from a backup, in place %t: %d edges, epoch %d after %d", inPlace, got, db.Epoch(), epoch)
		}
		if before, err := addEdge(ctx, db, 5); err != nil || before != 1 {
			t.Errorf("from a backup, in place %t: %d edges before, %v", inPlace, before, err)
		}
	}
}

// Hold keeps the file between calls, and the error of a process that waits names the file.
func TestHold(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	db := openStore(t, path, released(t))
	idle(t, db)
	release := db.Hold()
	probe := func() error {
		other, err := Open(path, &Options{LockTimeout: -1})
		if err == nil {
			err = other.Close()
		}
		return err
	}
	if err := probe(); err != nil {
		t.Errorf("before the first use: %v", err)
	}
	edgesOf(t, db)
	time.Sleep(20 * time.Millisecond) // longer than it is kept without Hold
	if err := probe(); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("while it is kept: %v", err)
	}
	waiting, cancel := context.WithCancel(ctx)
	other := &Options{ReleaseIdle: true, held: time.Millisecond, LockTimeout: time.Hour}
	release()
	release() // nothing more
	second := openStore(t, path, other)
	idle(t, second)
	release = db.Hold()
	edgesOf(t, db)
	ended := make(chan error)
	go func() {
		_, err := second.Graph(waiting, "g")
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waits: %v", err)
	}
	go func() {
		_, err := second.Graph(ctx, "g")
		ended <- err
	}()
	for waits := false; !waits; time.Sleep(time.Millisecond) {
		second.file.Mu.Lock()
		waits = second.file.Users > 0
		second.file.Mu.Unlock()
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("closed while it waits: %v", err)
	}
	release()
	idle(t, db)
	if err := probe(); err != nil {
		t.Errorf("after it was kept: %v", err)
	}
}

// A store in constant use, with one call after the other, still lets other processes use
// the file.
func TestReleaseIdle_Busy(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	path := pathStore(t)
	busy, other := openStore(t, path, released(t)), openStore(t, path, released(t))
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			if _, err := busy.Graph(ctx, "g"); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
				return
			}
		}
	})
	for n := 1; n < 6; n++ {
		if _, err := addEdge(ctx, other, n); err != nil {
			t.Error(err)
		}
	}
	cancel()
	all.Wait()
	if got := edgesOf(t, busy); got != 6 {
		t.Errorf("%d edges", got)
	}
}

// Several goroutines use two stores of one file.
func TestReleaseIdle_Concurrent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := pathStore(t)
	stores := []*DB{openStore(t, path, released(t)), openStore(t, path, released(t))}
	const each = 6
	var all sync.WaitGroup
	for s, db := range stores {
		for worker := range 3 {
			all.Go(func() {
				seen := int64(0)
				for i := range each {
					n := 10 + 100*(3*s+worker) + 2*i // no two of them make the same edge
					before, err := addEdge(ctx, db, n)
					if err != nil || before < seen {
						t.Errorf("%d edges after %d, %v", before, seen, err)
						return
					}
					seen = before + 1
					if info, err := db.Graph(ctx, "g"); err != nil || info.Edges < seen {
						t.Errorf("%d edges after %d, %v", info.Edges, seen, err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	for _, db := range stores {
		if got := edgesOf(t, db); got != 1+6*each {
			t.Errorf("%d edges of %d", got, 1+6*each)
		}
	}
}

// A file that cannot be released is kept, and so is the file of an application.
func TestReleaseIdle_Kept(t *testing.T) {
	t.Parallel()
	path := pathStore(t)
	db := openStore(t, path, &Options{ReleaseIdle: true, AllowNetworkFS: true, held: time.Millisecond, fileSystem: func(string) string { return "NFS" }})
	time.Sleep(20 * time.Millisecond)
	if _, err := Open(path, &Options{ReadOnly: true, LockTimeout: -1}); !errors.Is(err, ErrLocked) {
		t.Errorf("on a network file system: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	b, err := bolt.Open(filepath.Join(t.TempDir(), "application"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := Attach(b, []byte("graphs"), &Options{ReleaseIdle: true}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "ReleaseIdle") {
		t.Errorf("attach: %v", err)
	}
}
