package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heavytail/storage/internal/file"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// maintained makes a store with every kind of content, unfinished work, free
// pages and half-filled pages.
func maintained(t *testing.T, path string) *DB {
	t.Helper()
	maintainedImage.copyTo(t, path, func(path string) { fillMaintained(t, path) })
	return openStore(t, path, &Options{BatchBytes: 5000})
}

var maintainedImage image

func fillMaintained(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	db := openStore(t, path, &Options{BatchBytes: 5000})
	putRing(t, db, "ring", 1000)
	importText(t, db, "g", killText())
	importText(t, db, "g", "v1 new\nv2 newer\n")
	if _, err := db.CreateGraph(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(1000, float32(i))); err != nil {
			t.Fatal(err)
		}
	}
	// An import that stopped: it continues from there.
	stop, cancel := context.WithCancel(ctx)
	commits := 0
	db.file.BeforeCommit = func() error {
		if commits++; commits == 3 {
			cancel()
		}
		return nil
	}
	if _, err := db.Import(stop, "half", strings.NewReader(killValues()), killOptions(false)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	db.file.BeforeCommit = nil
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// sameAnswers compares everything that two stores answer.
func sameAnswers(t *testing.T, got *DB, want map[string]any) {
	t.Helper()
	if wrong, damaged := compareAnswers(answers(got), want); wrong != "" || damaged {
		t.Errorf("the copy answers differently: %s (errors: %t)", wrong, damaged)
	}
}

func TestDB_Backup_SameContents(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := maintained(t, filepath.Join(dir, "store"))
	want := answers(db)
	target := filepath.Join(dir, "backup")
	var last int64
	stats, err := db.Backup(ctx, target, false, func(stage string, done, total int64) {
		if stage != "copying" || done < last {
			t.Errorf("progress %q %d of %d after %d", stage, done, total, last)
		}
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode() != 0o600 || info.Size() != stats.Bytes || stats.Epoch != db.Epoch() || last == 0 {
		t.Errorf("%v, %v, %+v", info, err, stats)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("beside the two files: %v, %v", entries, err)
	}
	copied := openStore(t, target, &Options{ReadOnly: true})
	sameAnswers(t, copied, want)
	if before, after := checkStore(t, db), checkStore(t, copied); after.Bytes >= before.Bytes || after.FreePages > after.Pages/4 {
		t.Errorf("%d bytes, %d of %d pages free, from %d bytes", after.Bytes, after.FreePages, after.Pages, before.Bytes)
	}
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
	// The stopped import continues in the copy.
	writing := openStore(t, target, nil)
	if read, err := writing.Import(ctx, "half", strings.NewReader(killValues()), killOptions(false)); err != nil || !read.Resumed {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestDB_Backup_Refused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := newStore(t, nil)
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(db.Path(), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, c := range []struct {
		path      string
		overwrite bool
		want      error
	}{
		{"", true, ErrInvalid}, {dir, true, ErrInvalid}, {taken, false, ErrExists},
		{db.Path(), true, ErrInvalid}, {db.Path(), false, ErrExists}, {link, true, ErrInvalid},
		{filepath.Join(dir, "none", "x"), false, fs.ErrNotExist},
	} {
		if _, err := db.Backup(ctx, c.path, c.overwrite, nil); !errors.Is(err, c.want) {
			t.Errorf("%q, overwrite %t: %v, want %v", c.path, c.overwrite, err, c.want)
		}
	}
	if b, err := os.ReadFile(taken); err != nil || string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Backup(cancelled, filepath.Join(dir, "new"), false, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := db.Backup(ctx, taken, true, nil); err != nil {
		t.Errorf("overwriting: %v", err)
	}
	checkStore(t, openStore(t, taken, nil))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// A backup whose unfinished file another backup to the same path has removed says so.
func TestDB_Backup_AtOnce(t *testing.T) {
	db := newStore(t, nil)
	path := filepath.Join(t.TempDir(), "copy")
	db.file.AtStep = func(point string) {
		if point == "written" {
			tree.RemoveLeftovers(path, tree.KindBackup)
		}
	}
	if _, err := db.Backup(t.Context(), path, false, nil); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "another backup or recovery to this path") {
		t.Errorf("%v", err)
	}
}

// A backup has the state of one moment, whatever is written while it runs.
func TestDB_Backup_WhileWriting(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := maintained(t, filepath.Join(dir, "store"))
	want := answers(db)
	wrote := make(chan error, 1)
	once := false
	_, err := db.Backup(ctx, filepath.Join(dir, "backup"), false, func(string, int64, int64) {
		if once {
			return
		}
		once = true
		go func() {
			_, err := db.Import(ctx, "ring", strings.NewReader("0 50\nx y\n"), ImportOptions{})
			if err == nil {
				_, err = db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(1000, 9))
			}
			wrote <- errors.Join(err, db.DropGraph(ctx, "g", false))
		}()
		if err := <-wrote; err != nil { // all of it is done before the copy continues
			t.Error(err)
		}
	})
	if err != nil || !once {
		t.Fatal(err, once)
	}
	sameAnswers(t, openStore(t, filepath.Join(dir, "backup"), nil), want)
	if _, err := db.Graph(ctx, "g"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the writer's work: %v", err)
	}
}

func TestDB_Backup_Attached(t *testing.T) {
	db := attach(t, appFile(t), "graphs", nil)
	putRing(t, db, "ring", 500)
	path := filepath.Join(t.TempDir(), "backup")
	if _, err := db.Backup(context.Background(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(context.Background(), db.Path(), true, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("over the application's file: %v", err)
	}
	copied := openStore(t, path, nil)
	if s, err := copied.Snapshot(context.Background(), "ring"); err != nil || s.Graph.Edges() != 500 {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"compact": func() error { _, err := db.Compact(context.Background(), nil); return err }(),
		"migrate": func() error { _, err := db.rewriteForTest(); return err }(),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func (db *DB) rewriteForTest() (int64, error) {
	_, after, err := db.rewrite(context.Background(), newReporter(nil))
	return after, err
}

// A compaction keeps all content, frees space, and leaves the handle, its lock and the
// running readers usable.
func TestDB_Compact(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := maintained(t, path)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	want := answers(db)
	rounds := 3
	if testing.Short() {
		rounds = 2
		t.Log("-short: compacted twice")
	}
	for round := range rounds {
		stats, err := db.Compact(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() != stats.After || info.Mode() != 0o640 || (round == 0 && stats.After >= stats.Before) {
			t.Errorf("%+v, %v, %v", stats, info, err)
		}
		sameAnswers(t, db, want)
		checkStore(t, db)
		if _, err := Open(path, &Options{LockTimeout: -1}); !errors.Is(err, ErrLocked) {
			t.Errorf("the new file is not locked: %v", err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("left %v, %v", entries, err)
		}
	}
	if read, err := db.Import(ctx, "half", strings.NewReader(killValues()), killOptions(false)); err != nil || !read.Resumed {
		t.Errorf("%+v, %v", read, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, path, nil)
	sameSnapshot(t, killedGraph(t, again, "half"), expectedSnapshot(t, false))
}

// Readers continue through compactions and first writes, and each sees one state.
func TestDB_Compact_WithReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestDB_Compact compacts without readers")
	}
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(t.TempDir(), "store")
	if err := maintained(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := openStore(t, path, nil)
	want := expectedRing(t, 1000)
	var readers sync.WaitGroup
	for range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for ctx.Err() == nil {
				s, err := db.Snapshot(ctx, "ring")
				if err != nil {
					if ctx.Err() == nil {
						t.Error(err)
					}
					return
				}
				if s.Graph.Edges() != want.Graph.Edges() || s.Key(17) != "17" {
					t.Error("a reader saw another graph")
				}
			}
		}()
	}
	// The first write reopens bbolt while readers use it.
	importText(t, db, "other", "a b\n")
	for range 2 {
		if _, err := db.Compact(context.Background(), nil); err != nil {
			t.Error(err)
		}
		importText(t, db, "other", fmt.Sprintf("a c%d\n", time.Now().UnixNano()))
	}
	cancel()
	readers.Wait()
	if db.file.Current.Users != 0 || db.file.Users != 0 {
		t.Errorf("%d users of the handle, %d of all", db.file.Current.Users, db.file.Users)
	}
}

func expectedRing(t *testing.T, n int) *Snapshot {
	t.Helper()
	db := newStore(t, nil)
	putRing(t, db, "ring", n)
	s, err := db.Snapshot(context.Background(), "ring")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A reader that began before a compaction or a first write ends on the file that it began
// with.
func TestDB_Compact_ReaderFinishes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestDB_Compact compacts without readers")
	}
	path := filepath.Join(t.TempDir(), "store")
	if err := maintained(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := openStore(t, path, nil)
	ctx := context.Background()
	want := answers(db)
	err := db.file.View(ctx, func(old *tree.Tx) error {
		// Several commits, which would reuse the pages that the old reader still needs.
		for i := range 5 {
			if err := db.DropGraph(ctx, "g", true); err != nil && i == 0 {
				return err
			}
			importText(t, db, "g", fmt.Sprintf("a%d b\n", i))
		}
		if _, err := db.Compact(ctx, nil); err != nil {
			return err
		}
		importText(t, db, "g", "c d\n")
		r, err := graphs.Find(old, "g")
		if err != nil {
			return err
		}
		c, err := graphs.ReadContents(old, "g", r, false)
		if err != nil {
			return err
		}
		if r.Version != 2 || c.Graph.Edges() != int64(r.Edges) {
			t.Errorf("version %d with %d edges", r.Version, c.Graph.Edges())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	importText(t, db, "after", "a b\n")
	got := answers(db)
	if fmt.Sprint(got["snapshot ring"]) != fmt.Sprint(want["snapshot ring"]) || fmt.Sprint(got["embedding"]) != fmt.Sprint(want["embedding"]) {
		t.Error("the rest changed")
	}
}

func TestDB_Stats(t *testing.T) {
	ctx := context.Background()
	db := maintained(t, filepath.Join(t.TempDir(), "store"))
	stats, err := db.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	report := checkStore(t, db)
	if stats.Bytes != report.Bytes || stats.Pages != report.Pages || stats.FreePages != report.FreePages || stats.Epoch != db.Epoch() {
		t.Errorf("%+v, %+v", stats, report)
	}
	if len(stats.Graphs) != 3 || len(stats.Embeddings) != 2 || len(stats.Unfinished) != 1 {
		t.Fatalf("%+v", stats)
	}
	sum := stats.OtherBytes + stats.TrashBytes + stats.Embeddings[0].Bytes + stats.Embeddings[1].Bytes + stats.Unfinished[0].Bytes
	for _, g := range stats.Graphs {
		sum += g.Bytes()
		if empty := g.Name == "empty"; (g.Keys == 0) != empty || (g.IDs == 0) != empty || (g.Arcs == 0) != empty {
			t.Errorf("%+v", g)
		}
	}
	if inUse := stats.Pages * int64(stats.PageSize); sum < inUse*3/4 || sum > inUse*5/4 {
		t.Errorf("the parts take %d bytes, and %d are in use", sum, inUse)
	}
	if e := stats.Embeddings[0]; e.Bytes < 4*1000*256 || e.Bytes > 5*1000*256 {
		t.Errorf("%+v", e)
	}
	attached := attach(t, appFile(t), "graphs", nil)
	putRing(t, attached, "ring", 5000)
	if stats, err = attached.Stats(ctx); err != nil || !stats.Attached || len(stats.Graphs) != 1 || stats.Graphs[0].Arcs == 0 || stats.Bytes == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// A file with several names is not replaced, because the other names would keep the old one.
// After a killed process one of the names is that of a temporary file, which is removed.
func TestDB_Compact_Names(t *testing.T) {
	if !file.CanShareLock {
		t.Skip("an open file cannot be replaced here")
	}
	ctx := context.Background()
	dir := t.TempDir()
	path, other, link := filepath.Join(dir, "store"), filepath.Join(dir, "other"), filepath.Join(dir, "link")
	db := openStore(t, path, nil)
	importText(t, db, "g", "a b\n")
	for _, name := range []string{other, filepath.Join(dir, ".store.5.new"), filepath.Join(dir, ".store.7.backup")} {
		if err := os.Link(path, name); err != nil {
			t.Fatal(err)
		}
	}
	for what, rewrite := range map[string]func() error{
		"compact": func() error { _, err := db.Compact(ctx, nil); return err },
		"migrate": func() error { _, _, err := db.rewrite(ctx, newReporter(nil)); return err },
	} {
		if err := rewrite(); !errors.Is(err, ErrNames) || !strings.Contains(err.Error(), "2 names") {
			t.Errorf("%s: %v", what, err)
		}
	}
	sameFile(t, path, other)
	importText(t, db, "h", "a b\n") // the store is still in use
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	db.file.AtStep = func(point string) { // a name that is added while the copy is made
		if point == "written" {
			if err := os.Link(path, other); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := db.Compact(ctx, nil); !errors.Is(err, ErrNames) {
		t.Errorf("a name was added meanwhile: %v", err)
	}
	db.file.AtStep = nil
	// Backups replace only the name that they are asked for, and never the store.
	if _, err := db.Backup(ctx, other, true, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("backup to another name of the store: %v", err)
	}
	if _, err := db.Recover(ctx, other, RecoverOptions{Overwrite: true}); !errors.Is(err, ErrInvalid) {
		t.Errorf("recovery to another name of the store: %v", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	// A symbolic link still leads to the file.
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, link, nil)
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	sameFile(t, path, link)
	// A backup over one of two names leaves the other one as it is.
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	if err := errors.Join(os.WriteFile(first, []byte("precious"), 0o600), os.Link(first, second)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(ctx, first, true, nil); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(second); err != nil || string(b) != "precious" {
		t.Errorf("the other name has %q, %v", b, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil || !os.SameFile(x, y) {
		t.Errorf("%s and %s are not the same file: %v, %v", a, b, errX, errY)
	}
}
