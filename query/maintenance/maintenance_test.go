package maintenance_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/querytest"
	"heavytail/query/maintenance"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/atomicfile"
)

// contents returns the answers of a database about the graph social and its embedding.
func contents(t *testing.T, db *query.DB) string {
	t.Helper()
	var b strings.Builder
	for _, text := range []string{"SCORE ('a', 'd'), ('b', 'c') IN social WITH jaccard, l2(pos)", "NEAREST 3 TO 'a' USING pos", "SHOW EMBEDDINGS"} {
		answer, err := db.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for answer.Next() {
			for _, value := range answer.Row() {
				b.WriteString(querytest.Cell("", nil, value) + " ")
			}
		}
	}
	return b.String()
}

// A backup has the answers of the store at the time of the backup, and a compaction changes
// only the size of the file.
func TestDB_BackupAndCompact(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	if _, err := db.Graphs().Generate(t.Context(), graphs.GenerateRequest{Graph: "big", Generator: "preferential_attachment", Settings: map[string]any{"n": 20_000, "m": 5}}); err != nil {
		t.Fatal(err)
	}
	if err := db.Graphs().Drop(t.Context(), "big", false); err != nil {
		t.Fatal(err)
	}
	want := contents(t, db)

	path := filepath.Join(t.TempDir(), "copy.ht")
	backup, err := db.Maintenance().Backup(t.Context(), maintenance.BackupRequest{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || backup.Path != path || backup.Bytes != info.Size() || backup.Records == 0 {
		t.Errorf("%+v, %v", backup, err)
	}
	if _, err := db.Maintenance().Backup(t.Context(), maintenance.BackupRequest{Path: path}); !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("a file that exists: %v", err)
	}
	before, err := db.Maintenance().Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compact, err := db.Maintenance().Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := db.Maintenance().Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if compact.Before != before.Bytes || compact.After != after.Bytes || compact.After > compact.Before/4 {
		t.Errorf("%+v, before %d, after %d", compact, before.Bytes, after.Bytes)
	}
	if got := contents(t, db); got != want {
		t.Errorf("after the compaction: %s, before: %s", got, want)
	}
	querytest.ImportText(t, db, "social", "a z\n") // not in the copy

	copied, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	querytest.MustBeSound(t, copied)
	if got := contents(t, copied); got != want {
		t.Errorf("the copy: %s, expected %s", got, want)
	}
	for name, err := range map[string]error{
		"Compact": querytest.Second(copied.Maintenance().Compact(t.Context())),
	} {
		if !errors.Is(err, storage.ErrReadOnly) {
			t.Errorf("%s of a file that is open for reading: %v", name, err)
		}
	}
}

// If files are confined to a folder, backups are written only there.
func TestDB_Backup_Confined(t *testing.T) {
	db, parent := querytest.Confined(t)
	want := contents(t, db)
	for _, path := range []string{"../copy.ht", "out/copy.ht", filepath.Join(parent, "copy.ht")} {
		if _, err := db.Maintenance().Backup(t.Context(), maintenance.BackupRequest{Path: path}); !errors.Is(err, fault.ErrOutside) {
			t.Errorf("%s: %v", path, err)
		}
	}
	backup, err := db.Maintenance().Backup(t.Context(), maintenance.BackupRequest{Path: "sub/copy.ht"})
	if err != nil || backup.Path != "sub/copy.ht" {
		t.Fatalf("%+v, %v", backup, err)
	}
	if left := querytest.Listing(t, parent); left != "inside secret.txt" {
		t.Errorf("files outside of the folder: %s", left)
	}
	copied, err := query.Open(filepath.Join(parent, "inside", "sub", "copy.ht"), &query.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if got := contents(t, copied); got != want {
		t.Errorf("the copy: %s, expected %s", got, want)
	}
	none := querytest.Open(t, &query.Options{NoFiles: true})
	if _, err := none.Maintenance().Backup(t.Context(), maintenance.BackupRequest{Path: "copy.ht"}); !errors.Is(err, fault.ErrNoFiles) {
		t.Errorf("a backup without files: %v", err)
	}
}

// SHOW STATS reports the figures of the file.
func TestDB_Stats(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	stats, err := db.Maintenance().Stats(t.Context())
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
	answer := map[string]rows.Value{}
	for _, row := range entries.StatsRows(stats) {
		answer[row[0].(string)+", "+row[1].(string)] = row[3]
	}
	for name, want := range map[string]rows.Value{
		"graph social, edges": int64(7), "graph social, keys by vertex": int64(6), "embedding pos, all": int64(6), "discarded objects, all": nil,
	} {
		if got, ok := answer[name]; !ok || got != want {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
	}
}

// Everything in a sound store is recovered, whether it is open for writing or for reading, and
// also from a file given by its path.
func TestDB_Recover(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.TwoTriangles(t, db)
	want := contents(t, db)
	written := filepath.Join(t.TempDir(), "written.ht")
	if _, err := db.Query(t.Context(), "RECOVER INTO FILE $f", map[string]any{"f": written}); err != nil {
		t.Errorf("a store that is open for writing: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = query.Open(path, &query.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	saved := filepath.Join(t.TempDir(), "saved.ht")
	answer, err := db.Query(t.Context(), "RECOVER INTO FILE $f", map[string]any{"f": saved})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for answer.Next() {
		got = append(got, fmt.Sprint(answer.Row()))
	}
	if !slices.Equal(got, []string{"[graph social 6 7 whole]", "[embedding pos 6 <nil> whole]"}) || len(answer.Notices()) != 1 {
		t.Errorf("%q, %v", got, answer.Notices())
	}
	again := filepath.Join(t.TempDir(), "again.ht")
	var stages []string
	report, err := maintenance.Recover(t.Context(), path, again, maintenance.RecoverOptions{Progress: func(p rows.Progress) { stages = append(stages, p.Unit) }})
	if err != nil || len(report.Lost) > 0 || len(report.Graphs) != 1 || !slices.Contains(stages, "bytes") {
		t.Errorf("%+v, %v, %v", report, err, stages)
	}
	if _, err := maintenance.Recover(t.Context(), path, again, maintenance.RecoverOptions{}); !errors.Is(err, storage.ErrExists) {
		t.Errorf("a file that exists: %v", err)
	}
	for _, path := range []string{saved, again} {
		copied, err := query.Open(path, &query.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		querytest.MustBeSound(t, copied)
		if got := contents(t, copied); got != want {
			t.Errorf("%s: %s, expected %s", path, got, want)
		}
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRecoveredRows(t *testing.T) {
	got := maintenance.RecoveredRows(storage.RecoverReport{
		Graphs: []storage.RecoveredGraph{
			{Name: "a", Vertices: 3, Edges: 2},
			{Name: "b", Vertices: 3, Edges: 2, Rebuilt: true, LostVertices: 1, LostEdges: 2},
			{Name: "d", Vertices: 3, Edges: 2, Rebuilt: true},
			{Name: "c", Vertices: 3, Edges: 2, Rebuilt: true, LostVertices: -1, LostEdges: -1},
		},
		Embeddings: []storage.RecoveredEmbedding{{Name: "e", Vertices: 2, Lost: 1}},
	})
	want := [][]rows.Value{
		{"graph a", int64(3), int64(2), "whole"},
		{"graph b", int64(3), int64(2), "rebuilt; 1 vertex and 2 edges lost"},
		{"graph d", int64(3), int64(2), "rebuilt, with all vertices and edges"},
		{"graph c", int64(3), int64(2), "rebuilt without its catalogue entry, so its name and attributes are lost"},
		{"embedding e", int64(2), nil, "without 1 vertex"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}
