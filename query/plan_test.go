package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/query/internal/querytest"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
)

func TestPlan_String(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	plan, err := db.Explain(context.Background(), "NEAREST 2 TO 'a' USING pos", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `nearest: 2 by l2, nearest first, ties by vertex
  exact scan: l2 from vertex 'a', itself left out
    embedding: pos, generation 1, 6 × 2, by hand, up to date with graph social
    graph: social, version 1, 6 vertices, 7 edges
`
	if plan.String() != want {
		t.Errorf("%s\nexpected\n%s", plan, want)
	}
}

// PROFILE shows what is known only after a run: rows, seconds, scanned vectors, and whether
// graph and vectors were in memory. The whole takes at least as long as its parts.
func TestPlan_Profile(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	for _, loaded := range []string{"read from the file", "cache hit"} {
		rows, err := db.Query(context.Background(), "PROFILE NEAREST 2 TO 'a' USING pos WHERE degree > 0", nil)
		if err != nil {
			t.Fatal(err)
		}
		var details []string
		var whole, parts float64
		for rows.Next() {
			row := rows.Row()
			details = append(details, fmt.Sprint(row[0], row[1]))
			seconds, measured := row[3].(float64)
			switch {
			case !measured:
			case whole == 0:
				whole = seconds
			default:
				parts += seconds
			}
		}
		if whole < parts || parts <= 0 {
			t.Errorf("the whole took %v s, its parts %v s", whole, parts)
		}
		text := strings.Join(details, "\n")
		if strings.Count(text, loaded) != 2 || !strings.Contains(text, "6 vectors scanned") {
			t.Errorf("expected %q twice:\n%s", loaded, text)
		}
	}
}

func TestStopwatch_MeasuresByTheClock(t *testing.T) {
	clock := time.Unix(0, 0)
	w := plan.NewStopwatch(func() time.Time { return clock })
	stop := w.Start("step")
	clock = clock.Add(1500 * time.Millisecond)
	stop(7, "note")
	if got := plan.Measured("step", "scan", "detail").Profile(w)[0]; !slices.Equal(got, []any{"scan", "detail; note", int64(7), 1.5}) {
		t.Errorf("%+v", got)
	}
}

// EXPLAIN of a statement that computes an embedding reads only the catalogue, whether the
// statement would run at once or in the background.
func TestDB_Explain_LoadsNothing(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	querytest.MustRun(t, db, "UPDATE VERTICES IN social SET hub := TRUE WHERE degree > 2")
	querytest.MustRun(t, db, "EMBED social USING dp_spectral(dim := 2) AS e")
	querytest.Engine(db).Cache = session.NewCache(1<<20, true)
	for _, text := range []string{
		"EMBED social USING dp_walker AS e IN BACKGROUND", "ESTIMATE EMBED social USING dp_walker", "REFRESH e",
		"VERIFY e IN BACKGROUND", "TUNE social FOR LABELS AS e WITH (attribute := 'hub')", "TUNE social FOR RECONSTRUCTION AS e",
	} {
		plan, err := db.Explain(t.Context(), text, nil)
		if err != nil || !strings.Contains(plan.String(), "graph: social, version 2, 6 vertices, 7 edges") || len(querytest.Engine(db).Cache.Entries) > 0 {
			t.Errorf("%s: %v, %v\n%v", text, err, querytest.Engine(db).Cache.Entries, plan)
		}
	}
	if list := db.Jobs().Active(); len(list) > 0 {
		t.Errorf("EXPLAIN started jobs: %v", list)
	}
}
