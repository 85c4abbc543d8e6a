package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// On a full disk the plan, the shard or the merge ends with an error that says so, and leaves
// nothing that counts as finished. Once there is space, the same call gives the bytes of the
// statement alone.
func TestShards_DiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: fills a disk again and again")
	}
	ctx := context.Background()
	db, f := open(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("mounting a small disk is not allowed here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	folder, filler, into := filepath.Join(dir, "D"), filepath.Join(dir, "filler"), filepath.Join(dir, "merged.csv")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	// again makes a call on a full disk, and then on a disk with free space.
	again := func(what string, call func() error) {
		t.Helper()
		fill(t, filler)
		if err := call(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s on a full disk: %v", what, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	statement := statements(f, into)["score"]
	var m *Manifest
	again("plan", func() (err error) {
		m, err = MakeWithData(ctx, db, folder, statement, 2)
		return err
	})
	again("restore", func() error { return m.Restore(ctx, filepath.Join(dir, "restored.ht")) })
	restored := readOnly(t, filepath.Join(dir, "restored.ht"))
	again("shard 1 from data", func() error { return m.Run(ctx, restored, 1) })
	if err := os.Remove(m.state(one(1))); err != nil {
		t.Fatal(err)
	}
	if err := restored.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range m.Shards {
		again(fmt.Sprintf("shard %d", i), func() error {
			err := m.Run(ctx, db, i)
			if _, missing := m.done(one(i)); missing == nil && err != nil {
				t.Errorf("shard %d counts as finished: %v", i, err)
			}
			return err
		})
	}
	again("merge", func() error { return m.Merge(ctx, "", false) })
	alone := filepath.Join(t.TempDir(), "alone.csv")
	rows, err := db.Query(ctx, statements(f, alone)["score"], nil)
	if err == nil {
		err = drain(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	if read(t, into) != read(t, alone) {
		t.Error("the bytes differ from those of the statement alone")
	}
}

// fill writes a file that takes all free space of its disk.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := io.CopyBuffer(file, zeros{}, make([]byte, 1<<16)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk did not become full: %v", err)
	}
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
