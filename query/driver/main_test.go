package driver

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/query"
	"heavytail/query/graphs"
)

// Every connection, iterator and job ends with the tests, and no file stays open.
func TestMain(m *testing.M) {
	code := leaktest.Run(m)
	open.mu.Lock()
	defer open.mu.Unlock()
	if len(open.byPath) > 0 && code == 0 {
		println("files are still open")
		code = 1
	}
	os.Exit(code)
}

// friends is a circle of six with a chord. Some vertices lack an age.
const friends = "alice bob\nbob carol\ncarol dave\ndave erin\nerin frank\nfrank alice\nalice carol\n"

// newFile makes a file with the graph friends and returns its path.
func newFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "friends.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Graphs().ImportReader(context.Background(), strings.NewReader(friends), graphs.ImportRequest{Graph: "friends"}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE VERTEX 'alice' SET age := 31, height := 1.7, member := TRUE, note := 'first' IN friends",
		"UPDATE VERTEX 'bob' SET age := 29 IN friends",
		"EMBED friends USING dp_spectral(dim := 2) AS spec",
	} {
		if _, err := db.Query(context.Background(), statement, nil); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// openSQL opens a data source name until the end of the test.
func openSQL(t *testing.T, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(Name, name)
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

// databaseOf is the query.DB behind a connection.
func databaseOf(t *testing.T, db *sql.DB) *query.DB {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var found *query.DB
	if err := conn.Raw(func(c any) error { found = c.(*Conn).DB(); return nil }); err != nil {
		t.Fatal(err)
	}
	return found
}

// texts are the cells of the first column.
func texts(t *testing.T, rows *sql.Rows) (list []string) {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells := make([]any, len(columns))
		var first string
		cells[0] = &first
		for i := 1; i < len(cells); i++ {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		list = append(list, first)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// must runs a statement.
func must(t *testing.T, db *sql.DB, statement string, args ...any) sql.Result {
	t.Helper()
	r, err := db.ExecContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return r
}
