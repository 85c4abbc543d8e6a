package query_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
)

// The context decides whether an Untyped parameter is a text or a number: keys that look like
// numbers and truth values are found.
func TestUntyped(t *testing.T) {
	db := querytest.Open(t, nil)
	keys := []rows.Untyped{"7", "007", "1e5", ".5", "-0", "true", "9223372036854775808", "nan", "it's"}
	var edges strings.Builder
	var vectors []string
	for i, key := range keys {
		fmt.Fprintf(&edges, "%s\t%s\n", key, keys[(i+1)%len(keys)])
		vectors = append(vectors, fmt.Sprintf("%s %d", key, i))
	}
	querytest.ImportText(t, db, "g", edges.String())
	if _, err := querytest.PutVectors(db, "g", "e", strings.Join(vectors, "\n")); err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		next := keys[(i+1)%len(keys)]
		params := map[string]any{"v": key, "u": next, "k": rows.Untyped("1"), "r": rows.Untyped("1e2"), "d": rows.Untyped("2"), "yes": rows.Untyped("true")}
		for _, statement := range []string{
			"NEAREST $k TO $v USING e WHERE degree = $d AND linked = $yes",
			"WITHIN RADIUS $r OF $v USING e LIMIT $k",
			"SCORE ($v, $u) WITH jaccard",
		} {
			rows, err := db.Query(context.Background(), statement, params)
			if err != nil {
				t.Fatalf("%s with v = %s: %v", statement, key, err)
			}
			if !rows.Next() || rows.Next() {
				t.Errorf("%s with v = %s: no row", statement, key)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "12")
	if _, err := db.Query(context.Background(), "EXPORT GRAPH g INTO FILE $f WITH (overwrite := $o)", map[string]any{"f": rows.Untyped(path), "o": rows.Untyped("false")}); err != nil {
		t.Error(err)
	}
	for statement, want := range map[string]string{
		"NEAREST $v TO '7' USING e": "line 1, column 9: found 1.5, expected an integer",
		"EXPORT WALKS OF g USING deepwalk INTO FILE 'w.txt' WITH (first := 3.0)": "line 1, column 58: option first is 3.0, expected an integer",
		"NEAREST 1 TO $v USING e":                    "line 1, column 14: vertex '1.50' is not in graph g",
		"WITHIN RADIUS $w OF '7' USING e":            "line 1, column 15: found the text 'far', expected a number",
		"NEAREST 1 TO '7' USING e WHERE linked = $w": "line 1, column 32: linked = $w compares true or false with a text",
	} {
		_, err := db.Query(context.Background(), statement, map[string]any{"v": rows.Untyped("1.50"), "w": rows.Untyped("far")})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", statement, err, want)
		}
	}
}
