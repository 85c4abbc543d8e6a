package query

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"heavytail/storage"
	"heavytail/storage/format"
)

// contents is what a database says about the graph social and its embedding.
func contents(t *testing.T, db *DB) string {
	t.Helper()
	var b strings.Builder
	for _, text := range []string{"SCORE ('a', 'd'), ('b', 'c') IN social WITH jaccard, l2(pos)", "NEAREST 3 TO 'a' USING pos", "SHOW EMBEDDINGS"} {
		rows, err := db.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			for _, value := range rows.Row() {
				b.WriteString(cell("", nil, value) + " ")
			}
		}
	}
	return b.String()
}

// A backup answers as the store did when it was made, and a compaction changes
// the size of the file alone.
func TestDB_BackupAndCompact(t *testing.T) {
	db := openTest(t, nil)
	twoTriangles(t, db)
	if _, err := db.Generate(t.Context(), GenerateRequest{Graph: "big", Generator: "preferential_attachment", Settings: map[string]any{"n": 20_000, "m": 5}}); err != nil {
		t.Fatal(err)
	}
	if err := db.DropGraph(t.Context(), "big", false); err != nil {
		t.Fatal(err)
	}
	want := contents(t, db)

	path := filepath.Join(t.TempDir(), "copy.ht")
	backup, err := db.Backup(t.Context(), BackupRequest{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || backup.Path != path || backup.Bytes != info.Size() || backup.Records == 0 {
		t.Errorf("%+v, %v", backup, err)
	}
	if _, err := db.Backup(t.Context(), BackupRequest{Path: path}); !errors.Is(err, format.ErrExists) {
		t.Errorf("a file that exists: %v", err)
	}
	before, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compact, err := db.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if compact.Before != before.Bytes || compact.After != after.Bytes || compact.After > compact.Before/4 {
		t.Errorf("%+v, before %d, after %d", compact, before.Bytes, after.Bytes)
	}
	if got := contents(t, db); got != want {
		t.Errorf("after the compaction: %s, before: %s", got, want)
	}
	importText(t, db, "social", "a z\n") // which the copy does not have

	copied, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	mustBeSound(t, copied)
	if got := contents(t, copied); got != want {
		t.Errorf("the copy: %s, expected %s", got, want)
	}
	for name, err := range map[string]error{
		"Compact": second(copied.Compact(t.Context())),
		"Migrate": second(copied.Migrate(t.Context())),
	} {
		if !errors.Is(err, storage.ErrReadOnly) {
			t.Errorf("%s of a file that is open for reading: %v", name, err)
		}
	}
}

// second is the error of a call with a result.
func second[T any](_ T, err error) error { return err }

// Where files are confined to a folder, a backup is made there and nowhere else.
func TestDB_Backup_Confined(t *testing.T) {
	db, parent := confined(t)
	want := contents(t, db)
	for _, path := range []string{"../copy.ht", "out/copy.ht", filepath.Join(parent, "copy.ht")} {
		if _, err := db.Backup(t.Context(), BackupRequest{Path: path}); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", path, err)
		}
	}
	backup, err := db.Backup(t.Context(), BackupRequest{Path: "sub/copy.ht"})
	if err != nil || backup.Path != "sub/copy.ht" {
		t.Fatalf("%+v, %v", backup, err)
	}
	if left := listing(t, parent); left != "inside secret.txt" {
		t.Errorf("outside the folder there are %s", left)
	}
	copied, err := Open(filepath.Join(parent, "inside", "sub", "copy.ht"), &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if got := contents(t, copied); got != want {
		t.Errorf("the copy: %s, expected %s", got, want)
	}
	none := openTest(t, &Options{NoFiles: true})
	if _, err := none.Backup(t.Context(), BackupRequest{Path: "copy.ht"}); !errors.Is(err, ErrNoFiles) {
		t.Errorf("a backup without files: %v", err)
	}
}

// The figures of SHOW STATS are those of the file.
func TestDB_Stats(t *testing.T) {
	db := openTest(t, nil)
	twoTriangles(t, db)
	stats, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	if stats.Bytes != info.Size() || len(stats.Graphs) != 1 || len(stats.Embeddings) != 1 {
		t.Errorf("%+v of a file of %d bytes", stats, info.Size())
	}
	rows := map[string]Value{}
	for _, row := range statsRows(stats) {
		rows[row[0].(string)+", "+row[1].(string)] = row[3]
	}
	for name, want := range map[string]Value{
		"graph social, edges": int64(7), "graph social, keys by vertex": int64(6), "embedding pos, all": int64(6), "discarded objects, all": nil,
	} {
		if got, ok := rows[name]; !ok || got != want {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
	}
}

// A copy is whole, and ends with the error of what it reads.
func TestCall_CopyFile(t *testing.T) {
	db := openTest(t, nil)
	c, err := db.begin(t.Context(), "BACKUP")
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	text := strings.Repeat("x", 3<<20+5)
	var b strings.Builder
	if err := c.copyFile(&b, strings.NewReader(text), int64(len(text))); err != nil || b.String() != text {
		t.Errorf("%d of %d bytes, %v", b.Len(), len(text), err)
	}
	broken := errors.New("broken")
	if err := c.copyFile(io.Discard, iotest.ErrReader(broken), 2); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
