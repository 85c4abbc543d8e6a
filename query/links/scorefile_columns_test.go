package links_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
)

// The additional columns of a file come between the keys and the scores: as text, as typed
// columns of Parquet, and streamed.
func TestDB_ScoreFile_Columns(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustExec(t, db, "CREATE GRAPH g")
	querytest.MustExec(t, db, "INSERT EDGE ('a', 'b'), ('b', 'c'), ('a', 'c'), ('c', 'd') INTO g")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	text := "rank,from,to,jaccard,note\n1,a,b,x,\"two\nlines, \"\"q\"\"\"\n2.5,a,d,,7\n,b,d,y,\n3,c,d,z,more\n"
	if err := os.WriteFile(in("pairs.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const head = "source,target,rank,jaccard_2,note,jaccard\n"
	lines := []string{"a,b,1,x,\"two\nlines, \"\"q\"\"\",0.3333333333333333\n", "a,d,2.5,,7,0.5\n", "b,d,,y,,0.5\n", "c,d,3,z,more,0\n"}
	for name, c := range map[string]struct{ options, want string }{
		"all":   {"", head + strings.Join(lines, "")},
		"best":  {"threshold := 0.4", head + lines[1] + lines[2]},
		"top":   {"top := 1", head + lines[1] + lines[2] + lines[3]},
		"none":  {"columns := 'none'", "source,target,jaccard\na,b,0.3333333333333333\na,d,0.5\nb,d,0.5\nc,d,0\n"},
		"named": {"columns := 'note, rank'", "source,target,note,rank,jaccard\na,b,\"two\nlines, \"\"q\"\"\",1,0.3333333333333333\na,d,7,2.5,0.5\nb,d,,,0.5\nc,d,more,3,0\n"},
	} {
		out := in(name + ".csv")
		querytest.MustExec(t, db, "SCORE FILE '"+in("pairs.csv")+"' WITH jaccard INTO FILE '"+out+"'"+options(c.options))
		if got, err := os.ReadFile(out); err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
	// The column types of a Parquet file, for example one of DuckDB, are kept.
	querytest.MustExec(t, db, "SHOW EDGES IN g INTO FILE '"+in("edges.parquet")+"'")
	querytest.MustExec(t, db, "SCORE FILE '"+in("edges.parquet")+"' WITH common_neighbors INTO FILE '"+in("first.parquet")+"'")
	querytest.MustExec(t, db, "SCORE FILE '"+in("first.parquet")+"' WITH jaccard INTO FILE '"+in("second.parquet")+"'")
	rows, err := db.Query(t.Context(), "SCORE FILE '"+in("second.parquet")+"' WITH preferential_attachment", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if want := []string{"source", "target", "common_neighbors", "jaccard", "preferential_attachment"}; !slices.Equal(rows.Columns(), want) || !rows.Next() {
		t.Fatalf("%q, %v", rows.Columns(), rows.Err())
	}
	if row := rows.Row(); row[2] != int64(1) && row[2] != float64(1) || row[3] != 1.0/3 {
		t.Errorf("%#v", row)
	}
	_, err = db.Query(t.Context(), "SCORE FILE '"+in("pairs.csv")+"' WITH jaccard WITH (columns := 'rang')", nil)
	var wrong *fault.Error
	if !errors.As(err, &wrong) || !slices.Contains(wrong.Expected, "rank") {
		t.Errorf("an unknown column: %v", err)
	}
}

// options returns the WITH clause of a statement, "" for no options.
func options(text string) string {
	if text == "" {
		return ""
	}
	return " WITH (" + text + ")"
}
