package links_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// TestMaterialize_Killed kills the process at random moments while new predictions replace old
// ones: the file opens, is sound, and has either all old or all new predictions; and the
// statement can be run again.
func TestMaterialize_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestJobs_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	path := t.TempDir() + "/file"
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := catalogue.Scorer{Name: "resource_allocation"}
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 1500, m := 5, seed := 1) INTO g")
	querytest.MustRun(t, db, "MATERIALIZE PREDICTIONS FROM resource_allocation IN g WITH (top := 10)")
	querytest.MustRun(t, db, "INSERT EDGE ('0', '1400'), ('3', '1300'), ('7', '1200') INTO g")
	answers := func(db *query.DB) string {
		t.Helper()
		text := ""
		for v := 0; v < 1500; v += 7 { // predictions are stored in batches of many vertices
			r, err := db.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: fmt.Sprint(v), K: 20, Graph: "g", With: with})
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintln(r.Stored.K, r.Stored.Behind, r.Links)
		}
		return text
	}
	old := answers(db)
	querytest.Close(t, db)

	const statement = "MATERIALIZE PREDICTIONS FROM resource_allocation IN g WITH (top := 20)"
	whole := querytest.CopyStore(t, path)
	began := time.Now()
	if !querytest.Child(t, whole, statement, 1<<30, querytest.Never) {
		t.Fatal("the statement does not end")
	}
	took := time.Since(began)
	db = querytest.OpenAt(t, whole)
	made := answers(db)
	querytest.Close(t, db)
	if old == made {
		t.Fatal("the answers are the same before and after")
	}

	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	moments, killed := repeat.Times(3), 0
	for range moments {
		at := querytest.CopyStore(t, path)
		wait := time.Duration(random.Int64N(int64(took)))
		finished := querytest.Child(t, at, statement, 1<<30, wait)
		db := querytest.OpenAt(t, at)
		querytest.MustBeSound(t, db)
		switch got := answers(db); {
		case got != made && (got != old || finished):
			t.Fatalf("killed after %v: the predictions are neither the old nor the new ones", wait)
		case got == old:
			killed++
		}
		querytest.MustRun(t, db, statement)
		if answers(db) != made {
			t.Errorf("killed after %v, and run again: different predictions", wait)
		}
		if stats, err := querytest.Engine(db).Store.Stats(ctx); err != nil || len(stats.Unfinished) > 0 {
			t.Errorf("killed after %v: unfinished %v, %v", wait, stats.Unfinished, err)
		}
		querytest.Close(t, db)
	}
	t.Logf("%d of %d kills came before the new predictions were stored", killed, moments)
}
