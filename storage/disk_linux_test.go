package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"heavytail/storage/internal/file"

	"golang.org/x/sys/unix"
)

// mount mounts a file system on a folder of its own until the test ends.
func mount(t *testing.T, source, kind string, flags uintptr, data string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount(source, dir, kind, flags, data); err != nil {
		t.Skipf("may not mount here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full disk every write fails with an error that says so, and nothing that was
// confirmed is lost. When some space is free again, the file can be used.
func TestDB_DiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: fills a disk again and again")
	}
	ctx := context.Background()
	dir := mount(t, "tmpfs", "tmpfs", 0, "size=3m")
	path, other := filepath.Join(dir, "store"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, make([]byte, 300_000), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := 0
	full := false
	for !full {
		db, err := Open(path, &Options{BatchBytes: 50_000})
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Import(ctx, fmt.Sprint("g", whole), strings.NewReader(killValues()), killOptions(false))
		switch {
		case err == nil:
			whole++
		case errors.Is(err, ErrFailed) && errors.Is(err, syscall.ENOSPC):
			full = true
			if _, err := db.CreateGraph(ctx, "more"); !errors.Is(err, ErrFailed) {
				t.Errorf("after the failure: %v", err)
			}
		default:
			t.Fatal(err)
		}
		for i := range whole {
			if _, err := db.Snapshot(ctx, fmt.Sprint("g", i)); err != nil {
				t.Errorf("reading while the disk is full: %v", err)
			}
		}
		checkStore(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if whole > 100 {
			t.Fatal("the disk does not fill")
		}
	}
	db := openStore(t, path, nil)
	want := expectedSnapshot(t, false)
	for i := range whole {
		sameSnapshot(t, killedGraph(t, db, fmt.Sprint("g", i)), want)
	}
	// There is no space for a copy either; a failed copy does not affect the open store.
	if _, err := db.Compact(ctx, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("compact: %v", err)
	}
	if _, err := db.Backup(ctx, filepath.Join(dir, "backup"), false, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("backup: %v", err)
	}
	if _, err := Recover(ctx, path, filepath.Join(dir, "new"), RecoverOptions{LockTimeout: -1}); !errors.Is(err, ErrLocked) {
		t.Errorf("recover: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if err := db.DropGraph(ctx, fmt.Sprint("g", i), false); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	if stats, err := db.Compact(ctx, nil); err != nil || stats.After >= stats.Before {
		t.Errorf("compact: %+v, %v", stats, err)
	}
	importText(t, db, "g", killText())
}

// The errors of a read-only medium, and of a file without permission, say that the file can
// be opened for reading.
func TestOpen_ReadOnlyMedium(t *testing.T) {
	folder := filepath.Dir(closedStore(t))
	dir := mount(t, folder, "", unix.MS_BIND, "")
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("may not mount read-only here: %v", err)
	}
	testReadOnly(t, filepath.Join(dir, "test.heavytail"), syscall.EROFS)
	if _, err := Open(filepath.Join(dir, "new"), nil); !errors.Is(err, syscall.EROFS) {
		t.Errorf("new file: %v", err)
	}
}

func TestOpen_NoPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else for a moment")
	}
	path := closedStore(t)
	for dir := filepath.Dir(path); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	as := func(mode os.FileMode, f func()) {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread() // the user of the thread, not of the process
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(65534); err != nil {
			t.Skipf("may not become another user: %v", err)
		}
		defer func() { _ = unix.Setfsuid(0) }()
		f()
	}
	as(0o644, func() { testReadOnly(t, path, syscall.EACCES) })
	as(0o600, func() {
		if _, err := Open(path, &Options{ReadOnly: true}); !errors.Is(err, os.ErrPermission) || errors.Is(err, ErrReadOnly) {
			t.Errorf("file of another: %v", err)
		}
	})
}

// testReadOnly opens a store that can be read but not written.
func testReadOnly(t *testing.T, path string, cause error) {
	t.Helper()
	db, err := Open(path, nil)
	if db != nil || !errors.Is(err, ErrReadOnly) || !errors.Is(err, cause) || !strings.Contains(err.Error(), "open it for reading only") {
		t.Errorf("for writing: %v", err)
	}
	if db, err = Open(path, &Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestNetworkName(t *testing.T) {
	for kind, want := range map[uint32]string{0x6969: "NFS", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x65735546: "FUSE", 0xef53: "", 0x01021994: ""} {
		if got := file.NetworkName(kind); got != want {
			t.Errorf("%#x: %q, want %q", kind, got, want)
		}
	}
}
