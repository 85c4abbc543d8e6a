package query_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/storage"
)

// errDisk is the error of commits that tests let fail.
var errDisk = errors.New("input/output error")

// failCommit lets the commit n of a database fail, counted from 0, and reports whether it was
// reached.
func failCommit(db *query.DB, n int) (reached *bool) {
	reached = new(bool)
	file := reflect.ValueOf(querytest.Engine(db).Store).Elem().FieldByName("file")
	hook := file.Elem().FieldByName("BeforeCommit")
	*(*func() error)(unsafe.Pointer(hook.UnsafeAddr())) = func() error {
		if n--; n == -1 {
			*reached = true
			return errDisk
		}
		return nil
	}
	return reached
}

// writingStatements are statements that write to the store of writingStore, by the name of
// the statement.
func writingStatements(dir string) map[string][]string {
	edges, people, vectors := filepath.Join(dir, "edges"), filepath.Join(dir, "people.csv"), filepath.Join(dir, "vectors.txt")
	return map[string][]string{
		"CREATE DIRECTED GRAPH":   {"CREATE DIRECTED GRAPH h"},
		"CREATE GRAPH":            {"CREATE GRAPH h", "CREATE GRAPH h AS NULL OF g"},
		"ALTER":                   {"ALTER GRAPH g RENAME TO h", "ALTER EMBEDDING e RENAME TO other", "ALTER MODEL m RENAME TO k", "ALTER ATTRIBUTE a IN g RENAME TO b"},
		"DROP GRAPH":              {"DROP GRAPH g CASCADE"},
		"DROP ATTRIBUTE":          {"DROP ATTRIBUTE a FROM g"},
		"DROP EDGE ATTRIBUTE":     {"DROP EDGE ATTRIBUTE k FROM g"},
		"DROP EMBEDDING":          {"DROP EMBEDDING f"},
		"INSERT VERTEX":           {"INSERT VERTEX 'new' (a := 3) INTO g"},
		"INSERT EDGE":             {"INSERT EDGE ('1', 'new') INTO g"},
		"UPDATE VERTEX":           {"UPDATE VERTEX '1' SET a := 4 IN g"},
		"UPDATE VERTICES":         {"UPDATE VERTICES IN g SET a := 4 WHERE degree > 3"},
		"UPDATE EDGE":             {"UPDATE EDGE ('0', '1') SET WEIGHT := 2 IN g"},
		"DELETE VERTEX":           {"DELETE VERTEX '7' FROM g"},
		"DELETE VERTICES":         {"DELETE VERTICES FROM g WHERE degree > 6"},
		"DELETE EDGES":            {"DELETE EDGES FROM g WHERE EITHER (degree > 6)"},
		"DELETE EDGE":             {"DELETE EDGE ('0', '1') FROM g"},
		"DELETE EDGES FILE":       {"DELETE EDGES FILE '" + edges + "' FROM g"},
		"IMPORT":                  {"IMPORT '" + edges + "' INTO g"},
		"IMPORT VERTICES":         {"IMPORT VERTICES '" + people + "' INTO g WITH (key := 'name')"},
		"IMPORT EMBEDDING":        {"IMPORT EMBEDDING '" + vectors + "' INTO g AS e WITH (no_vector := 'zero')"},
		"GENERATE":                {"GENERATE preferential_attachment(n := 50, m := 2, seed := 2) INTO h"},
		"COMPUTE":                 {"COMPUTE pagerank IN g AS rank"},
		"EMBED":                   {"EMBED g USING fastrp(dim := 8) AS e"},
		"CREATE INDEX":            {"CREATE INDEX ON f"},
		"DROP INDEX":              {"DROP INDEX ON e"},
		"REFRESH":                 {"REFRESH e"},
		"REFRESH MEASURE":         {"REFRESH MEASURE core IN g"},
		"REFRESH PREDICTIONS":     {"REFRESH PREDICTIONS FROM common_neighbors IN g"},
		"REFRESH ALL":             {"REFRESH ALL IN g"},
		"ALTER EMBEDDING":         {"ALTER EMBEDDING e AUTO REFRESH AFTER 5 CHANGES"},
		"VERIFY":                  nil,
		"RECONSTRUCT":             {"RECONSTRUCT e RADIUS 0.1 INTO GRAPH h"},
		"EVALUATE PARAMETERS":     nil, // they keep trials only in a job
		"EVALUATE LINKS":          nil,
		"TUNE":                    {"TUNE g USING dp_spectral FOR RECONSTRUCTION AS e WITH (trials := 2)"},
		"TRAIN MODEL":             {"TRAIN MODEL m IN g"},
		"MATERIALIZE PREDICTIONS": {"MATERIALIZE PREDICTIONS FROM common_neighbors IN g WITH (top := 3)"},
		"DROP PREDICTIONS":        {"DROP PREDICTIONS FROM common_neighbors IN g"},
		"DROP MODEL":              {"DROP MODEL m"},
		"CANCEL JOB":              nil, // the job writes
		"RESUME JOB":              {"RESUME JOB 1"},
		"WAIT JOB":                nil,
		"DROP JOB":                {"DROP JOB 1"},
		"COMPACT":                 {"COMPACT"},
		"NEAREST":                 {"NEAREST 3 TO '1' USING e FRESH"},
		"EXPLAIN":                 nil,
		"PROFILE":                 {"PROFILE DROP EMBEDDING f"},
	}
}

// writingStore makes a store with an object of each kind.
func writingStore(t *testing.T, dir string) []byte {
	t.Helper()
	for name, text := range map[string]string{
		"edges": "0 1\n1 2\nx y\n", "people.csv": "name,a,b\n1,4,two\n2,5,three\n", "vectors.txt": "2 2\n1 1 0\n2 0 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "base")
	db := querytest.OpenAt(t, path)
	for _, statement := range []string{
		"GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO g",
		"UPDATE VERTICES IN g SET a := 1 WHERE degree > 4",
		"COMPUTE core IN g AS core",
		"EMBED g USING dp_spectral(dim := 4) AS e", "CREATE INDEX ON e", "EMBED g USING fastrp(dim := 4) AS f",
		"TRAIN MODEL m IN g USING heuristics(common_neighbors, l3)",
		"MATERIALIZE PREDICTIONS FROM common_neighbors IN g WITH (top := 5)",
		"INSERT EDGE ('3', '50', k := 1) INTO g",
		"UPDATE VERTICES IN g SET labels := 'low' WHERE degree < 5", "UPDATE VERTICES IN g SET labels := 'high' WHERE degree >= 5",
		"GENERATE preferential_attachment(n := 30, m := 2, seed := 1) INTO small", "EMBED small USING fastrp(dim := 4) AS v",
	} {
		querytest.MustRun(t, db, statement)
	}
	if err := querytest.Engine(db).Store.PutJob(t.Context(), storage.JobInfo{ID: 1, Kind: "EMBED", Statement: "EMBED g USING fastrp(dim := 4) AS job", Target: "job", Graph: "g", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	querytest.Close(t, db)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// objectsOf lists the objects of a store, without times and sizes.
func objectsOf(t *testing.T, db *query.DB) string {
	t.Helper()
	var text strings.Builder
	for _, list := range []struct {
		what    string
		columns int
	}{{"GRAPHS", 4}, {"EMBEDDINGS", 6}, {"INDEXES", 3}, {"MODELS", 4}, {"PREDICTIONS", 5}, {"JOBS", 3}} {
		rows, err := db.Query(t.Context(), "SHOW "+list.what, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			for _, v := range rows.Row()[:list.columns] {
				fmt.Fprint(&text, v, " ")
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

// TestStatements_FailingCommit lets each commit of each statement that writes fail. The
// statement must return an error, or a notice if only the record of a job is missing. If only
// freeing space failed, the error says that the change is complete, and the file has it after
// it is opened again.
func TestStatements_FailingCommit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	base := writingStore(t, dir)
	cases := writingStatements(dir)
	for _, s := range query.Statements() {
		reads := reflect.ValueOf(s).Elem().FieldByName("Reads").Bool()
		name := s.Describe().Statement
		if _, known := cases[name]; !reads && !known {
			t.Errorf("statement %s may write, and has no case", name)
		}
	}
	freeing := 0
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range cases {
			if !yield(name) {
				return
			}
		}
	}) {
		for _, text := range cases[name] {
			path := filepath.Join(dir, "store")
			begin := func() *query.DB {
				if err := os.WriteFile(path, base, 0o600); err != nil {
					t.Fatal(err)
				}
				db := querytest.OpenAt(t, path)
				querytest.Engine(db).Runner.Least = time.Hour // on a busy machine a job would get a record, which commits
				return db
			}
			db := begin()
			querytest.MustRun(t, db, text)
			after := objectsOf(t, db)
			querytest.Close(t, db)
			for n := 0; ; n++ {
				db := begin()
				reached := failCommit(db, n)
				answer, err := db.Query(ctx, text, nil)
				said := errors.Is(err, errDisk) || err == nil && slices.ContainsFunc(answer.Notices(), func(n rows.Notice) bool { return strings.Contains(n.Text, errDisk.Error()) })
				if *reached != said {
					t.Errorf("%s, commit %d: reached %v, %v", text, n, *reached, err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = querytest.OpenAt(t, path)
				if errors.Is(err, storage.ErrUnfreed) {
					freeing++
					if got := objectsOf(t, db); got != after && !strings.HasPrefix(text, "REFRESH ALL") { // the error names one embedding
						t.Errorf("%s, commit %d: %v, but the file has\n%s\nnot\n%s", text, n, err, got, after)
					}
				}
				report, checkErr := db.Maintenance().Check(ctx)
				if checkErr != nil || len(report.Faults) > 0 || slices.ContainsFunc(report.Notes, func(s string) bool { return strings.Contains(s, "discarded objects") }) {
					t.Errorf("%s, commit %d: %v, %+v", text, n, checkErr, report)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if !*reached {
					break
				}
				if n > 50 {
					t.Fatalf("%s: more than 50 commits", text)
				}
			}
		}
	}
	if freeing < 10 {
		t.Errorf("freeing failed %d times only", freeing)
	}
}
