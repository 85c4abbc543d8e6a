package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/links"
	"heavytail/storage/format"
	"heavytail/storage/format/dataset"
)

// restored returns a plan with data, and the file that Restore makes from them.
func restored(t *testing.T, db *query.DB, statement string, shards int) (*Manifest, *query.DB) {
	t.Helper()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "plan")
	if _, err := MakeWithData(ctx, db, dir, statement, shards); err != nil {
		t.Fatal(err)
	}
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), m.StoreName())
	if err := m.Restore(ctx, path); err != nil {
		t.Fatal(err)
	}
	if err := m.Restore(ctx, path); !errors.Is(err, format.ErrExists) {
		t.Fatalf("a second file at the path: %v, expected ErrExists", err)
	}
	return m, readOnly(t, path)
}

// Shards that read only the data of the plan give the bytes of the statement on the file.
func TestShards_FromData(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestShards_SameBytes divides the same statements")
	}
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	mergeToSameBytes(t, db, f, func(t *testing.T, statement string, n int) *Manifest {
		m, made := restored(t, db, statement, n)
		if err := errors.Join(m.RunAll(ctx, made, 0, n-1), m.Verify(ctx, made)); err != nil {
			t.Fatal(err)
		}
		return m
	})
}

// Predictions of shards that read the data of the plan are stored in the original file, with the
// same records.
func TestShards_PredictionsFromData(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f, err := fixture()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for i := range 2 {
		path := filepath.Join(t.TempDir(), "copy.ht")
		if err := os.WriteFile(path, []byte(read(t, f.file)), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := query.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		statement := "MATERIALIZE PREDICTIONS FROM model(friends) IN g WITH (top := 3)"
		if i == 0 {
			exhaust(t, db, statement)
		} else {
			m, made := restored(t, db, statement, 5)
			if err := errors.Join(m.RunAll(ctx, made, 0, 4), m.MergeInto(ctx, db)); err != nil {
				t.Fatal(err)
			}
		}
		var text strings.Builder
		for row, err := range db.Links().EachPredict(ctx, links.PredictRequest{Stored: true, K: 3, Graph: "g", With: catalogue.Scorer{Name: "model", Model: "friends"}}) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&text, row)
		}
		listed = append(listed, text.String())
	}
	if listed[0] != listed[1] || len(listed[0]) < 100 {
		t.Error("the links differ from those of the statement")
	}
}

// For data that differ from the plan, Restore returns an error that names the file, and leaves
// no store.
func TestRestore_Refused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	statement := statements(f, filepath.Join(t.TempDir(), "merged.csv"))["all"]
	without := plan(t, db, statement, 2)
	if err := without.Restore(ctx, filepath.Join(t.TempDir(), "x.ht")); !errors.Is(err, ErrNoData) || !strings.Contains(err.Error(), "name the heavytail file") {
		t.Error(err)
	}
	m, made := restored(t, db, statement, 2)
	folder := t.TempDir()
	refused := func(what, file string) {
		t.Helper()
		err := m.Restore(ctx, filepath.Join(folder, "x.ht"))
		var at *dataset.FileError
		if !errors.Is(err, ErrDamaged) || !errors.As(err, &at) || !strings.HasSuffix(at.Path, file) {
			t.Errorf("%s: %v", what, err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", what, left, err)
		}
	}
	path := filepath.Join(m.data(), "vectors", "e", "00000.parquet")
	text := read(t, path)
	for _, at := range []int{10, len(text) / 2, len(text) - 1} {
		changed := []byte(text)
		changed[at] ^= 64
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("byte %d", at), path)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused("missing", path)

	// A store that differs from the content in the plan is refused.
	other := *m
	other.Reads = append([]Source(nil), m.Reads...)
	for i := range other.Reads {
		other.Reads[i].Content.Edges += "0"
	}
	if err := other.Run(ctx, made, 0); !errors.Is(err, ErrChanged) {
		t.Errorf("different content: %v", err)
	}

	// The list of files in the manifest was edited.
	if err := os.WriteFile(m.path(), []byte(strings.Replace(read(t, m.path()), m.Data.Files[0].SHA256, strings.Repeat("0", 64), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(m.dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "changed after it was written") {
		t.Error(err)
	}
}

// Processes that are killed while they make a file from the data, or run on it, leave nothing
// that counts as finished; the next ones give the bytes of the statement.
func TestRestore_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestShards_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	statement := statements(f, filepath.Join(t.TempDir(), "merged.csv"))["all"]
	once := plan(t, db, statement, 1)
	if err := once.Run(ctx, db, 0); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "plan")
	m, err := MakeWithData(ctx, db, dir, statement, 12)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	start := func(first int) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d", shardOf, filepath.Join(folder, "data:"+m.StoreName()), m.dir, first))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for i := range 8 {
		c := start(i)
		if i%2 == 0 { // kill it at this moment
			c.Process.Kill()
		}
		if err := c.Wait(); err != nil && i%2 == 1 {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		if err := start(i).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(t.TempDir(), "again.csv")
	if err := m.Merge(ctx, into, false); err != nil {
		t.Fatal(err)
	}
	if read(t, into) != read(t, once.output(one(0))) {
		t.Error("the bytes differ from those of one process")
	}
}
