package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"heavytail/query/internal/querytest"

	"golang.org/x/sys/unix"
)

// If the disk becomes full while a job saves, the job ends with an error that says so. When
// there is room again, the job, resumed or run again, ends with the bytes of an undisturbed
// run.
func TestJobs_DiskFull(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("may not mount here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	for name, statement := range querytest.JobStatements {
		if testing.Short() && name != "spectral" {
			continue // each kind of job takes about a second
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at, other := filepath.Join(dir, "store"), filepath.Join(dir, "other")
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		full := false
		for points := 0; !full && points < 20; points += 3 {
			db := querytest.OpenAt(t, at)
			querytest.Eager(db)
			passed := 0
			querytest.Engine(db).Runner.AtCheckpoint = func(string) {
				if passed++; passed > points { // from here on the disk is full
					fill(t, other)
				}
			}
			text := statement
			if id, _ := lastStopped(t, db); id != 0 {
				text = fmt.Sprintf("RESUME JOB %d", id)
			}
			_, err := db.Query(ctx, text, nil)
			if full = errors.Is(err, syscall.ENOSPC); !full && err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := querytest.Engine(db).Store.Snapshot(ctx, "g"); err != nil {
				t.Errorf("%s: reading while the disk is full: %v", name, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(other); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if !full {
			t.Fatalf("%s: the disk did not fill", name)
		}
		db := querytest.OpenAt(t, at)
		querytest.Eager(db)
		text := statement
		if id, _ := lastStopped(t, db); id != 0 {
			text = fmt.Sprintf("RESUME JOB %d", id)
		}
		querytest.MustRun(t, db, text)
		if !slices.Equal(querytest.RowsOfEmbedding(t, db), querytest.RowsOfJob(t, name)) {
			t.Errorf("%s: other bytes", name)
		}
		querytest.Close(t, db)
	}
}

// fill uses up all free space of the file system of a file.
func fill(t *testing.T, path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for block := make([]byte, 1<<16); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
}
