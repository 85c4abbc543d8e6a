package driver

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
)

func TestDriver_Names(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                      "has no path",
		"?mode=ro":              "has no path",
		"x.ht?mode=rx":          "mode is \"rx\", and must be ro, rw or rwc",
		"x.ht?mod=ro":           "no parameter \"mod\": did you mean mode?",
		"x.ht?mode=ro&mode=rw":  "given twice",
		"x.ht?lock_timeout=5":   "must be a duration",
		"x.ht?release_idle=si":  "true or false",
		"x.ht?workers=-1":       "must not be negative",
		"x.ht?memory_limit=big": "number of bytes",
		"x.ht?folder=":          "must be a folder",
		"x.ht?mode=%zz":         "cannot be read",
	} {
		if _, err := sql.Open(Name, name); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", name, err, want)
		}
	}
}

func TestDriver_Modes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.ht")
	for _, mode := range []string{"ro", "rw"} {
		if err := openSQL(t, missing+"?mode="+mode).Ping(); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("mode %s of a file that is missing: %v", mode, err)
		}
	}
	if err := openSQL(t, missing).Ping(); err != nil {
		t.Error(err)
	}
	if err := openSQL(t, dir).Ping(); !errors.Is(err, storage.ErrNotStore) {
		t.Errorf("a folder: %v", err)
	}
	readOnly := openSQL(t, newFile(t)+"?mode=ro")
	if _, err := readOnly.Exec("CREATE GRAPH g"); !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("a write with mode=ro: %v", err)
	}
	odd := filepath.Join(dir, "what?.ht") // the path goes to the last question mark
	must(t, openSQL(t, odd+"?mode=rwc"), "CREATE GRAPH g")
	if _, err := os.Stat(odd); err != nil {
		t.Error(err)
	}
	memory := openSQL(t, query.Memory)
	must(t, memory, "CREATE GRAPH g")
	for range 3 { // in the same store, whichever connection it is
		must(t, memory, "DESCRIBE GRAPH g")
	}
	confined := openSQL(t, newFile(t)+"?no_files=true&workers=1&max_rows=5")
	if _, err := confined.Exec("EXPORT GRAPH friends INTO FILE 'x.csv'"); !errors.Is(err, fault.ErrNoFiles) {
		t.Errorf("a file with no_files: %v", err)
	}
}

// In a program that does not import the package of a columnar format, statements that write or read it
// return an error with the import.
func TestDriver_NoColumnar(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"parquet": "PAR1", "arrow": "ARROW1\x00\x00"} {
		noColumnar(t, name, begin)
	}
}

func noColumnar(t *testing.T, name, begin string) {
	t.Helper()
	db, path := openSQL(t, newFile(t)), filepath.Join(t.TempDir(), "x."+name)
	for _, statement := range []string{"SHOW GRAPHS INTO FILE '%s'", "EXPORT GRAPH friends INTO FILE '%s'", "IMPORT '%s' INTO friends"} {
		if strings.HasPrefix(statement, "IMPORT") {
			if err := os.WriteFile(path, []byte(begin), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.Exec(fmt.Sprintf(statement, path))
		if !errors.Is(err, format.ErrLibrary) || !strings.Contains(err.Error(), `import _ "heavytail/storage/format/`+name+`"`) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// All sql.DB of a process that name a file share one query.DB, which is closed with the
// last of them.
func TestDriver_Shared(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	link := path + "-link"
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic link can be made: %v", err)
	}
	first, second := openSQL(t, path), openSQL(t, link+"?mode=rw")
	if databaseOf(t, first) != databaseOf(t, second) {
		t.Error("two databases of one file")
	}
	other := openSQL(t, path+"?mode=ro")
	var mistake *fault.Error
	if err := other.Ping(); !errors.Is(err, storage.ErrLocked) || !errors.As(err, &mistake) {
		t.Errorf("the file with other parameters: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Ping(); err != nil {
		t.Fatal(err)
	}
	rows, err := second.Query("SHOW VERTICES IN friends")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, rows); len(got) != 5 {
		t.Errorf("rows that were open while the database was closed have %v", got)
	}
	if err := other.Ping(); err != nil {
		t.Errorf("after the others were closed: %v", err)
	}
}

func TestDriver_OpenedAndClosedAtOnce(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				db, err := sql.Open(Name, path)
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if err := db.QueryRow("COUNT VERTICES IN friends").Scan(&n); err != nil || n != 6 {
					t.Errorf("%d vertices, %v", n, err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestConnector(t *testing.T) {
	t.Parallel()
	own, err := query.Open(newFile(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	db := sql.OpenDB(Connector(own))
	if databaseOf(t, db) != own {
		t.Error("another database")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Graphs().List(t.Context()); err != nil {
		t.Errorf("sql.DB.Close has closed the database of the program: %v", err)
	}
	db = sql.OpenDB(Connector(own))
	defer db.Close()
	own.Close()
	if err := db.Ping(); !errors.Is(err, fault.ErrClosed) {
		t.Errorf("after the database was closed: %v", err)
	}
}

func TestConn_Exec(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	for _, c := range []struct {
		statement string
		changed   int64
	}{
		{"CREATE GRAPH more", 0},
		{"INSERT EDGE ('a', 'b'), ('b', 'c') INTO more", 2},
		{"UPDATE VERTEX 'a' SET age := 3 IN more", 1},
		{"DELETE VERTEX 'b' FROM more", 1},
		{"SHOW VERTICES IN more", 0},
		{"EXPLAIN DROP GRAPH more", 0},
	} {
		r := must(t, db, c.statement)
		if n, err := r.RowsAffected(); n != c.changed || err != nil {
			t.Errorf("%s: %d changed, %v", c.statement, n, err)
		}
		if _, err := r.LastInsertId(); err == nil {
			t.Errorf("%s has an id", c.statement)
		}
	}
	rows, err := db.Query("DROP GRAPH more") // a statement without rows, as a query
	if err != nil {
		t.Fatal(err)
	}
	if columns, err := rows.Columns(); err != nil || len(columns) != 0 || rows.Next() || rows.Err() != nil {
		t.Errorf("columns %v, %v, %v", columns, err, rows.Err())
	}
}

func TestConn_Errors(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t)+"?max_rows=2")
	var syntax *parser.Error
	if _, err := db.Query("SELECT 1"); !errors.As(err, &syntax) || syntax.Start.Line != 1 {
		t.Errorf("a mistake of the grammar: %v", err)
	}
	if _, err := db.Prepare("NEAREST TO"); !errors.As(err, &syntax) {
		t.Errorf("a mistake in Prepare: %v", err)
	}
	var mistake *fault.Error
	if _, err := db.Query("NEAREST 1 TO 'alice' USING spek"); !errors.As(err, &mistake) || mistake.Nearest == "" || mistake.Start.Column != 28 {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := db.Exec("DROP GRAPH nothing"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a graph that is missing: %v", err)
	}
	var limit *fault.LimitError
	if _, err := db.Query("WITHIN RADIUS 100 OF 'alice' USING spec"); !errors.As(err, &limit) || !errors.Is(err, fault.ErrLimit) {
		t.Errorf("a long answer: %v", err)
	}
	if _, err := db.Begin(); !errors.Is(err, ErrTransaction) {
		t.Errorf("Begin: %v", err)
	}
	if _, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true}); !errors.Is(err, ErrTransaction) {
		t.Errorf("BeginTx: %v", err)
	}
	if err := db.Ping(); err != nil {
		t.Errorf("after the errors: %v", err)
	}
}

// upper is a type of a program that knows how it is stored.
type upper string

func (u upper) Value() (sqldriver.Value, error) { return strings.ToLower(string(u)), nil }

func TestConn_Parameters(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	const nearest = "NEAREST $k TO $who USING spec"
	for _, who := range []any{"alice", upper("ALICE"), []byte("alice"), sql.NullString{String: "alice", Valid: true}, rows.Untyped("alice"), new("alice")} {
		rows, err := db.Query(nearest, sql.Named("who", who), sql.Named("k", uint8(2)))
		if err != nil {
			t.Errorf("%T: %v", who, err)
		} else if got := texts(t, rows); len(got) != 2 {
			t.Errorf("%T: %v", who, got)
		}
	}
	for _, vector := range []any{[]float64{1, 0}, []float32{1, 0}} {
		rows, err := db.Query("NEAREST 3 TO $v USING spec", sql.Named("v", vector))
		if err != nil || len(texts(t, rows)) != 3 {
			t.Errorf("%T: %v", vector, err)
		}
	}
	for want, args := range map[string][]any{
		"parameter $k has no value":                                  {sql.Named("who", "alice")},
		"value 1 has no name: pass sql.Named":                        {"alice", 1},
		"no parameter $whom: did you mean $who?":                     {sql.Named("whom", "alice"), sql.Named("k", 1)},
		"$k is given twice":                                          {sql.Named("k", 1), sql.Named("k", 1), sql.Named("who", "alice")},
		"parameter $k is a value of the Go type struct {}, expected": {sql.Named("k", struct{}{})},
		"found nothing, expected the key of a vertex":                {sql.Named("who", nil), sql.Named("k", 1)},
	} {
		if _, err := db.Query(nearest, args...); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}

	must(t, db, "UPDATE VERTEX 'bob' SET age := $age IN friends", sql.Named("age", nil))
	when := time.Date(2024, 2, 29, 23, 0, 0, 0, time.FixedZone("east", 3600))
	must(t, db, "CREATE GRAPH g")
	must(t, db, "INSERT EDGE ('a', 'b', time := $when) INTO g", sql.Named("when", when))
	var age sql.NullInt64
	if err := db.QueryRow("SHOW VERTICES IN friends COLUMNS age WHERE key = 'bob'").Scan(new(string), &age); err != nil || age.Valid {
		t.Errorf("an age that NULL has removed: %v, %v", age, err)
	}
	var date string
	if err := db.QueryRow("SHOW NEIGHBORS OF 'a' IN g").Scan(new(string), new(int), &date); err != nil || date != "2024-02-29T22:00:00Z" {
		t.Errorf("%v, %v", date, err)
	}
}

func TestConn_NoRows(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	var key string
	if err := db.QueryRow("SHOW VERTICES IN friends WHERE age > 99").Scan(&key); err != sql.ErrNoRows {
		t.Error(err)
	}
	if err := db.QueryRow("SHOW VERTICES IN nobody").Scan(&key); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

// Explained statements and jobs go through the driver, and a job in the background goes
// on where no connection is left in the pool.
func TestConn_Jobs(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	db.SetMaxIdleConns(-1)
	var step, detail string
	if err := db.QueryRow("EXPLAIN NEAREST 1 TO 'bob' USING spec").Scan(&step, &detail); err != nil || step != "nearest" {
		t.Errorf("%s, %v", step, err)
	}
	answer, err := db.Query("EMBED friends USING deepwalk(dim := 4) AS walks IN BACKGROUND")
	if err != nil {
		t.Fatal(err)
	}
	jobs := texts(t, answer)
	if len(jobs) != 1 {
		t.Fatal(jobs)
	}
	must(t, db, "WAIT JOB $job", sql.Named("job", rows.Untyped(jobs[0])))
	answer, err = db.Query("NEAREST 2 TO 'bob' USING walks")
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, answer); len(got) != 2 {
		t.Error(got)
	}
}

// A prepared statement is used by many goroutines on few connections.
func TestStmt_Concurrent(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	db.SetMaxOpenConns(3)
	must(t, db, "CREATE GRAPH g")
	insert, err := db.Prepare("INSERT EDGE ($u, $v) INTO g")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	nearest, err := db.Prepare("NEAREST 2 TO $who USING spec")
	if err != nil {
		t.Fatal(err)
	}
	defer nearest.Close()
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			for j := range 5 {
				if _, err := insert.Exec(sql.Named("u", fmt.Sprint("u", i)), sql.Named("v", fmt.Sprint("v", j))); err != nil {
					t.Error(err)
				}
				rows, err := nearest.Query(sql.Named("who", "dave"))
				if err != nil {
					t.Error(err)
					return
				}
				if rows.Next(); j%2 == 0 { // some are closed early
					for rows.Next() {
					}
				}
				if err := errors.Join(rows.Err(), rows.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var edges int
	rows, err := db.Query("SHOW GRAPHS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name, new(any), new(any), &edges, new(any), new(any), new(any)); err != nil {
			t.Fatal(err)
		}
		if name == "g" && edges != 50 {
			t.Errorf("%d edges", edges)
		}
	}
}

// long makes a file with a graph whose rows are read as a stream.
func long(t *testing.T, vertices int) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.ht")
	db := openSQL(t, path)
	must(t, db, fmt.Sprintf("GENERATE preferential_attachment(n := %d, m := 2) INTO g", vertices))
	return db
}

func TestRows_ContextEnds(t *testing.T) {
	t.Parallel()
	db := long(t, 5000)
	for _, statement := range []string{"SHOW VERTICES IN g", "SHOW VERTICES IN g ORDER BY degree"} {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := db.QueryContext(ctx, statement)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			if n++; n == 10 {
				cancel()
			}
		}
		if !errors.Is(rows.Err(), context.Canceled) {
			t.Errorf("%s: %d rows, then %v", statement, n, rows.Err())
		}
		rows.Close()
		cancel()
		if _, err := db.QueryContext(ctx, statement); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, with a context that has ended: %v", statement, err)
		}
		if _, err := db.ExecContext(ctx, statement); !errors.Is(err, context.Canceled) {
			t.Errorf("Exec of %s, with a context that has ended: %v", statement, err)
		}
	}
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
}

// Rows that are closed early give their connection back, and writes do not wait for them.
func TestRows_ClosedEarly(t *testing.T) {
	t.Parallel()
	db := long(t, 3000)
	rows, err := db.Query("SHOW VERTICES IN g")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	must(t, db, "INSERT EDGE ('x', 'y') INTO g")
	if n := len(texts(t, rows)); n != 2999 {
		t.Errorf("%d further rows", n)
	}
	db.SetMaxOpenConns(1)
	for range 5 {
		rows, err := db.Query("SHOW VERTICES IN g")
		if err != nil || !rows.Next() {
			t.Fatal(err)
		}
		if err := errors.Join(rows.Close(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRows_ColumnTypes(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	for _, c := range []struct {
		statement string
		want      []string
	}{
		{"SHOW VERTICES IN friends WHERE age > 99", []string{ // without rows
			"vertex TEXT string false", "degree INTEGER int64 false", "age INTEGER sql.NullInt64 true",
			"height FLOAT sql.NullFloat64 true", "member BOOLEAN sql.NullBool true", "note TEXT sql.NullString true",
		}},
		{"NEAREST 2 TO 'bob' USING spec", []string{"vertex TEXT string false", "distance FLOAT float64 false"}},
		{"SHOW NEIGHBORS OF 'bob' WITHIN 2 IN friends WHERE age > 99", []string{
			"vertex TEXT string false", "distance INTEGER int64 false", "degree INTEGER int64 false", "age INTEGER sql.NullInt64 true",
			"height FLOAT sql.NullFloat64 true", "member BOOLEAN sql.NullBool true", "note TEXT sql.NullString true",
		}},
		{"SHOW EDGES IN friends COLUMNS weight, time, age", []string{
			"source TEXT string false", "target TEXT string false", "weight FLOAT float64 false", "time INTEGER sql.NullInt64 true",
			"source_age INTEGER sql.NullInt64 true", "target_age INTEGER sql.NullInt64 true",
		}},
		{"COUNT VERTICES IN friends BY note WITH mean(degree), max(age)", []string{
			"note TEXT sql.NullString true", "vertices INTEGER int64 false", "mean_degree FLOAT sql.NullFloat64 true", "max_age INTEGER sql.NullInt64 true",
		}},
		{"SCORE ('alice', 'bob') WITH jaccard", []string{"source TEXT string false", "target TEXT string false", "jaccard FLOAT sql.NullFloat64 true"}},
		{"COMPUTE degree IN friends", []string{"vertex TEXT string false", "value INTEGER sql.NullInt64 true"}},
		{"EXPLAIN DROP EMBEDDING spec", []string{"step TEXT string false", "detail TEXT string false"}},
		{"DESCRIBE VERTEX 'alice' IN friends", []string{"property TEXT string false", "value ANY interface {} true"}},
		{"DROP EMBEDDING spec", nil},
	} {
		rows, err := db.Query(c.statement)
		if err != nil {
			t.Fatal(err)
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range types {
			nullable, ok := c.Nullable()
			if !ok {
				t.Errorf("whether %s has NULL is not known", c.Name())
			}
			got = append(got, fmt.Sprint(c.Name(), " ", c.DatabaseTypeName(), " ", c.ScanType(), " ", nullable))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nexpected:\n%s", c.statement, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		rows.Close()
	}
}
