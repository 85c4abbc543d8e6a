package query_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// TestRanges_SameBytes runs statements in ranges of the same length, the last of which are shorter
// or empty: the files one after the other are the file of the statement in one piece.
func TestRanges_SameBytes(t *testing.T) {
	t.Parallel()
	db, dir := querytest.Open(t, nil), t.TempDir()
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 300, m := 3, seed := 1) INTO g")
	querytest.MustRun(t, db, "EMBED g USING fastrp(dim := 8, seed := 1) AS e")
	keys, pairs := filepath.Join(dir, "keys.txt"), filepath.Join(dir, "pairs.csv")
	var lines [2]bytes.Buffer
	lines[1].WriteString("source,target,note\n# a comment\n")
	for i := range 330 { // some name no vertex
		fmt.Fprintf(&lines[0], "%d\n", i*7%310)
		fmt.Fprintf(&lines[1], "%d,%d,\"é, %d\"\n", i%310, i*7%301, i)
	}
	for i, path := range []string{keys, pairs} {
		if err := os.WriteFile(path, lines[i].Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	querytest.MustRun(t, db, "SCORE FILE '"+pairs+"' WITH l2(e) INTO FILE '"+filepath.Join(dir, "pairs.parquet")+"'")
	for _, c := range []struct{ name, statement, file string }{
		{"nearest", "NEAREST 3 FOR ALL USING cosine(e)%s INTO FILE '%s'", "x.csv"},
		{"nearest where", "NEAREST 3 FOR ALL USING e EXACT%s WHERE NOT linked INTO FILE '%s'", "x.tsv"},
		{"nearest of keys", "NEAREST 2 FOR FILE '" + keys + "' USING dot(e)%s INTO FILE '%s'", "x.ndjson"},
		{"predict", "PREDICT 2 LINKS FOR ALL IN g WITH jaccard%s INTO FILE '%s'", "x.csv"},
		{"predict by vectors", "PREDICT 2 LINKS FOR ALL WITH cosine(e)%s INTO FILE '%s'", "x.csv"},
		{"predict of keys", "PREDICT 2 LINKS FOR FILE '" + keys + "' WITH cosine(e)%s INTO FILE '%s'", "x.csv"},
		{"score", "SCORE FILE '" + pairs + "' WITH jaccard, cosine(e) INTO FILE '%[2]s'%[1]s", "x.csv"},
		{"score parquet", "SCORE FILE '" + filepath.Join(dir, "pairs.parquet") + "' WITH l2(e) INTO FILE '%[2]s'%[1]s", "x.csv"},
		{"score some", "SCORE FILE '" + pairs + "' WITH cosine(e) INTO FILE '%[2]s'%[1]s", "above.csv"},
		{"walks", "EXPORT WALKS OF g USING deepwalk(walks := 1) INTO FILE '%[2]s'%[1]s", "x.txt"},
	} {
		with := func(options ...string) string {
			if c.file == "above.csv" {
				options = append(options, "threshold := 0")
			}
			if len(options) == 0 {
				return ""
			}
			return " WITH (" + strings.Join(options, ", ") + ")"
		}
		run := func(path string, options ...string) []byte {
			t.Helper()
			querytest.MustRun(t, db, fmt.Sprintf(c.statement, with(options...), path))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		want := run(filepath.Join(t.TempDir(), c.file))
		if bytes.Count(want, []byte("\n")) < 100 {
			t.Errorf("%s: only %d bytes", c.name, len(want))
		}
		for _, ranges := range []int{1, 7, 64} {
			count, parts := (330+ranges-1)/ranges, t.TempDir()
			var got []byte
			for i := range ranges {
				first := fmt.Sprintf("first := %d", i*count)
				got = append(got, run(filepath.Join(parts, fmt.Sprint(i)+c.file), first, fmt.Sprintf("count := %d", count))...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s in %d ranges: %d bytes differ from the %d of one file", c.name, ranges, len(got), len(want))
			}
		}
	}
	sameRowsOfParts(t, db, pairs)
}

// sameRowsOfParts compares the rows of Parquet files of ranges with those of one file. All have
// the same columns, also those without rows.
func sameRowsOfParts(t *testing.T, db *query.DB, pairs string) {
	t.Helper()
	dir := t.TempDir()
	rowsOf := func(options string) (rows []string) {
		t.Helper()
		path := filepath.Join(dir, fmt.Sprintf("x%d.parquet", len(options)))
		querytest.MustRun(t, db, "SCORE FILE '"+pairs+"' WITH cosine(e) INTO FILE '"+path+"' WITH (overwrite := TRUE"+options+")")
		_, err := db.Links().Score(t.Context(), links.ScoreRequest{
			Path: path, With: []catalogue.Scorer{{Name: "l2", Embedding: "e"}}, Columns: "note, cosine(e)",
			Each: func(p links.ScoredPair) error { rows = append(rows, fmt.Sprint(p)); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	want := rowsOf("")
	var got []string
	for first := 0; first < 700; first += 50 {
		got = append(got, rowsOf(fmt.Sprintf(", first := %d, count := 50", first))...)
	}
	if len(want) != 330 || !slices.Equal(got, want) {
		t.Errorf("%d rows of Parquet differ from %d", len(got), len(want))
	}
}
