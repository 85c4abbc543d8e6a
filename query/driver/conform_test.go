package driver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// What database/sql promises of every driver: values go in and come out unchanged, rows
// scan into every type that holds them, and statements, rows and connections may be
// closed early, twice, and in any order. Transactions are the exception; TestConn_Errors
// has them.

// Texts, numbers and booleans come back as they were given, as an attribute and as the key.
func TestConform_RoundTrip(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	must(t, db, "CREATE GRAPH g")
	put, err := db.Prepare("UPDATE VERTEX 'a' SET value := $value IN g")
	if err != nil {
		t.Fatal(err)
	}
	defer put.Close()
	for _, group := range [][]any{
		{"", "a", "two\nlines\r\n", `quo"te`, "it's", "$name; -- /*", "日本 👩‍👩‍👧 é", strings.Repeat("x", 1<<16), "\t \u2028"},
		{int64(0), int64(math.MinInt64), int64(math.MaxInt64), int64(-1)},
		{0.5, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1 + 0.2, 1e21, 3.0},
		{true, false},
	} {
		must(t, db, "DROP GRAPH g")
		must(t, db, "CREATE GRAPH g")
		must(t, db, "INSERT VERTEX 'a' INTO g")
		for _, value := range group {
			if _, err := put.Exec(sql.Named("value", value)); err != nil {
				t.Errorf("%.40v: %v", value, err)
				continue
			}
			var got any
			if err := db.QueryRow("SHOW VERTICES IN g COLUMNS value").Scan(new(string), &got); err != nil || got != value {
				t.Errorf("%.40v (%T) comes back as %.40v (%T), %v", value, value, got, got, err)
			}
			if _, text := value.(string); !text || value == "" || len(value.(string)) > 1000 {
				continue
			}
			must(t, db, "INSERT EDGE ($key, 'a') INTO g", sql.Named("key", value))
			var key string
			if err := db.QueryRow("SHOW NEIGHBORS OF $key IN g", sql.Named("key", value)).Scan(&key, new(any), new(any)); value != "a" && (err != nil || key != "a") {
				t.Errorf("the neighbour of %q is %q, %v", value, key, err)
			}
		}
	}
}

// A cell scans into every Go type that can hold it, and the others are errors.
func TestConform_Scan(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	for _, c := range []struct {
		column, want string
		good, bad    []any
	}{
		{"age", "31", []any{new(int), new(int8), new(uint64), new(float32), new(string), new([]byte), new(any), new(sql.NullInt64), new(*int), new(sql.Null[int])}, []any{new(bool), new(struct{})}},
		{"height", "1.7", []any{new(float64), new(string), new(sql.NullFloat64), new(any), new(*float64)}, []any{new(int), new(bool)}},
		{"member", "true", []any{new(bool), new(string), new(sql.NullBool), new(any)}, []any{new(float64)}},
		{"note", "first", []any{new(string), new([]byte), new(sql.RawBytes), new(any), new(sql.NullString)}, []any{new(int), new(float64), new(bool)}},
	} {
		scan := func(dest any) error {
			rows, err := db.Query("SHOW VERTICES IN friends COLUMNS " + c.column + " WHERE key = 'alice'")
			if err != nil {
				return err
			}
			defer rows.Close()
			if !rows.Next() {
				return errors.Join(rows.Err(), errors.New("no row"))
			}
			if err := rows.Scan(new(string), dest); err != nil {
				return err
			}
			if got := plainText(dest); got != c.want {
				return fmt.Errorf("it is %s", got)
			}
			return nil
		}
		for _, dest := range c.good {
			if err := scan(dest); err != nil {
				t.Errorf("%s into %T: %v", c.column, dest, err)
			}
		}
		for _, dest := range c.bad {
			if scan(dest) == nil {
				t.Errorf("%s into %T", c.column, dest)
			}
		}
	}
	var age int
	if err := db.QueryRow("SHOW VERTICES IN friends COLUMNS age WHERE key = 'carol'").Scan(new(string), &age); err == nil {
		t.Error("NULL scans into an int")
	}
	if err := db.QueryRow("SHOW VERTICES IN friends").Scan(new(string)); err == nil {
		t.Error("a row scans into fewer variables than it has columns")
	}
}

// plainText is the text of what a pointer of TestConform_Scan points to.
func plainText(dest any) string {
	v := reflect.ValueOf(dest).Elem()
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		v = v.Field(0) // the value of sql.NullInt64 and the like
	}
	if v.Kind() == reflect.Slice {
		return string(v.Bytes())
	}
	return fmt.Sprint(v.Interface())
}

// Every row of every statement scans into the ScanType of its columns.
func TestConform_ScanTypes(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	must(t, db, "GENERATE preferential_attachment(n := 200, m := 3) INTO big")
	must(t, db, "TRAIN MODEL m IN big USING heuristics(jaccard, preferential_attachment)")
	for _, statement := range []string{
		"SHOW GRAPHS", "SHOW EMBEDDINGS", "SHOW MODELS", "SHOW JOBS", "SHOW ATTRIBUTES IN friends", "SHOW METHODS", "SHOW MEASURES",
		"SHOW SCORERS", "SHOW STATS", "SHOW VERTICES IN friends", "SHOW EDGES IN friends", "SHOW VECTOR OF 'bob' IN spec", "DESCRIBE GRAPH friends",
		"DESCRIBE MODEL m", "NEAREST 2 FOR ALL USING spec", "PREDICT 3 LINKS IN friends WITH jaccard", "SCORE ('bob', 'nobody') IN friends WITH jaccard, l2(spec)",
		"COUNT VERTICES IN friends BY age WITH mean(age)", "COMPUTE pagerank IN friends", "RECONSTRUCT spec AUTO", "PROFILE COUNT VERTICES IN friends", "HELP", "CHECK",
	} {
		rows, err := db.Query(statement)
		if err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Error(err)
		}
		cells := make([]any, len(types))
		for rows.Next() {
			for i, c := range types {
				cells[i] = reflect.New(c.ScanType()).Interface()
			}
			if err := rows.Scan(cells...); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Rows of QueryRow return their connection, also where they are not read to the end.
func TestConform_ManyQueryRow(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	db.SetMaxOpenConns(2)
	for range 300 {
		var key string
		if err := db.QueryRow("SHOW VERTICES IN friends COLUMNS degree").Scan(&key, new(any)); err != nil || key != "alice" {
			t.Fatalf("%q, %v", key, err)
		}
	}
}

// Statements, rows and connections end in any order.
func TestConform_Closing(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	stmt, err := db.Prepare("SHOW VERTICES IN friends COLUMNS degree")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := stmt.Query()
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := errors.Join(stmt.Close(), stmt.Close()); err != nil {
		t.Error(err)
	}
	if n := len(texts(t, rows)); n != 5 {
		t.Errorf("%d rows after the statement was closed", n)
	}
	if rows.NextResultSet() || rows.Next() || rows.Scan(new(any), new(any)) == nil {
		t.Error("closed rows have a row")
	}
	if _, err := stmt.Query(); err == nil {
		t.Error("a closed statement runs")
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := conn.PingContext(t.Context()); !errors.Is(err, sql.ErrConnDone) {
		t.Errorf("a closed connection: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Conn(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a connection for a context that has ended: %v", err)
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	if err := db.Ping(); err == nil {
		t.Error("a closed database answers")
	}
}

// A statement is prepared once and run with other values, and what one run changes the
// next one sees on every connection.
func TestConform_Reuse(t *testing.T) {
	t.Parallel()
	db := openSQL(t, newFile(t))
	db.SetMaxIdleConns(-1) // a new connection for each
	must(t, db, "CREATE GRAPH g")
	insert, err := db.PrepareContext(t.Context(), "INSERT EDGE ($u, $v) INTO g")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close()
	count, err := db.Prepare("COUNT VERTICES IN g")
	if err != nil {
		t.Fatal(err)
	}
	defer count.Close()
	for i := range 10 {
		if _, err := insert.Exec(sql.Named("u", "hub"), sql.Named("v", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := count.QueryRow().Scan(&n); err != nil || n != i+2 {
			t.Errorf("%d vertices after %d edges, %v", n, i+1, err)
		}
	}
}
