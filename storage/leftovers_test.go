package storage

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heavytail/storage/internal/file"
	"heavytail/storage/internal/tree"
)

// TestOpen_Leftovers lays out files as killed compactions, imports and creations leave them,
// and others that only look like them.
func TestOpen_Leftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "st[o]re*")
	if err := openStore(t, path, nil).Close(); err != nil {
		t.Fatal(err)
	}
	lay := func(names ...string) {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), tree.FileMode); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	stale := []string{".st[o]re*.1.compact", ".st[o]re*.4294967295.compact", ".st[o]re*.7.import", ".st[o]re*.9.new"}
	kept := []string{
		".st[o]re*.compact", ".st[o]re*..compact", ".st[o]re*.x.compact", ".st[o]re*.1.2.compact", ".st[o]re*.1.compacted",
		".store.1.compact", "st[o]re*.1.compact", ".st[o]re*.1.backup", ".st[o]re*.5.compact", ".st[o]re*.6.compact", ".st[o]re*.8.compact",
	}
	lay(stale...)
	lay(kept[:len(kept)-2]...)
	if err := os.Mkdir(filepath.Join(dir, ".st[o]re*.6.compact"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(dir, ".st[o]re*.8.compact")); err != nil {
		t.Fatal(err)
	}
	lock, err := file.OpenLock(filepath.Join(dir, ".st[o]re*.5.compact"), false)
	if err == nil && file.CanShareLock {
		err = lock.Exclusive(time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := openStore(t, path, &Options{ReadOnly: true}).Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range stale {
		if !there(name) {
			t.Errorf("opening for reading removed %s", name)
		}
	}
	db := openStore(t, path, nil)
	for _, name := range stale {
		if there(name) {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range kept {
		if !file.CanShareLock && name == ".st[o]re*.5.compact" {
			continue // nobody has it open here
		}
		if !there(name) {
			t.Errorf("%s was removed", name)
		}
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	lay(".copy.1.backup", ".copy.x.backup")
	if _, err := db.Backup(context.Background(), filepath.Join(dir, "copy"), false, nil); err != nil {
		t.Fatal(err)
	}
	if there(".copy.1.backup") || !there(".copy.x.backup") || !there(".st[o]re*.1.backup") {
		t.Error("a backup removes what one to the same path left, and nothing else")
	}
}
