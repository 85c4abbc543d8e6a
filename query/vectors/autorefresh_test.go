package vectors_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// An embedding is refreshed after a number of changes, or at an interval. The setting stays
// with the embedding when it is refreshed, computed again or opened again.
func TestDB_AutoRefresh(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	var later atomic.Int64 // a time.Duration, which the refresher reads
	open := func() *query.DB {
		db, err := query.Open(path, querytest.Prepared(query.Options{}, func(e *engine.DB) {
			e.Refresher.Seen = make(chan struct{})
			e.Refresher.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		}))
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	expect := func(what string, jobs int, generation uint64) {
		t.Helper()
		if j, g := querytest.Refreshed(t, db); j != jobs || g != generation {
			t.Errorf("%s: %d jobs and generation %d, not %d and %d", what, j, g, jobs, generation)
		}
	}
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 2) INTO g")
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	querytest.MustRun(t, db, "INSERT EDGE ('1', 'a') INTO g")
	querytest.MustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 4 CHANGES")
	expect("two changes", 0, 1)
	querytest.MustRun(t, db, "UPDATE VERTICES IN g SET seen := TRUE WHERE degree > 3")
	expect("attributes", 0, 1)
	querytest.MustRun(t, db, "INSERT EDGE ('2', 'b') INTO g")
	expect("four changes", 1, 2)
	expect("nothing", 1, 2)
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 5, normalization := 'degree') AS e")
	querytest.MustRun(t, db, "DELETE VERTEX 'a', 'b' FROM g")
	expect("deletions", 2, 4)
	querytest.MustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH EVERY '1h'")
	querytest.MustRun(t, db, "INSERT EDGE ('5', 'c') INTO g")
	expect("too early", 2, 4)
	later.Store(int64(2 * time.Hour))
	expect("after two hours", 3, 5)
	querytest.MustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 1 CHANGES")
	querytest.Close(t, db)

	db = open()
	if info, err := querytest.Engine(db).Store.EmbeddingInfo(ctx, "e"); err != nil || info.Auto != (storage.AutoRefresh{Changes: 1}) {
		t.Errorf("%+v, %v", info.Auto, err)
	}
	querytest.MustRun(t, db, "INSERT EDGE ('6', 'd') INTO g")
	expect("opened again", 4, 6)
	querytest.MustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH OFF")
	querytest.MustRun(t, db, "INSERT EDGE ('7', 'e') INTO g")
	expect("off", 4, 6)
	for _, wrong := range []string{
		"ALTER EMBEDDING e AUTO REFRESH AFTER 0 CHANGES", "ALTER EMBEDDING e AUTO REFRESH EVERY 'often'",
		"ALTER EMBEDDING e@5 AUTO REFRESH OFF", "ALTER EMBEDDING nothing AUTO REFRESH OFF",
	} {
		if _, err := db.Query(ctx, wrong, nil); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
	querytest.Close(t, db)
}

// Changes during a refresh lead to another refresh after it, and two refreshes never run at
// the same time.
func TestDB_AutoRefresh_OneAtATime(t *testing.T) {
	db := querytest.OpenAt(t, filepath.Join(t.TempDir(), "store"))
	querytest.Engine(db).Refresher.Seen = make(chan struct{})
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 2) INTO g")
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	querytest.MustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 1 CHANGES")
	querytest.Engine(db).Runner.Slots <- struct{}{} // the job stays in the queue
	for _, key := range []string{"'a'", "'b'", "'c'"} {
		querytest.MustRun(t, db, "INSERT EDGE ('1', "+key+") INTO g")
		querytest.Looked(db)
	}
	list := querytest.RefreshJobs(t, db)
	if len(list) != 1 || list[0].State != storage.JobQueued {
		t.Errorf("%+v", list)
	}
	<-querytest.Engine(db).Runner.Slots
	if _, g := querytest.Refreshed(t, db); g != 2 {
		t.Errorf("generation %d", g)
	}
	querytest.Close(t, db)
}
