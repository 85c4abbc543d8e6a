package storage

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	// These tests mostly wait for the disk. -parallel sets another number.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	leaktest.Main(m)
}

// openStore opens a store and, when the test ends, checks it and closes it.
func openStore(t testing.TB, path string, opts *Options) *DB {
	t.Helper()
	db, err := Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if db.file.Closed.Load() {
			return
		}
		checkStore(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// newStore is an empty store in a folder of its own.
func newStore(t testing.TB, opts *Options) *DB {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "test.heavytail"), opts)
}

func checkStore(t testing.TB, db *DB) CheckReport {
	t.Helper()
	report, err := db.Check(context.Background(), nil)
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, fault := range report.Faults {
		t.Errorf("check: %s: %s; %s", fault.Where, fault.What, fault.Remedy)
	}
	// A process that is killed in the middle of a commit leaves these files.
	report.Notes = slices.DeleteFunc(report.Notes, func(note string) bool { return strings.Contains(note, "parts of a later state") })
	return report
}

// image is the file of a store that is made once and begins several tests.
type image struct {
	mu      sync.Mutex
	content []byte
}

// copy writes the file to a new path. The first call makes it: create fills and closes a
// store.
func (i *image) copy(t *testing.T, create func(path string)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "base")
	i.copyTo(t, path, create)
	return path
}

// copyTo is copy to a path.
func (i *image) copyTo(t *testing.T, path string, create func(path string)) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.content != nil {
		if err := os.WriteFile(path, i.content, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	create(path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i.content = content
}

// importText imports an edge list and fails the test where that fails.
func importText(t testing.TB, db *DB, graph, text string) ImportStats {
	t.Helper()
	stats, err := db.Import(context.Background(), graph, strings.NewReader(text), ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Name: "test", Header: format.HeaderNone}}})
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// putRing stores a cycle of n vertices.
func putRing(t testing.TB, db *DB, name string, n int) {
	t.Helper()
	edges := make([]csr.Edge, n)
	for v := range edges {
		edges[v] = csr.Edge{U: uint32(v), V: uint32((v + 1) % n)}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutGraph(context.Background(), name, PutGraphRequest{Graph: g, Source: "ring"}); err != nil {
		t.Fatal(err)
	}
}
