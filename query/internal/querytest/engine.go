package querytest

import (
	"context"
	"slices"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// Looked waits until the refresher has seen all earlier writes.
func Looked(db *query.DB) {
	for range 2 { // the first may have begun before
		Engine(db).Refresher.Look()
		<-Engine(db).Refresher.Seen
	}
}

// RefreshJobs are the refreshes that were started. On a slow machine other jobs may take
// long enough to be recorded as well.
func RefreshJobs(t *testing.T, db *query.DB) []storage.JobInfo {
	t.Helper()
	list, err := db.Jobs().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(j storage.JobInfo) bool { return j.Kind != "REFRESH" })
}

// Refreshed waits for the refreshes that were started, and returns their number and the
// present generation.
func Refreshed(t *testing.T, db *query.DB) (jobs int, generation uint64) {
	t.Helper()
	Looked(db)
	list := RefreshJobs(t, db)
	for _, j := range list {
		info, err := db.Jobs().Wait(t.Context(), j.ID)
		if err != nil || info.State != storage.JobDone {
			t.Fatalf("%+v, %v", info, err)
		}
	}
	info, err := Engine(db).Store.EmbeddingInfo(t.Context(), "e")
	if err != nil {
		t.Fatal(err)
	}
	return len(list), info.Generation
}

// ForgetLoaded makes the next search the first one after the file was opened.
func ForgetLoaded(db *query.DB) {
	clear(Engine(db).Cache.Scans)
	Engine(db).Cache.Entries = map[session.CacheKey]*session.CacheEntry{}
}

// Loaded reports whether the cache has the vectors of an embedding.
func Loaded(db *query.DB) bool {
	Engine(db).Cache.Mu.Lock()
	defer Engine(db).Cache.Mu.Unlock()
	for key := range Engine(db).Cache.Entries {
		if key.Kind == "embedding" || key.Kind == "graph" {
			return true
		}
	}
	return false
}

// Eager makes the jobs of a database save at every opportunity.
func Eager(db *query.DB) {
	r := Engine(db).Runner
	r.Least, r.Every, r.Soon, r.Late, r.Spacing = 0, time.Nanosecond, 0, 0, 0
}

// RowsOfJob returns the rows that an uninterrupted run of one of jobStatements computes from
// the graph of jobStore.
func RowsOfJob(t *testing.T, name string) []float32 {
	t.Helper()
	path := JobStore(t)
	JobImage.mu.Lock()
	defer JobImage.mu.Unlock()
	if answer, ok := JobImage.want[name]; ok {
		return answer
	}
	db := OpenAt(t, path)
	defer Close(t, db)
	Engine(db).Runner.Least = time.Hour // the statement counts as short, however busy the machine is
	MustRun(t, db, JobStatements[name])
	if list, err := db.Jobs().List(context.Background()); err != nil || len(list) > 0 {
		t.Errorf("a short statement left jobs: %v, %v", list, err)
	}
	JobImage.want[name] = slices.Clone(RowsOfEmbedding(t, db))
	return JobImage.want[name]
}

// RowsOfEmbedding are the vectors of the embedding e.
func RowsOfEmbedding(t *testing.T, db *query.DB) []float32 {
	t.Helper()
	_, m, err := Engine(db).Store.Embedding(context.Background(), "e")
	if err != nil {
		t.Fatal(err)
	}
	return m.Data
}

// Held makes the jobs of a database wait at their first checkpoint until release is called;
// reached is closed when a job waits there.
func Held(db *query.DB) (reached chan struct{}, release func()) {
	reached, gate := make(chan struct{}), make(chan struct{})
	first := true
	Engine(db).Runner.AtCheckpoint = func(string) {
		if first {
			first = false
			close(reached)
			<-gate
		}
	}
	return reached, func() { close(gate) }
}
