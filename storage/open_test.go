package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/storage/internal/tree"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// withRoot changes the root bucket of a closed store without package storage.
func withRoot(t *testing.T, path string, f func(root *bolt.Bucket) error) {
	t.Helper()
	b, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second, NoFreelistSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = b.Update(func(btx *bolt.Tx) error {
		root := btx.Bucket(block.RootName)
		return errors.Join(f(root), sumAgain(root))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// sumAgain recomputes the stored tallies after such a change.
func sumAgain(root *bolt.Bucket) error {
	h, err := block.DecodeHeader(root.Get(block.HeaderKey))
	if err != nil {
		return nil // the header is what the test damages
	}
	if root.Bucket(block.SumsName) != nil {
		if err := root.DeleteBucket(block.SumsName); err != nil {
			return err
		}
	}
	found := block.NewTallies()
	var count func(b *bolt.Bucket, path ...[]byte) error
	count = func(b *bolt.Bucket, path ...[]byte) error {
		var tally page.Tally
		defer func() { found.Counted(path, tally) }()
		return b.ForEach(func(key, value []byte) error {
			inner := b.Bucket(key)
			if inner == nil {
				tally.Add(key, value)
				return nil
			}
			tally.AddBucket(key)
			return count(inner, append(slices.Clone(path), key)...)
		})
	}
	if err := count(root, block.RootName); err != nil {
		return err
	}
	sums, err := root.CreateBucket(block.SumsName)
	if err != nil {
		return err
	}
	h.TxID, h.Sums = uint64(root.Tx().ID()), page.Tally{}
	x := &tree.Tx{Ledger: tree.Ledger{Root: root, Header: h}}
	for _, place := range slices.Sorted(maps.Keys(found.Of)) {
		if err := x.PutSum(sums, place, found.Of[place]); err != nil {
			return err
		}
	}
	return root.Put(block.HeaderKey, x.Header.Encode())
}

// closedStore makes a small store and returns its path.
func closedStore(t *testing.T) string {
	t.Helper()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\nc a\nc d\n")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db.Path()
}

func fileSum(t *testing.T, path string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// TestOpen_Refused opens files that are not stores, or not for this version: the error says
// what is wrong, names the file, and the file stays unchanged.
func TestOpen_Refused(t *testing.T) {
	foreign := func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "foreign")
		b, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Update(func(btx *bolt.Tx) error { _, err := btx.CreateBucket([]byte("other")); return err })
		if err := errors.Join(err, b.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(content string) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	withHeader := func(change func(h *block.Header)) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := closedStore(t)
			withRoot(t, path, func(root *bolt.Bucket) error {
				h, err := block.DecodeHeader(root.Get(block.HeaderKey))
				if err != nil {
					return err
				}
				change(&h)
				return root.Put(block.HeaderKey, h.Encode())
			})
			return path
		}
	}
	cut := func(t *testing.T) string {
		path := closedStore(t)
		if err := os.Truncate(path, 5*int64(os.Getpagesize())); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T) string
		kind error
		says string
	}{
		{"directory", func(t *testing.T) string { return t.TempDir() }, ErrNotStore, "directory"},
		{"empty file", file(""), ErrNotStore, "remove it"},
		{"short file", file("0 1\n"), ErrNotStore, "another program"},
		{"text", file(strings.Repeat("0 1\n", 5000)), ErrNotStore, "another program"},
		{"zeros", file(strings.Repeat("\x00", 1<<16)), ErrNotStore, "another program"},
		{"foreign bbolt file", foreign, ErrNotStore, "bbolt file of another program"},
		{"newer format", withHeader(func(h *block.Header) { h.Format, h.MinReader = 9, 9 }), ErrVersion, "newer heavytail"},
		{"unknown feature", withHeader(func(h *block.Header) { h.Features = []string{"telepathy"} }), ErrVersion, "telepathy"},
		{"cut off", cut, ErrCorrupt, "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.make(t)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			var before [32]byte
			if !info.IsDir() {
				before = fileSum(t, path)
			}
			for _, readOnly := range []bool{false, true} {
				db, err := Open(path, &Options{ReadOnly: readOnly})
				if db != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
					t.Errorf("read-only %t: %v, want %v that says %q", readOnly, err, c.kind, c.says)
				}
			}
			if !info.IsDir() && before != fileSum(t, path) {
				t.Error("the file was changed")
			}
		})
	}
}

// An empty path is refused before a file is created.
func TestOpen_EmptyPath(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Open("", nil); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "the path is empty") {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}

// A later format that this code can still read is opened.
func TestOpen_NewerFormatForThisReader(t *testing.T) {
	path := closedStore(t)
	withRoot(t, path, func(root *bolt.Bucket) error {
		h, err := block.DecodeHeader(root.Get(block.HeaderKey))
		h.Format = block.FormatVersion + 1
		return errors.Join(err, root.Put(block.HeaderKey, h.Encode()))
	})
	db := openStore(t, path, &Options{ReadOnly: true})
	if _, err := db.Graph(context.Background(), "g"); err != nil {
		t.Error(err)
	}
}

func TestOpen_Missing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	for _, opts := range []*Options{{ReadOnly: true}, {NoCreate: true}} {
		if _, err := Open(path, opts); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	if _, err := Open(filepath.Join(path, "below"), nil); err == nil {
		t.Error("a store was made in a folder that is not there")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was made")
	}
}

// A new file is readable only by its owner, and no other file is left next to it.
func TestOpen_CreatesPrivateFile(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, filepath.Join(dir, "new"), nil)
	info, err := os.Stat(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if info.Size() > 1<<16 {
		t.Errorf("an empty store takes %d bytes", info.Size())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestOpen_FollowsLink(t *testing.T) {
	path := closedStore(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	db := openStore(t, link, nil)
	if _, err := db.Graph(context.Background(), "g"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("link to nothing: %v", err)
	}
}

// A writer excludes all others, in this process and in others; readers share the file.
func TestOpen_Locked(t *testing.T) {
	path := closedStore(t)
	cmd, out := startChild(t, "hold", path)
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if !out.Scan() || out.Text() != "open" {
		t.Fatal("child did not open the file")
	}
	quick := Options{LockTimeout: 100 * time.Millisecond}
	refused := func(who string, opts Options) {
		t.Helper()
		db, err := Open(path, &opts)
		if db != nil || !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want ErrLocked", who, err)
		}
	}
	refused("writer beside a writing process", quick)
	refused("reader beside a writing process", Options{ReadOnly: true, LockTimeout: -1})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()

	one := openStore(t, path, &Options{ReadOnly: true})
	two := openStore(t, path, &Options{ReadOnly: true})
	for _, db := range []*DB{one, two} {
		if _, err := db.Snapshot(context.Background(), "g"); err != nil {
			t.Error(err)
		}
		if _, err := db.CreateGraph(context.Background(), "h"); !errors.Is(err, ErrReadOnly) {
			t.Errorf("write through a reader: %v", err)
		}
	}
	refused("writer beside readers of this process", quick)
}

func TestOpen_ReadOnlyLeavesFileAlone(t *testing.T) {
	path := closedStore(t)
	before := fileSum(t, path)
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if before != fileSum(t, path) {
		t.Error("the file was changed")
	}
}

func TestDB_Closed(t *testing.T) {
	db := newStore(t, nil)
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Graphs(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("read: %v", err)
	}
	if _, err := db.CreateGraph(context.Background(), "g"); !errors.Is(err, ErrClosed) {
		t.Errorf("write: %v", err)
	}
}

// If a file is truncated while it is open, reads give an error, not a fault.
func TestDB_FileCutWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be cut on Windows")
	}
	ctx := context.Background()
	db, err := Open(filepath.Join(t.TempDir(), "cut"), nil)
	if err != nil {
		t.Fatal(err)
	}
	importText(t, db, "g", killText())
	if err := os.Truncate(db.Path(), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := db.Snapshot(ctx, "g"); !errors.Is(err, ErrCorrupt) {
			t.Errorf("read: %v", err)
		}
		if _, err := db.CreateGraph(ctx, "h"); !errors.Is(err, ErrCorrupt) {
			t.Errorf("write: %v", err)
		}
		if _, err := db.Check(ctx, nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("check: %v", err)
		}
	}
	_ = db.Close() // must end; what it returns does not matter any more
}

// Epoch counts commits over reopening.
func TestDB_Epoch(t *testing.T) {
	db := newStore(t, nil)
	before := db.Epoch()
	importText(t, db, "g", "a b\n")
	after := db.Epoch()
	if after <= before {
		t.Errorf("epoch %d after %d", after, before)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if again := openStore(t, db.Path(), nil).Epoch(); again != after {
		t.Errorf("epoch %d after reopening, was %d", again, after)
	}
}

func TestOptions_Validate(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "x"), &Options{BatchBytes: -1, LockTimeout: 48 * time.Hour})
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "BatchBytes") || !strings.Contains(err.Error(), "LockTimeout") {
		t.Errorf("%v", err)
	}
}
