package storage

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"heavytail/storage/internal/page"
)

// pausingContext calls at when its error is asked for the nth time.
type pausingContext struct {
	context.Context
	n  atomic.Int64 // of goroutines that check in parallel
	at func()
}

func (c *pausingContext) Err() error {
	if c.n.Add(-1) == 0 {
		c.at()
	}
	return c.Context.Err()
}

// TestCheck_BesideAWriter lets a writer extend the file at different moments of a check. The
// check must find no fault, nor parts of a later state: its transaction sees a sound state,
// whether the file was already open for writing or is opened for it during the check.
func TestCheck_BesideAWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var base image
	for _, writing := range []bool{false, true} {
		for n := 1; n < 1<<20; n += max(1, n/2) {
			path := base.copy(t, func(path string) {
				db := openStore(t, path, nil)
				putRing(t, db, "ring", 60000)
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			})
			db := openStore(t, path, nil)
			if writing {
				importText(t, db, "first", "a b\n")
			}
			before := fileSize(t, path)
			done := false
			write := func() {
				done = true
				for i := range 3 { // both meta pages are written
					putRing(t, db, fmt.Sprintf("more%d", i), 4000)
				}
			}
			pausing := &pausingContext{Context: ctx, at: write}
			pausing.n.Store(int64(n))
			report, err := db.Check(pausing, nil)
			if err != nil || !report.OK() || len(report.Notes) > 0 {
				t.Errorf("writing %v, moment %d: %v; %+v", writing, n, err, report)
			}
			if done && fileSize(t, path) == before {
				t.Fatal("the writer did not extend the file")
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if !done {
				if n < 64 {
					t.Errorf("the check has only %d moments", n)
				}
				break
			}
		}
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// growingFile is a file to which a writer commits between any two reads.
type growingFile struct {
	*os.File
	commit func()
}

func (f growingFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(b, at)
	f.commit()
	return n, err
}

// TestReadMeta_Growing: the meta page that is read fits the size of the file although a
// commit extends the file after every read.
func TestReadMeta_Growing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "growing.ht")
	db := openStore(t, path, nil)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	commits := 0
	commit := func() {
		commits++
		importText(t, db, fmt.Sprintf("g%d", commits), strings.Repeat("a b\n", 10)+ringText(3000))
	}
	for range 3 {
		if m, err := page.ReadSteadyMeta(growingFile{file, commit}, page.SizeOf(file)); err != nil || m.Other != "" {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// tornReader returns the first meta page with a wrong checksum some times.
type tornReader struct {
	io.ReaderAt
	times int
}

func (r *tornReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, at)
	if at == 0 && r.times > 0 {
		r.times--
		b[n-1] ^= 1
	}
	return n, err
}

// TestSteadyMeta_Torn: a meta page that is being written at the moment of a read is no damage.
func TestSteadyMeta_Torn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "torn.ht")
	db := openStore(t, path, nil)
	importText(t, db, "g", "a b\n")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for times := range 5 {
		m, err := page.ReadSteadyMeta(&tornReader{file, times}, page.SizeOf(file))
		if err != nil || (m.Other == "") != (times < 3) {
			t.Errorf("%d torn reads: %q, %v", times, m.Other, err)
		}
	}
}

// ringText is the edges of a ring, a line each.
func ringText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %d\n", i, (i+1)%n)
	}
	return b.String()
}
