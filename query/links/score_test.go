package links_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// A file of several batches gives the same scores, pair by pair, as Score.
func TestDB_ScoreFile_EqualsScore(t *testing.T) {
	db := querytest.Open(t, &query.Options{Workers: 3})
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	var pairs []links.Pair
	var lines strings.Builder
	for i := range 10_000 {
		p := links.Pair{Source: fmt.Sprintf("v%d", i%67), Target: fmt.Sprintf("v%d", i*31%61)} // some do not exist
		pairs = append(pairs, p)
		fmt.Fprintf(&lines, "%s\t%s\n", p.Source, p.Target)
	}
	path := filepath.Join(t.TempDir(), "pairs.tsv")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	with := []catalogue.Scorer{{Name: "resource_allocation"}, {Name: "cosine", Embedding: "e"}}
	want, err := db.Links().Score(context.Background(), links.ScoreRequest{Pairs: pairs, With: with})
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	got, err := db.Links().Score(context.Background(), links.ScoreRequest{Path: path, With: with, Each: func(p links.ScoredPair) error {
		w := want.Pairs[i]
		if p.Pair != w.Pair || !sameScores(p.Scores, w.Scores) {
			return fmt.Errorf("pair %d is %v, expected %v", i, p, w)
		}
		i++
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Scored != 10_000 || i != 10_000 || got.Missing != want.Missing || want.Missing == 0 {
		t.Errorf("%d pairs, %d seen, %d missing, expected %d", got.Scored, i, got.Missing, want.Missing)
	}
}

func sameScores(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}

// Rows that are closed early release their resources.
func TestRows_CloseEarly(t *testing.T) {
	db := querytest.Open(t, &query.Options{NoCache: true})
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	path := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(path, []byte(strings.Repeat("v1 v2\n", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(context.Background(), "SCORE FILE $f WITH l2(e)", map[string]any{"f": path})
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if len(querytest.Engine(db).Cache.Entries) != 2 {
		t.Errorf("open rows hold %d cache entries", len(querytest.Engine(db).Cache.Entries))
	}
	for range 2 {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
	if rows.Next() || rows.Err() != nil || len(querytest.Engine(db).Cache.Entries) != 0 {
		t.Errorf("closed rows: error %v, %d cache entries", rows.Err(), len(querytest.Engine(db).Cache.Entries))
	}
}
