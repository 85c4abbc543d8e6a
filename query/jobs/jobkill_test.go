package jobs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/storage"
)

// killedJobs are statements on the graph "g" of every kind that writes an embedding, with
// the statements that run before them.
var killedJobs = []struct{ name, before, statement string }{
	{"spectral", "", querytest.JobStatements["spectral"]},
	{"walks", "", querytest.JobStatements["walks"]},
	{"arcs", "", querytest.JobStatements["arcs"]},
	{"placement", "", "EMBED g USING unit_ball(dim := 8, passes := 6, rounds := 1, seed := 3) AS e"},
	{"tune", "", "TUNE g USING dp_spectral(dim := 6, normalization := 'degree') FOR LINKS AS e WITH (trials := 5, seed := 2)"},
	{
		"refresh",
		querytest.JobStatements["spectral"] + "; INSERT EDGE ('0', '400'), ('3', '350'), ('new', '5') INTO g; DELETE VERTEX '77' FROM g; CREATE INDEX ON e",
		"REFRESH e IN BACKGROUND",
	},
	{"refresh walks", querytest.JobStatements["walks"] + "; INSERT EDGE ('0', '400'), ('3', '350'), ('new', '5') INTO g", "REFRESH e"},
}

// TestJobs_Killed kills the process at checkpoints and at random moments, sometimes again
// during the resumed run. A resumed job, or a second run if the first one saved nothing, ends
// with the bytes of an uninterrupted job.
func TestJobs_Killed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := querytest.JobStore(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, job := range killedJobs {
		t.Run(job.name, func(t *testing.T) {
			if testing.Short() && job.name != "walks" {
				t.Skip("-short: an EMBED is enough")
			}
			before := querytest.CopyStore(t, path)
			db := querytest.OpenAt(t, before)
			for _, text := range querytest.StatementsOf(job.before) {
				querytest.MustRun(t, db, text)
			}
			querytest.Close(t, db)
			whole := querytest.CopyStore(t, before)
			began := time.Now()
			if !querytest.Child(t, whole, job.statement, 1<<30, querytest.Never) {
				t.Fatal("the job does not end")
			}
			took := time.Since(began)
			db = querytest.OpenAt(t, whole)
			want := querytest.RowsOfEmbedding(t, db)
			querytest.Close(t, db)

			resumed := 0
			kill := func(dies int, wait time.Duration) (finished bool) {
				at := querytest.CopyStore(t, before)
				text := job.statement
				for attempt := 0; ; attempt++ {
					if querytest.Child(t, at, text, dies, wait) {
						finished = attempt == 0
						break
					}
					db := querytest.OpenAt(t, at)
					last, from := lastStopped(t, db)
					if text = job.statement; last != 0 {
						text = fmt.Sprintf("RESUME JOB %d", last)
					}
					if from {
						resumed++
					}
					querytest.Close(t, db)
					if attempt > 0 || random.IntN(2) == 0 {
						dies, wait = 1<<30, querytest.Never // the next run ends
					}
				}
				db := querytest.OpenAt(t, at)
				defer querytest.Close(t, db)
				if !slices.Equal(querytest.RowsOfEmbedding(t, db), want) {
					t.Errorf("different bytes after a kill at checkpoint point %d or after %v", dies, wait)
				}
				if stats, err := querytest.Engine(db).Store.Stats(ctx); err != nil || len(stats.Jobs) > 0 {
					t.Errorf("checkpoints are left: %v, %v", stats.Jobs, err)
				}
				return finished
			}
			// Before the first checkpoint, and after it, and at some of the others or all.
			kill(0, querytest.Never)
			for dies := 1; !kill(dies, querytest.Never) && !testing.Short(); {
				dies += repeat.Step(random, 5)
			}
			moments := repeat.Times(3)
			if testing.Short() {
				moments = 0
			}
			for range moments {
				kill(1<<30, time.Duration(random.Int64N(int64(took))))
			}
			if resumed == 0 && !strings.HasPrefix(job.statement, "REFRESH") {
				t.Error("no job was resumed from a checkpoint")
			}
		})
	}
}

// A store that is moved, copied or backed up has its jobs, without the checkpoints that are files beside
// it: BACKUP says so, and so does RESUME, which starts over. With the file moved too, it continues.
func TestJobs_Moved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := querytest.CopyStore(t, querytest.JobStore(t))
	if querytest.Child(t, path, querytest.JobStatements["walks"], 3, querytest.Never) {
		t.Fatal("the job was not stopped")
	}
	var notices []string
	open := func(path string) (*query.DB, uint64, bool) {
		t.Helper()
		notices = nil
		db, err := query.Open(path, &query.Options{Notice: func(n rows.Notice) { notices = append(notices, n.Text) }})
		if err != nil {
			t.Fatal(err)
		}
		id, checkpoint := lastStopped(t, db)
		return db, id, checkpoint
	}
	says := func(parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, part) }) {
				t.Errorf("notices %q lack %q", notices, part)
			}
		}
	}
	dir := t.TempDir()
	backup, moved := filepath.Join(dir, "backup"), filepath.Join(dir, "moved")
	db, id, checkpoint := open(path)
	info, err := querytest.Engine(db).Store.Job(ctx, id)
	if err != nil || !checkpoint || filepath.Dir(info.CheckpointFile) != filepath.Dir(path) {
		t.Fatalf("%+v, %v", info, err)
	}
	file := filepath.Base(info.CheckpointFile)
	querytest.MustRun(t, db, "BACKUP INTO FILE '"+backup+"'")
	says(fmt.Sprintf("lacks the checkpoint of job %d", id), file)
	querytest.Close(t, db)
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{backup, moved} {
		db, id, checkpoint := open(at)
		if checkpoint {
			t.Errorf("%s has a checkpoint", at)
		}
		if at == backup {
			querytest.MustRun(t, db, fmt.Sprintf("RESUME JOB %d", id))
			says("starts over: its checkpoint is lost", strings.Replace(file, filepath.Base(path), "backup", 1))
			if !slices.Equal(querytest.RowsOfEmbedding(t, db), querytest.RowsOfJob(t, "walks")) {
				t.Error("other bytes of a backup")
			}
		}
		querytest.Close(t, db)
	}
	if err := os.Rename(info.CheckpointFile, filepath.Join(dir, strings.Replace(file, filepath.Base(path), "moved", 1))); err != nil {
		t.Fatal(err)
	}
	db, id, checkpoint = open(moved)
	querytest.MustRun(t, db, fmt.Sprintf("RESUME JOB %d", id))
	says("continues from its checkpoint")
	if !checkpoint || !slices.Equal(querytest.RowsOfEmbedding(t, db), querytest.RowsOfJob(t, "walks")) {
		t.Errorf("other bytes, or no checkpoint: %v", checkpoint)
	}
	querytest.Close(t, db)
	if files, _ := filepath.Glob(filepath.Join(dir, ".*.checkpoint")); len(files) > 0 {
		t.Errorf("left %q", files)
	}
}

// lastStopped returns the ID of the last interrupted job, 0 for none, and whether it has a
// checkpoint.
func lastStopped(t *testing.T, db *query.DB) (id uint64, checkpoint bool) {
	t.Helper()
	list, err := db.Jobs().List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range list {
		if j.State == storage.JobInterrupted {
			id, checkpoint = j.ID, j.Checkpoint > 0
		}
	}
	return id, checkpoint
}
