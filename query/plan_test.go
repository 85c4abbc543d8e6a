package query

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPlan_String(t *testing.T) {
	db := openTest(t, nil)
	twoTriangles(t, db)
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

// PROFILE tells what only running can: rows, seconds, vectors scanned, and
// whether graph and vectors were in memory. The whole takes as long as its
// parts at least.
func TestPlan_Profile(t *testing.T) {
	db := openTest(t, nil)
	twoTriangles(t, db)
	for _, loaded := range []string{"read from the file", "cache hit"} {
		rows, err := db.Query(context.Background(), "PROFILE NEAREST 2 TO 'a' USING pos WHERE linked", nil)
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
	w := newStopwatch(func() time.Time { return clock })
	stop := w.start("step")
	clock = clock.Add(1500 * time.Millisecond)
	stop(7, "note")
	if got := w.measured["step"]; got != (measurement{7, 1.5, "note"}) {
		t.Errorf("%+v", got)
	}
}
