package shard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
)

// fileWith makes a file with a graph g of some edges and an embedding e.
func fileWith(t *testing.T, embed string, edges ...string) *query.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{"GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g"}
	for _, e := range append(edges, "") {
		if e != "" {
			statements = append(statements, "INSERT EDGE "+e+" INTO g")
		}
	}
	for _, s := range append(statements, "EMBED g USING "+embed+" AS e") {
		rows, err := db.Query(context.Background(), s, nil)
		if err == nil {
			err = drain(rows)
		}
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return readOnly(t, path)
}

func readOnly(t *testing.T, path string) *query.DB {
	t.Helper()
	db, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// A file with the names, versions and times of the plan but with different content is refused,
// and the error names the difference. A copy of the original file is accepted.
func TestManifest_OtherContent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const embed = "dp_spectral(dim := 4)"
	edge := "('0', '49')"
	db := fileWith(t, embed, edge)
	m := plan(t, db, "NEAREST 2 FOR ALL USING e INTO FILE '"+filepath.Join(t.TempDir(), "x.csv")+"'", 2)
	for _, s := range m.Reads {
		if s.Kind == "graph" && (s.Content.Keys == "" || s.Content.Edges == "" || s.Content.Weights != "") || s.Kind == "embedding" && s.Content.Vectors == "" {
			t.Errorf("%+v", s)
		}
	}
	for what, other := range map[string]struct {
		db   *query.DB
		want string // "" if the file is accepted
	}{
		"same":    {fileWith(t, embed, edge), ""},
		"edges":   {fileWith(t, embed, "('1', '49')"), "graph g differs from that of the plan in edges,"},
		"keys":    {fileWith(t, embed, "('0', 'new')"), "graph g differs from that of the plan in keys, edges,"},
		"vectors": {fileWith(t, "dp_spectral(dim := 5)", edge), "embedding e differs from that of the plan in vectors,"},
	} {
		// The times of two files are never equal, so the plan takes those of the other file.
		twin := *m
		twin.Reads = slices.Clone(m.Reads)
		now, err := sources(ctx, other.db, named{embeddings: []string{"e"}, indexes: true})
		if err != nil || len(now) != len(m.Reads) {
			t.Fatal(now, err)
		}
		for i := range now {
			twin.Reads[i].State = now[i].State
		}
		// If edges differ, so do the vectors, and the plan lists the vectors first.
		if what == "edges" || what == "keys" {
			slices.Reverse(twin.Reads)
		}
		for _, call := range []func() error{func() error { return twin.Verify(ctx, other.db) }, func() error { return twin.Run(ctx, other.db, 0) }} {
			err := call()
			if what == "same" && err != nil || what != "same" && (!errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), other.want)) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if what == "same" {
			if err := os.Remove(m.state(one(0))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(m.output(one(0))); what != "same" && err == nil {
			t.Errorf("%s: a part was left", what)
		}
		os.Remove(m.output(one(0)))
		if err := m.Run(ctx, other.db, 0); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "as in the plan") {
			t.Errorf("%s at another time: %v", what, err)
		}
	}

	path := filepath.Join(t.TempDir(), "copy.ht")
	if err := os.WriteFile(path, []byte(read(t, db.Path())), 0o600); err != nil {
		t.Fatal(err)
	}
	again := readOnly(t, path)
	if err := m.Verify(ctx, again); err != nil {
		t.Errorf("a copy of the file: %v", err)
	}
	if err := m.Run(ctx, again, 1); err != nil {
		t.Errorf("a copy of the file: %v", err)
	}
}

// Each graph and embedding is read once for all shards of a process.
func TestContents_Once(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := fileWith(t, "dp_spectral(dim := 4)")
	m := plan(t, db, "NEAREST 2 FOR ALL USING e INTO FILE '"+filepath.Join(t.TempDir(), "x.csv")+"'", 4)
	if len(m.contents.seen) != 0 {
		t.Error("Open read the content")
	}
	if err := m.Run(ctx, db, 0); err != nil {
		t.Fatal(err)
	}
	// Known content is not read again: with a wrong entry for the same state the next shard fails.
	for key, c := range m.contents.seen {
		c.Vectors += "0"
		m.contents.seen[key] = c
	}
	if err := m.Run(ctx, db, 1); !errors.Is(err, ErrChanged) {
		t.Errorf("the content was read again: %v", err)
	}
	clear(m.contents.seen)
	if err := m.RunAll(ctx, db, 1, 3); err != nil {
		t.Error(err)
	}
}
