package query

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"heavytail/query/internal/job"
	"heavytail/storage"
)

// looked waits until the refresher has seen all earlier writes.
func looked(db *DB) {
	for range 2 { // the first may have begun before
		db.e.Refresher.Look()
		<-db.e.Refresher.Seen
	}
}

// refreshJobs are the refreshes that were started. On a slow machine other jobs may take
// long enough to be recorded as well.
func refreshJobs(t *testing.T, db *DB) []storage.JobInfo {
	t.Helper()
	list, err := db.Jobs().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(j storage.JobInfo) bool { return j.Kind != "REFRESH" })
}

// refreshed waits for the refreshes that were started, and returns their number and the
// present generation.
func refreshed(t *testing.T, db *DB) (jobs int, generation uint64) {
	t.Helper()
	looked(db)
	list := refreshJobs(t, db)
	for _, j := range list {
		info, err := db.Jobs().Wait(t.Context(), j.ID)
		if err != nil || info.State != storage.JobDone {
			t.Fatalf("%+v, %v", info, err)
		}
	}
	info, err := db.e.Store.EmbeddingInfo(t.Context(), "e")
	if err != nil {
		t.Fatal(err)
	}
	return len(list), info.Generation
}

// An embedding is refreshed after a number of changes, or at an interval. The setting stays
// with the embedding when it is refreshed, computed again or opened again.
func TestDB_AutoRefresh(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	var later atomic.Int64 // a time.Duration, which the refresher reads
	open := func() *DB {
		db, err := Open(path, &Options{prepare: func(_ *job.Runner, r *job.Refresher) {
			r.Seen = make(chan struct{})
			r.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		}})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	expect := func(what string, jobs int, generation uint64) {
		t.Helper()
		if j, g := refreshed(t, db); j != jobs || g != generation {
			t.Errorf("%s: %d jobs and generation %d, not %d and %d", what, j, g, jobs, generation)
		}
	}
	mustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 2) INTO g")
	mustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	mustRun(t, db, "INSERT EDGE ('1', 'a') INTO g")
	mustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 4 CHANGES")
	expect("two changes", 0, 1)
	mustRun(t, db, "UPDATE VERTICES IN g SET seen := TRUE WHERE degree > 3")
	expect("attributes", 0, 1)
	mustRun(t, db, "INSERT EDGE ('2', 'b') INTO g")
	expect("four changes", 1, 2)
	expect("nothing", 1, 2)
	mustRun(t, db, "EMBED g USING dp_spectral(dim := 5, normalization := 'degree') AS e")
	mustRun(t, db, "DELETE VERTEX 'a', 'b' FROM g")
	expect("deletions", 2, 4)
	mustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH EVERY '1h'")
	mustRun(t, db, "INSERT EDGE ('5', 'c') INTO g")
	expect("too early", 2, 4)
	later.Store(int64(2 * time.Hour))
	expect("after two hours", 3, 5)
	mustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 1 CHANGES")
	closeJobs(t, db)

	db = open()
	if info, err := db.e.Store.EmbeddingInfo(ctx, "e"); err != nil || info.Auto != (storage.AutoRefresh{Changes: 1}) {
		t.Errorf("%+v, %v", info.Auto, err)
	}
	mustRun(t, db, "INSERT EDGE ('6', 'd') INTO g")
	expect("opened again", 4, 6)
	mustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH OFF")
	mustRun(t, db, "INSERT EDGE ('7', 'e') INTO g")
	expect("off", 4, 6)
	for _, wrong := range []string{
		"ALTER EMBEDDING e AUTO REFRESH AFTER 0 CHANGES", "ALTER EMBEDDING e AUTO REFRESH EVERY 'often'",
		"ALTER EMBEDDING e@5 AUTO REFRESH OFF", "ALTER EMBEDDING nothing AUTO REFRESH OFF",
	} {
		if _, err := db.Query(ctx, wrong, nil); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
	closeJobs(t, db)
}

// Changes during a refresh lead to another refresh after it, and two refreshes never run at
// the same time.
func TestDB_AutoRefresh_OneAtATime(t *testing.T) {
	db := openJobs(t, filepath.Join(t.TempDir(), "store"))
	db.e.Refresher.Seen = make(chan struct{})
	mustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 2) INTO g")
	mustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	mustRun(t, db, "ALTER EMBEDDING e AUTO REFRESH AFTER 1 CHANGES")
	db.e.Runner.Slots <- struct{}{} // the job stays in the queue
	for _, key := range []string{"'a'", "'b'", "'c'"} {
		mustRun(t, db, "INSERT EDGE ('1', "+key+") INTO g")
		looked(db)
	}
	list := refreshJobs(t, db)
	if len(list) != 1 || list[0].State != storage.JobQueued {
		t.Errorf("%+v", list)
	}
	<-db.e.Runner.Slots
	if _, g := refreshed(t, db); g != 2 {
		t.Errorf("generation %d", g)
	}
	closeJobs(t, db)
}
