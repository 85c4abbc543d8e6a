package links_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
)

// TestScorers_BaseRate compares the probabilities of models at a base rate, in every statement that has the
// option, with those at equal numbers of edges and other pairs.
func TestScorers_BaseRate(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(120))
	for _, text := range []string{
		"EMBED g USING dp_spectral(dim := 4) AS e",
		"TRAIN MODEL m IN g WITH (seed := 1)",
		"TRAIN MODEL both IN g USING e, heuristics(jaccard, cosine) WITH (seed := 1)",
	} {
		querytest.MustExec(t, db, text)
	}
	pairs := filepath.Join(t.TempDir(), "pairs.txt")
	if err := os.WriteFile(pairs, []byte("v1 v2\nv3 v90\nv7 v8\nv100 v101\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"m", "both"} {
		for _, text := range []string{
			"SCORE ('v1', 'v2'), ('v3', 'v4'), ('v5', 'v60') WITH model(%s)",
			"SCORE FILE '" + pairs + "' WITH model(%s)",
			"PREDICT 9 LINKS IN g WITH model(%s)",
			"PREDICT 5 LINKS FOR 'v1' IN g WITH model(%s)",
			"PREDICT 2 LINKS FOR ALL IN g WITH model(%s)",
		} {
			text = fmt.Sprintf(text, model)
			want := answer(t, db, text)
			for _, rate := range []float64{1e-6, 0.01, 0.5, 0.9} {
				got := answer(t, db, fmt.Sprintf("%s WITH (base_rate := %v)", text, rate))
				if len(got) != len(want) || len(got) < 3 {
					t.Fatalf("%s at %v: %d rows, expected %d", text, rate, len(got), len(want))
				}
				for i, row := range got {
					last := len(row) - 1
					p, even := row[last].(float64), want[i][last].(float64)
					odds := even / (1 - even) * rate / (1 - rate)
					if !slices.Equal(row[:last], want[i][:last]) || math.Abs(p-odds/(1+odds)) > 1e-6*p {
						t.Errorf("%s at %v: %v, without %v", text, rate, row, want[i])
					}
				}
			}
		}
	}
	for _, text := range []string{"SCORE ('v1', 'v2') WITH katz, l2(e)", "PREDICT 3 LINKS IN g WITH katz"} {
		_, err := db.Query(t.Context(), text+" WITH (base_rate := 0.1)", nil)
		var mistake *fault.Error
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "base_rate is for the probabilities of models") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// answer returns the rows of a statement.
func answer(t *testing.T, db *query.DB, text string) (all [][]rows.Value) {
	t.Helper()
	r, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for row, err := range r.All() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, slices.Clone(row))
	}
	return all
}
