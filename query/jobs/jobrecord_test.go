package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// recordedJobs are statements on the graph "g" with the embedding "e", one of every kind of job,
// and a statement whose rows depend on their result.
var recordedJobs = []struct{ before, statement, result string }{
	{"", querytest.JobStatements["ball"], "NEAREST 5 TO '7' USING e"},
	{"", querytest.JobStatements["walks"], "NEAREST 5 TO '7' USING e"},
	{"", "EMBED g USING prone(dim := 8) AS e", "NEAREST 5 TO '7' USING e"},
	{"", "EMBED g USING netmf(dim := 8) AS e", "NEAREST 5 TO '7' USING e"},
	{"", "TUNE g USING dp_spectral(dim := 6) FOR LINKS AS e WITH (trials := 2)", "NEAREST 5 TO '7' USING e"},
	{"INSERT EDGE ('0', '400') INTO g", "REFRESH e", "NEAREST 5 TO '7' USING e"},
	{"", "VERIFY e", "SHOW EMBEDDINGS"},
	{"", "CREATE INDEX ON e", "NEAREST 5 TO '7' USING e"},
	{"", "COMPUTE harmonic IN g AS x", "SHOW VERTICES IN g LIMIT 20"},
	{"", "COMPUTE pagerank IN g AS x", "SHOW VERTICES IN g LIMIT 20"},
	{"COMPUTE pagerank IN g AS x; INSERT EDGE ('0', '400') INTO g", "REFRESH MEASURE x IN g", "SHOW VERTICES IN g LIMIT 20"},
	{"", "TRAIN MODEL m IN g", "PREDICT 5 LINKS FOR '7' WITH model(m)"},
	{"", "MATERIALIZE PREDICTIONS FROM adamic_adar IN g", "PREDICT 5 LINKS FOR '7' IN g WITH adamic_adar"},
}

// TestJobs_Recorded kills the process as soon as a running job has its record, before any
// checkpoint: the job is listed as interrupted, and RESUME JOB gives the result of a run that
// nobody interrupted.
func TestJobs_Recorded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.Engine(db).Runner.Least = time.Hour // on a busy machine this job would get a record, too
	querytest.MustRun(t, db, querytest.JobStatements["spectral"])
	querytest.Close(t, db)
	for i, k := range recordedJobs {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(k.statement, func(t *testing.T) {
			t.Parallel()
			before := querytest.CopyStore(t, path)
			db := querytest.OpenAt(t, before)
			querytest.Engine(db).Runner.Least = time.Hour
			for _, text := range querytest.StatementsOf(k.before) {
				querytest.MustRun(t, db, text)
			}
			querytest.Close(t, db)
			whole := querytest.OpenAt(t, querytest.CopyStore(t, before))
			defer querytest.Close(t, whole)
			querytest.MustRun(t, whole, k.statement)

			id := uint64(0)
			for id == 0 { // the job may end before the record, or between the record and the kill
				at := querytest.CopyStore(t, before)
				if querytest.Child(t, at, k.statement, querytest.AtRecord, querytest.Never) {
					continue
				}
				db = querytest.OpenAt(t, at)
				defer querytest.Close(t, db)
				list, err := db.Jobs().List(ctx)
				if err != nil || len(list) != 1 || list[0].State != storage.JobInterrupted || list[0].Statement == "" || list[0].Checkpoint != 0 {
					t.Fatalf("after the kill: %+v, %v", list, err)
				}
				switch _, err := db.Query(ctx, fmt.Sprintf("RESUME JOB %d", list[0].ID), nil); {
				case err == nil:
					id = list[0].ID
				case !errors.Is(err, storage.ErrExists):
					t.Fatal(err)
				}
			}
			if got, want := querytest.MustRun(t, db, k.result), querytest.MustRun(t, whole, k.result); got != want {
				t.Errorf("%s gives\n%sand after an uninterrupted run\n%s", k.result, got, want)
			}
			if info, err := querytest.Engine(db).Store.Job(ctx, id); err != nil || info.State != storage.JobDone {
				t.Errorf("at the end: %+v, %v", info, err)
			}
		})
	}
}
