package studies_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/query/internal/querytest"
)

// TestDB_Tune_ListsWhatIsMeasured runs a search for each goal, and measures the best listed
// options again by statements that are independent of the search: the score equals the listed
// one, to the last digit, and the defaults of no method have a better score.
func TestDB_Tune_ListsWhatIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches options several times")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	table := func(statement string) []map[string]any {
		t.Helper()
		rows, err := db.Query(t.Context(), statement, nil)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		defer rows.Close()
		var list []map[string]any
		for rows.Next() {
			row := map[string]any{}
			for i, name := range rows.Columns() {
				row[name] = rows.Row()[i]
			}
			list = append(list, row)
		}
		return list
	}
	table("GENERATE preferential_attachment(n := 150, m := 4, seed := 3) INTO pa")
	table("UPDATE VERTICES IN pa SET hub := TRUE WHERE degree >= 6")
	table("UPDATE VERTICES IN pa SET hub := FALSE WHERE degree < 6")
	methods := []struct{ name, held string }{
		{"dp_spectral", "dim := 6, normalization := 'degree', seed := 9"},
		{"dp_walker", "dim := 6, length := 10, alpha := 0.02, seed := 9"},
	}
	goals := []struct{ goal, options string }{
		{"RECONSTRUCTION", "criterion := 'both'"},
		{"LINKS", "criterion := 'auc', seed := 5"},
		{"LABELS", "attribute := 'hub', criterion := 'macro_f1', seed := 5"},
	}
	// measured embeds by a method with options and returns the score of a goal.
	measured := func(goal, call string) float64 {
		table("EMBED pa USING " + call + " AS again")
		switch goal {
		case "LINKS":
			list := table("EVALUATE LINKS IN pa USING " + call + " WITH (seed := 5, scorers := 'cosine')")
			return list[slices.IndexFunc(list, func(row map[string]any) bool { return fmt.Sprint(row["scorer"]) != "cosine" })]["auc"].(float64)
		case "LABELS":
			return table("EVALUATE LABELS 'hub' OF again WITH (fractions := '0.5', seeds := 1, seed := 5)")[0]["macro_f1"].(float64)
		}
		r := table("RECONSTRUCT again AUTO WITH (criterion := 'both')")[0]
		p, s := r["pearson"].(float64), r["spearman"].(float64)
		if min(p, s) <= 0 {
			return min(p, s)
		}
		return 3 / (2/p + 1/s)
	}
	for _, goal := range goals {
		using := fmt.Sprintf("%s(%s), %s(%s)", methods[0].name, methods[0].held, methods[1].name, methods[1].held)
		list := table(fmt.Sprintf("TUNE pa USING %s FOR %s AS best WITH (trials := 30, %s)", using, goal.goal, goal.options))
		best := list[0]
		for _, m := range methods {
			if defaults := measured(goal.goal, fmt.Sprintf("%s(%s)", m.name, m.held)); defaults > best["score"].(float64) {
				t.Errorf("%s: the defaults of %s have %v, the best %v", goal.goal, m.name, defaults, best["score"])
			}
			if m.name != best["method"] {
				continue
			}
			call := fmt.Sprintf("%s(%s, %v)", m.name, m.held, best["options"])
			if got := measured(goal.goal, call); math.Abs(got-best["score"].(float64)) > 1e-15 || best["confirmed"] != true {
				t.Errorf("%s: %s has the score %v, listed %v, confirmed: %v", goal.goal, call, got, best["score"], best["confirmed"])
			}
		}
	}
}
