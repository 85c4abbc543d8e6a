package query_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// openBeside opens a database that releases its file between calls.
func openBeside(t *testing.T, path string, readOnly bool) *query.DB {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a store on Windows keeps the file locked until it is closed")
	}
	db, err := query.Open(path, &query.Options{ReleaseIdle: true, ReadOnly: readOnly, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// answersOf returns the answers of a newly opened database.
func answersOf(t *testing.T, path string, questions []string) map[string]string {
	t.Helper()
	db, err := query.Open(path, &query.Options{ReadOnly: true, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, q := range questions {
		answers[q] = querytest.MustRun(t, db, q)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// An idle database sees the changes of other databases and processes, whatever it has in
// memory: graphs, attributes, embeddings, and the mapping of vertices to vectors.
func TestReleaseIdle_Seen(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two processes wait for each other at every change")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db := openBeside(t, path, false)
	querytest.ExecAll(t, db, "GENERATE watts_strogatz(n := 60, k := 4, beta := 0) INTO g; EMBED g USING dp_spectral(dim := 4) AS e")
	reader := openBeside(t, path, true)
	questions := []string{
		"SHOW NEIGHBORS OF '3' IN g", "SHOW VERTICES IN g LIMIT 5", "NEAREST 5 TO '3' USING cosine(e)", "SHOW GRAPHS", "DESCRIBE GRAPH g",
	}
	changes := []string{
		"INSERT EDGE ('3', '30') INTO g",
		"UPDATE VERTEX '3' SET color := 'red' IN g",
		"DELETE VERTEX '2' FROM g",
		"REFRESH e",
		"DROP GRAPH g CASCADE; GENERATE watts_strogatz(n := 60, k := 6, beta := 0) INTO g; EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e",
		"COMPACT",
		"EMBED g USING dp_spectral(dim := 3) AS e",
	}
	before := map[string]string{}
	for _, q := range questions {
		before[q] = querytest.MustRun(t, reader, q)
	}
	for i, change := range changes {
		if i%2 == 0 && !strings.Contains(change, ";") {
			if !querytest.Child(t, path, change, -1, querytest.Never) {
				t.Fatalf("the child process did not run %s", change)
			}
		} else {
			querytest.ExecAll(t, db, change)
		}
		changed, want := false, answersOf(t, path, questions)
		for name, db := range map[string]*query.DB{"the writer": db, "the reader": reader} {
			for _, q := range questions {
				if got := querytest.MustRun(t, db, q); got != want[q] {
					t.Errorf("after %s, %s: %s sees\n%s\ninstead of\n%s", change, q, name, got, want[q])
				}
				changed = changed || want[q] != before[q]
			}
		}
		before = want
		if !changed && change != "COMPACT" {
			t.Errorf("no answer changed after %s", change)
		}
	}
}

// After a file was replaced by its own backup and changed, its new versions have the same
// numbers as different versions in memory.
func TestReleaseIdle_Restored(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two handles wait for each other")
	}
	t.Parallel()
	dir := t.TempDir()
	path, saved := filepath.Join(dir, "store"), filepath.Join(dir, "saved")
	db := openBeside(t, path, false)
	querytest.ExecAll(t, db, "GENERATE watts_strogatz(n := 20, k := 2, beta := 0) INTO g; EMBED g USING dp_spectral(dim := 4) AS e; BACKUP INTO FILE '"+saved+"'")
	questions := []string{"SHOW NEIGHBORS OF '3' IN g", "SHOW NEIGHBORS OF '15' IN g", "SHOW VERTICES IN g", "DESCRIBE GRAPH g", "NEAREST 3 TO '3' USING cosine(e)"}
	querytest.ExecAll(t, db, "INSERT EDGE ('3', '15') INTO g; UPDATE VERTEX '3' SET color := 'red' IN g")
	before := map[string]string{}
	for _, q := range questions {
		before[q] = querytest.MustRun(t, db, q)
	}
	other, err := storage.Open(path, &storage.Options{LockTimeout: time.Hour}) // waits until the file is released
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(saved, path); err != nil {
		t.Fatal(err)
	}
	if !querytest.Child(t, path, "INSERT EDGE ('15', '9') INTO g", -1, querytest.Never) || !querytest.Child(t, path, "UPDATE VERTEX '3' SET color := 'blue' IN g", -1, querytest.Never) {
		t.Fatal("the child process did not write")
	}
	after := answersOf(t, path, questions)
	for _, q := range questions[:3] {
		if after[q] == before[q] {
			t.Errorf("%s: the answer did not change: %s", q, after[q])
		}
	}
	for _, q := range questions {
		if got := querytest.MustRun(t, db, q); got != after[q] {
			t.Errorf("%s: the answer is\n%s\ninstead of\n%s", q, got, after[q])
		}
	}
}

// A background job keeps the file locked, and releases it at its end.
func TestReleaseIdle_Job(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two handles wait for each other")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db := openBeside(t, path, false)
	querytest.MustExec(t, db, "GENERATE watts_strogatz(n := 60, k := 4, beta := 0.1, seed := 1) INTO g")
	querytest.Engine(db).Runner.Slots <- struct{}{} // the job waits for its turn
	querytest.MustExec(t, db, "EMBED g USING dp_spectral(dim := 4) AS e IN BACKGROUND")
	time.Sleep(400 * time.Millisecond) // longer than the file stays locked after a call
	_, err := query.Open(path, &query.Options{LockTimeout: -1})
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("open during a job: %v", err)
	}
	<-querytest.Engine(db).Runner.Slots
	querytest.MustExec(t, db, "WAIT JOB 1")
	other := openBeside(t, path, false)
	if got := querytest.MustRun(t, other, "SHOW JOBS"); !strings.Contains(got, "done") {
		t.Errorf("the other database sees %s", got)
	}
	if got := querytest.MustRun(t, other, "SHOW EMBEDDINGS"); !strings.Contains(got, "dp_spectral") {
		t.Errorf("the other database sees %s", got)
	}
}

// A refresh that is due because of changes and the setting by another process begins when an
// idle database is used again.
func TestReleaseIdle_AutoRefresh(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: two handles wait for each other")
	}
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openBeside(t, path, false)
	querytest.ExecAll(t, db, "GENERATE watts_strogatz(n := 60, k := 4, beta := 0.1, seed := 1) INTO g; EMBED g USING dp_spectral(dim := 4) AS e")
	store, err := storage.Open(path, &storage.Options{LockTimeout: time.Hour}) // a store alone refreshes nothing
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.SetAutoRefresh(ctx, "e", storage.AutoRefresh{Changes: 1})
	if err == nil {
		err = store.Update(ctx, func(x *storage.Tx) error {
			_, err := x.InsertEdges("g", []storage.Edge{{Source: "0", Target: "30"}})
			return err
		})
	}
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	querytest.MustExec(t, db, "SHOW GRAPHS")
	for refreshed := false; !refreshed; time.Sleep(20 * time.Millisecond) {
		info, err := querytest.Engine(db).Store.EmbeddingInfo(ctx, "e")
		if err != nil {
			t.Fatal(err)
		}
		refreshed = info.GraphVersion == 2
	}
}

// Statements that do not need the file run while another process locks it.
func TestReleaseIdle_Help(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db, err := query.Open(path, &query.Options{ReleaseIdle: true, LockTimeout: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := query.Open(path, &query.Options{LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	querytest.MustExec(t, db, "HELP EMBED")
	if _, err := db.Query(t.Context(), "SHOW GRAPHS", nil); !errors.Is(err, storage.ErrLocked) || !strings.HasPrefix(err.Error(), "SHOW GRAPHS: ") {
		t.Errorf("a statement that needs the file: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	querytest.MustExec(t, db, "SHOW GRAPHS")
}
