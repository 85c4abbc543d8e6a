package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/sample"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// editPages calls f with every page of a file and writes back those for which
// it returns true.
func editPages(t *testing.T, path string, f func(page []byte) bool) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	for at := 2 * size; at+size <= len(b); at += size {
		f(b[at : at+size])
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// importStopped stops an import before commit number n, as a failure of the
// commit does, and closes the store.
func importStopped(t *testing.T, path, text string, n int) {
	t.Helper()
	db := openStore(t, path, &Options{BatchBytes: killBatch})
	commits := 0
	db.file.BeforeCommit = func() error {
		if commits == n {
			return errDisk
		}
		commits++
		return nil
	}
	if _, err := db.Import(context.Background(), "g", strings.NewReader(text), ImportOptions{}); !errors.Is(err, errDisk) {
		t.Fatalf("%v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Another import of the graph discards what a stopped import has written; an import of
// another graph keeps it.
func TestImport_DiscardsOther(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "stopped")
	importStopped(t, path, killText(), 4)
	db := openStore(t, path, nil)
	importText(t, db, "h", "a b\n")
	if report := checkStore(t, db); len(report.Notes) != 1 || !strings.Contains(report.Notes[0], `"g"`) {
		t.Errorf("notes %q", report.Notes)
	}
	stats := importText(t, db, "g", "x y\ny z\n")
	if stats.Resumed || stats.Vertices != 3 || stats.Edges != 2 {
		t.Errorf("%+v", stats)
	}
	if report := checkStore(t, db); len(report.Notes) != 0 {
		t.Errorf("notes %q", report.Notes)
	}
	// The first import, run again now, merges: it is no longer the same import.
	again, err := db.Import(ctx, "g", strings.NewReader(killText()), ImportOptions{})
	if err != nil || again.Resumed || again.Version != 2 {
		t.Errorf("%+v, %v", again, err)
	}
}

// Dropping the graph of a stopped import discards the import.
func TestDropGraph_StoppedImport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stopped")
	importStopped(t, path, killText(), 4)
	db := openStore(t, path, nil)
	if err := db.DropGraph(context.Background(), "g", false); err != nil {
		t.Fatal(err)
	}
	if report := checkStore(t, db); len(report.Notes) != 0 {
		t.Errorf("notes %q", report.Notes)
	}
	if err := db.DropGraph(context.Background(), "g", false); !errors.Is(err, ErrNotFound) {
		t.Errorf("second time: %v", err)
	}
}

// A stopped merge into a graph can be resumed too, but not if the graph has changed
// meanwhile.
func TestImport_ResumesMerge(t *testing.T) {
	ctx := context.Background()
	for _, between := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "stopped")
		db := openStore(t, path, nil)
		importText(t, db, "g", "v1 v2\nv2 extra\n")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		importStopped(t, path, killText(), 5)
		db = openStore(t, path, nil)
		want := uint64(2)
		if between {
			importText(t, db, "g", "v1 extra\n")
			want = 3
		}
		stats, err := db.Import(ctx, "g", strings.NewReader(killText()), ImportOptions{})
		if err != nil || stats.Resumed == between || stats.Version != want {
			t.Errorf("changed between %t: %+v, %v", between, stats, err)
		}
	}
}

// graphRecords lists the records of a graph.
func graphRecords(t *testing.T, db *DB, graph string) []byte {
	t.Helper()
	var records bytes.Buffer
	err := db.file.View(context.Background(), func(tx *tree.Tx) error {
		r, err := graphs.Find(tx, graph)
		if err != nil {
			return err
		}
		for _, name := range tree.GraphParts {
			p, err := tx.Part(r.Object, name)
			if err != nil {
				return err
			}
			if err := tx.Scan(p, func(key, payload []byte) error {
				fmt.Fprintf(&records, "%x %x\n", key, payload)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records.Bytes()
}

// Batches of any size write the same records.
func TestImport_BatchSizes(t *testing.T) {
	var want []byte
	for _, size := range []int{0, 1, 3000, 100_000} {
		db := newStore(t, &Options{BatchBytes: size})
		importText(t, db, "g", killText())
		importText(t, db, "g", "v1 another\nv7 v9\n")
		records := graphRecords(t, db, "g")
		if want == nil {
			want = records
		}
		if !bytes.Equal(records, want) {
			t.Errorf("batches of %d bytes make other records", size)
		}
	}
}

// The header of the authors' files is removed, with the vertices that only it names, and
// vertices are numbered by their order in the rest of the file.
func TestImport_CountsHeader(t *testing.T) {
	for _, c := range []struct {
		text  string
		keys  []string
		edges int64
	}{
		{"4 3\n7 4\n4 9\n9 7\n", []string{"7", "4", "9"}, 3},
		{"2 3\n7 4\n4 9\n9 7\n", []string{"2", "3", "7", "4", "9"}, 4}, // names more vertices than it would declare
		{"5 2\n1 2\n2 3\n", []string{"1", "2", "3"}, 2},
	} {
		db := newStore(t, nil)
		stats, err := db.Import(context.Background(), "g", strings.NewReader(c.text), ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot(context.Background(), "g")
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for v := range uint32(s.Graph.Vertices()) {
			keys = append(keys, s.Key(v))
		}
		if !slices.Equal(keys, c.keys) || stats.Edges != c.edges || s.Info.Edges != c.edges {
			t.Errorf("%q: keys %q, %d edges", c.text, keys, stats.Edges)
		}
	}
}

func TestImport_Refused(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	for name, c := range map[string]struct {
		graph, text string
		kind        error
	}{
		"bad line":      {"g", "a b\nc\n", format.ErrSyntax},
		"empty name":    {"", "a b\n", ErrName},
		"control":       {"a\x1b[2Jb", "a b\n", ErrName},
		"long name":     {strings.Repeat("n", 256), "a b\n", ErrName},
		"invalid UTF-8": {"\xff", "a b\n", ErrName},
	} {
		_, err := db.Import(ctx, c.graph, strings.NewReader(c.text), ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNone}}})
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	if list, err := db.Graphs(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	path, empty := &csr.Graph{Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}}, &csr.Graph{Offsets: []int64{0, 1}, Targets: []uint32{0}}
	for name, c := range map[string]struct {
		g    *csr.Graph
		keys func(uint32) string
		kind error
	}{
		"same keys":     {path, func(uint32) string { return "same" }, ErrKey},
		"empty key":     {path, func(uint32) string { return "" }, ErrKey},
		"NUL in a key":  {path, func(v uint32) string { return fmt.Sprint("a\x00", v) }, ErrKey},
		"long key":      {path, func(v uint32) string { return strings.Repeat("k", 1025+int(v)) }, ErrKey},
		"invalid graph": {empty, nil, ErrInvalid},
	} {
		if _, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: c.g, Keys: c.keys}); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
	}
	if _, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: path}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: path}); !errors.Is(err, ErrExists) {
		t.Errorf("second graph of the name: %v", err)
	}
}

// Readers that began before a change continue with the version that they began with, and
// none of them waits for the writer.
func TestDB_ConcurrentReaders(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, &Options{BatchBytes: 2000})
	importText(t, db, "g", "v1 v2\n")
	text := killText()
	text = text[:1+strings.LastIndexByte(text[:len(text)/12], '\n')]
	done := make(chan error)
	for range 3 {
		go func() {
			version := uint64(0)
			for {
				s, err := db.Snapshot(ctx, "g")
				if err == nil && (s.Info.Version < version || s.Info.Edges != s.Graph.Edges() || s.Info.Vertices != s.Graph.Vertices()) {
					err = fmt.Errorf("version %d after %d", s.Info.Version, version)
				}
				if err != nil || s.Info.Version == 4 {
					done <- err
					return
				}
				version = s.Info.Version
			}
		}()
	}
	for i := range 3 {
		importText(t, db, "g", fmt.Sprintf("%sv%d new%d\n", text, i, i))
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// bbolt must only be asked for the store's own bucket, so that the store can be inside the
// file of an application.
func TestTx_AnyRootBucket(t *testing.T) {
	b, err := bolt.Open(filepath.Join(t.TempDir(), "app"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = b.Update(func(btx *bolt.Tx) error {
		app, err := btx.CreateBucket([]byte("app"))
		if err != nil {
			return err
		}
		root, err := app.CreateBucket([]byte("graphs of the app"))
		if err != nil {
			return err
		}
		if err := tree.Init(root, block.Header{Format: block.FormatVersion, MinReader: block.MinReader, Epoch: 1, NextID: 1}); err != nil {
			return err
		}
		tx, err := tree.NewTx(context.Background(), root, "app", nil, nil)
		if err != nil {
			return err
		}
		if err := tx.Put(block.GraphsName, []byte("g"), &graphs.Record{ID: tx.NewID(), Version: 1}); err != nil {
			return err
		}
		if _, err := graphs.Find(tx, "g"); err != nil {
			return err
		}
		return tx.End(allOwners)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Weights and timestamps are read as they were written; values for only one direction of an
// edge are refused.
func TestPutGraph_Values(t *testing.T) {
	ctx := context.Background()
	plain := sample.Graph(3000, 20_000, 1)
	db := newStore(t, nil)
	for i, g := range []*csr.Graph{sample.WithValues(plain, 2, 0), sample.WithValues(plain, 0, 3), sample.WithValues(plain, 100, 100), plain} {
		name := fmt.Sprint("g", i)
		info, err := db.PutGraph(ctx, name, PutGraphRequest{Graph: g})
		if err != nil || info.Weighted != (g.Weights != nil) || info.Timed != (g.Times != nil) {
			t.Fatalf("%+v, %v", info, err)
		}
		s, err := db.Snapshot(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(arcsOfGraph(s.Graph), arcsOfGraph(g)) || (s.Graph.Weights == nil) != (g.Weights == nil) || (s.Graph.Times == nil) != (g.Times == nil) {
			t.Errorf("graph %d came back as another one", i)
		}
	}
	for name, change := range map[string]func(g *csr.Graph){
		"two weights":    func(g *csr.Graph) { g.Weights[7] += 1 },
		"weight 0":       func(g *csr.Graph) { g.Weights[7] = 0 },
		"two timestamps": func(g *csr.Graph) { g.Times[7]++ },
		"few timestamps": func(g *csr.Graph) { g.Times = g.Times[1:] },
	} {
		g := sample.WithValues(plain, 1, 1)
		change(g)
		if _, err := db.PutGraph(ctx, "bad", PutGraphRequest{Graph: g}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
