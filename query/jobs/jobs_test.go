package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// TestJobs_Cancelled cancels jobs of every kind that writes an embedding, at checkpoints and
// at random moments, resumes them until they end, and compares their bytes with those of an
// uninterrupted job. TestMain finds leaked goroutines.
func TestJobs_Cancelled(t *testing.T) {
	t.Parallel()
	path := querytest.JobStore(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	rounds := repeat.Times(6)
	for _, job := range killedJobs {
		t.Run(job.name, func(t *testing.T) {
			if testing.Short() && job.name != "refresh" {
				t.Skip("-short: a REFRESH is enough")
			}
			before := querytest.CopyStore(t, path)
			db := querytest.OpenAt(t, before)
			for _, text := range strings.Split(job.before, "; ") {
				if text != "" {
					querytest.MustRun(t, db, text)
				}
			}
			querytest.Close(t, db)
			db = querytest.OpenAt(t, querytest.CopyStore(t, before))
			querytest.Eager(db)
			defer func() { querytest.Close(t, db) }()
			statement := strings.TrimSuffix(job.statement, " IN BACKGROUND")
			began := time.Now()
			querytest.MustRun(t, db, statement)
			took := time.Since(began)
			want := slices.Clone(querytest.RowsOfEmbedding(t, db))

			cancelled, id := 0, uint64(0)
			for round := range rounds {
				if job.before != "" { // a finished refresh leaves nothing to do
					querytest.Close(t, db)
					db = querytest.OpenAt(t, querytest.CopyStore(t, before))
					querytest.Eager(db)
				}
				ctx, cancel := context.WithCancel(context.Background())
				if round%2 == 0 {
					stop, points := random.IntN(6), 0
					if round == 0 {
						stop = 0 // every job has a first checkpoint, and work after it
					}
					querytest.Engine(db).Runner.AtCheckpoint = func(string) {
						if points++; points > stop {
							cancel()
						}
					}
				} else {
					time.AfterFunc(time.Duration(random.Int64N(int64(took))), cancel)
				}
				text := statement
				if id != 0 {
					text = fmt.Sprintf("RESUME JOB %d", id)
				}
				_, err := db.Query(ctx, text, nil)
				cancel()
				querytest.Engine(db).Runner.AtCheckpoint = func(string) {}
				switch stopped := new(fault.JobError); {
				case err == nil:
					if id = 0; !slices.Equal(querytest.RowsOfEmbedding(t, db), want) {
						t.Fatalf("different bytes after %d cancellations", cancelled)
					}
				case !errors.Is(err, context.Canceled):
					t.Fatal(err)
				case errors.As(err, &stopped):
					cancelled++
					last, err := querytest.Engine(db).Store.Job(context.Background(), stopped.Job)
					if err != nil || last.State != storage.JobCancelled || last.Checkpoint == 0 || !strings.Contains(stopped.Error(), fmt.Sprintf("RESUME JOB %d continues", last.ID)) {
						t.Fatalf("%+v, %v, %v", last, err, stopped)
					}
					id = last.ID
				default: // before its first checkpoint
					cancelled++
				}
			}
			switch {
			case id != 0:
				querytest.MustRun(t, db, fmt.Sprintf("RESUME JOB %d", id))
			case job.before != "":
				querytest.MustRun(t, db, statement)
			}
			if cancelled == 0 && job.before == "" || !slices.Equal(querytest.RowsOfEmbedding(t, db), want) {
				t.Errorf("different bytes after %d cancellations", cancelled)
			}
		})
	}
}

// Every seed is allowed, and its text in the record of a job parses to the same number.
func TestJobs_LargeSeed(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	defer querytest.Close(t, db)
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	const seed = 1<<63 + 12345
	started, err := db.Vectors().StartCreateIndex(ctx, vectors.CreateIndexRequest{Embedding: "e", Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := db.Jobs().Wait(ctx, started.ID); err != nil || info.State != storage.JobDone {
		t.Fatalf("%+v, %v", info, err)
	}
	list, err := db.Vectors().Indexes(ctx)
	if err != nil || len(list) != 1 || entries.ParametersOf(list[0]).Seed != seed {
		t.Errorf("%+v, %v", list, err)
	}
}

// A job in the background is listed, locks its embedding, and can be waited for.
func TestJobs_Background(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.Eager(db)
	defer querytest.Close(t, db)
	reached, release := querytest.Held(db)
	req := vectors.EmbedRequest{Graph: "g", Name: "e", Method: "deepwalk", Settings: map[string]any{"dim": 24, "walks": 2, "length": 12, "seed": 3}}
	started, err := db.Vectors().StartEmbed(ctx, req)
	if err != nil || started.State != storage.JobQueued || started.ID == 0 {
		t.Fatal(started, err)
	}
	<-reached
	if _, err := db.Vectors().Embed(ctx, req); !errors.Is(err, storage.ErrConflict) || !strings.Contains(err.Error(), fmt.Sprintf("by job %d", started.ID)) {
		t.Errorf("a second job for the same embedding: %v", err)
	}
	second, err := db.Vectors().StartEmbed(ctx, vectors.EmbedRequest{Graph: "g", Name: "f", Method: "laplacian_eigenmaps", Settings: map[string]any{"dim": 4}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := db.Jobs().List(ctx)
	if err != nil || len(list) != 2 || list[0].State != storage.JobRunning || list[1].State != storage.JobQueued {
		t.Errorf("%+v, %v", list, err)
	}
	for name, f := range map[string]func() error{
		"dropped": func() error { return db.Jobs().Drop(ctx, started.ID) },
		"resumed": func() error { _, err := db.Jobs().Resume(ctx, started.ID, true); return err },
	} {
		if err := f(); !errors.Is(err, storage.ErrConflict) {
			t.Errorf("%s while it runs: %v", name, err)
		}
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	if _, err := db.Jobs().Wait(short, started.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	cancel()
	if info, err := db.Jobs().Cancel(ctx, second.ID); err != nil || info.State != storage.JobCancelled {
		t.Errorf("cancelled in the queue: %+v, %v", info, err)
	}
	release()
	info, err := db.Jobs().Wait(ctx, started.ID)
	if err != nil || info.State != storage.JobDone || info.Checkpoint != 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	if !slices.Equal(querytest.RowsOfEmbedding(t, db), querytest.RowsOfJob(t, "walks")) {
		t.Error("other bytes")
	}
	if _, err := db.Jobs().Resume(ctx, started.ID, false); !errors.Is(err, storage.ErrConflict) {
		t.Errorf("resume of a finished job: %v", err)
	}
	if _, err := db.Jobs().Cancel(ctx, started.ID); !errors.Is(err, storage.ErrConflict) {
		t.Errorf("cancel of a finished job: %v", err)
	}
	if _, err := db.Jobs().Resume(ctx, second.ID, true); err != nil {
		t.Fatal(err)
	}
	if info, err := db.Jobs().Wait(ctx, second.ID); err != nil || info.State != storage.JobDone {
		t.Errorf("%+v, %v", info, err)
	}
	if err := db.Jobs().Drop(ctx, started.ID); err != nil {
		t.Error(err)
	}
	if _, err := db.Jobs().Wait(ctx, started.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a dropped job: %v", err)
	}
}

// Close stops a background job at a checkpoint, from which the next process resumes it; if
// the edges of the graph have changed, the job starts over.
func TestJobs_InterruptedByClose(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	for _, change := range []string{"", "UPDATE VERTICES IN g SET seen := TRUE WHERE degree > 3", "INSERT EDGE ('0', 'new') INTO g"} {
		db := querytest.OpenAt(t, path)
		querytest.Eager(db)
		reached, release := querytest.Held(db)
		answer, err := db.Query(ctx, querytest.JobStatements["walks"]+" IN BACKGROUND", nil)
		if err != nil || !answer.Next() {
			t.Fatal(err)
		}
		id := uint64(answer.Row()[0].(int64))
		<-reached
		closed := make(chan error)
		go func() { closed <- db.Close() }()
		<-querytest.Engine(db).Runner.Stopped()
		release()
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		var notices []string
		db, err = query.Open(path, &query.Options{Notice: func(n rows.Notice) { notices = append(notices, n.Text) }})
		if err != nil {
			t.Fatal(err)
		}
		info, err := querytest.Engine(db).Store.Job(ctx, id)
		if err != nil || info.State != storage.JobInterrupted || info.Checkpoint == 0 {
			t.Fatalf("%+v, %v", info, err)
		}
		if change != "" {
			if _, err := db.Query(ctx, change, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Jobs().Resume(ctx, id, false); err != nil {
			t.Fatal(err)
		}
		over := slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, "starts over") })
		if edges := strings.HasPrefix(change, "INSERT"); over != edges || slices.Equal(querytest.RowsOfEmbedding(t, db), querytest.RowsOfJob(t, "walks")) == edges {
			t.Errorf("after %q: notices %q", change, notices)
		}
		querytest.Close(t, db)
	}
}

// If a graph changes while a job runs, the embedding is of the version at the start of the
// job, and records that version.
func TestJobs_GraphChanges(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	for _, job := range killedJobs {
		if job.before != "" {
			continue // a refresh has no checkpoint at which it could wait
		}
		t.Run(job.name, func(t *testing.T) {
			db := querytest.OpenAt(t, querytest.CopyStore(t, path))
			querytest.Eager(db)
			defer querytest.Close(t, db)
			var want []float32
			if querytest.JobStatements[job.name] != "" {
				want = querytest.RowsOfJob(t, job.name)
			} else {
				querytest.MustRun(t, db, job.statement)
				want = slices.Clone(querytest.RowsOfEmbedding(t, db))
				querytest.MustRun(t, db, "DROP EMBEDDING e")
			}
			reached, release := querytest.Held(db)
			answer, err := db.Query(ctx, job.statement+" IN BACKGROUND", nil)
			if err != nil || !answer.Next() {
				t.Fatal(err)
			}
			id := uint64(answer.Row()[0].(int64))
			<-reached
			graph := strings.Fields(job.statement)[1]
			querytest.MustRun(t, db, "INSERT EDGE ('0', 'new') INTO "+graph)
			querytest.MustRun(t, db, "DELETE VERTEX '7' FROM "+graph)
			release()
			if info, err := db.Jobs().Wait(ctx, id); err != nil || info.State != storage.JobDone {
				t.Fatalf("%+v, %v", info, err)
			}
			list, err := db.Vectors().List(ctx)
			if err != nil || len(list) != 1 || list[0].Behind != 2 || list[0].Changed < 2 || list[0].Unknown || !slices.Equal(querytest.RowsOfEmbedding(t, db), want) {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// A mistake in the statement of a job is at the number of the job in RESUME JOB. Statements that
// run have no number until they are jobs, and no number names them.
func TestResumeJob_Mistake(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	if err := querytest.Engine(db).Store.PutJob(t.Context(), storage.JobInfo{ID: 1, Statement: "EMBED gone USING fastrp AS e", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"RESUME JOB 1":               `line 1, column 12: job 1: unknown graph "gone"`,
		"RESUME JOB 1 IN BACKGROUND": `line 1, column 12: job 1: unknown graph "gone"`,
		"CANCEL JOB 0":               "line 1, column 12: there is no job 0: SHOW JOBS lists them",
	} {
		if _, err := db.Query(t.Context(), text, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := db.Jobs().Resume(t.Context(), 1, false); err == nil || err.Error() != `job 1: unknown graph "gone"` {
		t.Errorf("ResumeJob: %v", err)
	}
}

// Damaged records of jobs, indexes and models affect nothing else, and can be dropped, as
// CHECK advises.
func TestDrop_DamagedRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages each kind of record")
	}
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.MustRun(t, db, "EMBED g USING laplacian_eigenmaps(dim := 4) AS f")
	querytest.MustRun(t, db, "CREATE INDEX ON f")
	querytest.MustRun(t, db, "EMBED g USING laplacian_eigenmaps(dim := 3) AS f2")
	querytest.MustRun(t, db, "CREATE INDEX ON f2")
	if err := querytest.Engine(db).Store.PutJob(ctx, storage.JobInfo{ID: 1, Statement: "EMBED damaged", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	for name, kernel := range map[string]string{"whole": "sound", "torn": "kernel damaged"} {
		info := storage.ModelInfo{Name: name, Graph: "g", GraphVersion: 1, Kernel: kernel}
		_, err := querytest.Engine(db).Store.PutModel(ctx, info, func(w io.Writer) error { _, err := io.WriteString(w, "model"); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	querytest.Close(t, db)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"EMBED damaged", "ef_construction", "kernel damaged"} {
		data = bytes.ReplaceAll(data, []byte(text), []byte(strings.ToUpper(text[:len(text)-1])+"!"))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db = querytest.OpenAt(t, path)
	querytest.Eager(db)
	defer querytest.Close(t, db)
	if err := querytest.Engine(db).Store.PutJob(ctx, storage.JobInfo{ID: 2, Statement: "EMBED sound", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]string{"SHOW JOBS": "EMBED sound", "SHOW INDEXES": "", "SHOW MODELS": "whole"} {
		var notices []string
		querytest.Engine(db).Opts.Notice = func(n rows.Notice) { notices = append(notices, n.Text) }
		if listed := querytest.MustRun(t, db, statement); !strings.Contains(listed, want) || (listed == "") != (want == "") {
			t.Errorf("%s lists %q", statement, listed)
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "is not listed") {
			t.Errorf("%s: notices %q", statement, notices)
		}
	}
	querytest.Engine(db).Opts.Notice = nil
	if listed := querytest.MustRun(t, db, "SHOW STATS"); !strings.Contains(listed, "model whole") || !strings.Contains(listed, "graph g") {
		t.Errorf("SHOW STATS lists %q", listed)
	}
	querytest.MustRun(t, db, "DROP MODEL torn")
	querytest.MustRun(t, db, querytest.JobStatements["walks"])
	querytest.MustRun(t, db, "DROP JOB 1")
	querytest.MustRun(t, db, "INSERT EDGE ('0', 'new') INTO g")
	if r, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: "f"}); err != nil || len(r.Notices) == 0 || !strings.Contains(r.Notices[0].Text, "indexes of embedding f are removed") {
		t.Errorf("refresh with a damaged index: %+v, %v", r.Notices, err)
	}
	querytest.MustRun(t, db, "CREATE INDEX ON f")
	querytest.MustRun(t, db, "DROP INDEX ON f2")
	querytest.MustRun(t, db, "COMPACT") // frees the space of the dropped records
	querytest.MustBeSound(t, db)
}

// A second process cannot write while the first one runs a job.
func TestJobs_SecondProcess(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.Eager(db)
	reached, release := querytest.Held(db)
	if _, err := db.Query(ctx, querytest.JobStatements["walks"]+" IN BACKGROUND", nil); err != nil {
		t.Fatal(err)
	}
	<-reached
	if _, err := query.Open(path, &query.Options{LockTimeout: -1}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a second Open: %v", err)
	}
	release()
	if _, err := db.Jobs().Wait(ctx, 1); err != nil {
		t.Error(err)
	}
	querytest.Close(t, db)
}

// While a job works on an embedding, every other statement that writes the embedding or
// something derived from it is refused, and its error names the job.
func TestJobs_OneForEachEmbedding(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.Eager(db)
	defer querytest.Close(t, db)
	if _, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e", nil); err != nil {
		t.Fatal(err)
	}
	reached, release := querytest.Held(db)
	answer, err := db.Query(ctx, "TUNE g USING dp_spectral(dim := 6, normalization := 'degree') FOR LINKS AS e WITH (trials := 9, seed := 2) IN BACKGROUND", nil)
	if err != nil || !answer.Next() {
		t.Fatal(err)
	}
	id := uint64(answer.Row()[0].(int64))
	<-reached
	for _, text := range []string{
		"EMBED g USING dp_spectral(dim := 4) AS e", "REFRESH e", "CREATE INDEX ON e", "TUNE g FOR LINKS AS e WITH (trials := 1)",
		"REFRESH e IN BACKGROUND", "CREATE INDEX ON e IN BACKGROUND", "TUNE g FOR LINKS AS e WITH (trials := 1) IN BACKGROUND",
	} {
		if _, err := db.Query(ctx, text, nil); !errors.Is(err, storage.ErrConflict) || !strings.Contains(err.Error(), fmt.Sprintf("by job %d", id)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Statements that only read the embedding are allowed.
	for _, text := range []string{"VERIFY e WITH (sample := 5)", "NEAREST 3 TO '0' USING e"} {
		if _, err := db.Query(ctx, text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	release()
	if info, err := db.Jobs().Wait(ctx, id); err != nil || info.State != storage.JobDone || info.Result == "" {
		t.Errorf("%+v, %v", info, err)
	}
	list, err := db.Jobs().List(ctx)
	if err != nil || len(list) != 3 || list[2].Kind != "VERIFY" || !strings.Contains(list[2].Result, "overlap at 10") {
		t.Errorf("%+v, %v", list, err)
	}
}

// A search that Close stops resumes after its finished trials, and stores the bytes of an
// uninterrupted search.
func TestJobs_TuneResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops and resumes a search again and again")
	}
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	req := studies.TuneRequest{
		Graph: "g", Name: "e", Goal: studies.ForReconstruction, Trials: 12, Seed: 2,
		Methods: []studies.TuneMethod{{Method: "dp_spectral", Settings: map[string]any{"dim": 6, "normalization": "degree"}}},
	}
	db := querytest.OpenAt(t, path)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 1) INTO g")
	querytest.Eager(db)
	whole, err := db.Studies().Tune(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	want := querytest.RowsOfEmbedding(t, db)
	if _, err := db.Query(ctx, "DROP EMBEDDING e", nil); err != nil {
		t.Fatal(err)
	}
	points, reached, gate := 0, make(chan struct{}), make(chan struct{})
	querytest.Engine(db).Runner.AtCheckpoint = func(string) {
		if points++; points == 10 { // earlier than the checkpoint that contains the fifth trial
			close(reached)
			<-gate
		}
	}
	started, err := db.Studies().StartTune(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	<-reached
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	<-querytest.Engine(db).Runner.Stopped()
	close(gate)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	db = querytest.OpenAt(t, path)
	defer querytest.Close(t, db)
	if info, err := querytest.Engine(db).Store.Job(ctx, started.ID); err != nil || info.State != storage.JobInterrupted || info.Checkpoint == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	var notices []string
	querytest.Engine(db).Opts.Notice = func(n rows.Notice) { notices = append(notices, n.Text) }
	answer, err := db.Query(ctx, fmt.Sprintf("RESUME JOB %d", started.ID), nil)
	if err != nil {
		t.Fatal(err)
	}
	trials := 0
	for ; answer.Next(); trials++ {
		row := answer.Row()
		if same := whole.Trials[trials]; row[0] != int64(same.Number) || row[5] != same.Score {
			t.Errorf("trial %v, expected %+v", row, same)
		}
	}
	over := slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, "starts over") })
	if trials != len(whole.Trials) || over || !slices.Equal(querytest.RowsOfEmbedding(t, db), want) {
		t.Errorf("%d trials, notices %q", trials, notices)
	}
}

// Jobs of kinds without checkpoints are cancelled in the queue, and start over when they are
// resumed.
func TestJobs_StartOver(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	var notices []string
	db, err := query.Open(path, &query.Options{Notice: func(n rows.Notice) { notices = append(notices, n.Text) }})
	if err != nil {
		t.Fatal(err)
	}
	querytest.Eager(db)
	defer querytest.Close(t, db)
	if _, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e", nil); err != nil {
		t.Fatal(err)
	}
	querytest.Engine(db).Runner.Slots <- struct{}{} // no background job can start
	for kind, start := range map[string]func() (storage.JobInfo, error){
		"REFRESH": func() (storage.JobInfo, error) {
			return db.Vectors().StartRefresh(ctx, vectors.RefreshRequest{Embedding: "e"})
		},
		"VERIFY": func() (storage.JobInfo, error) {
			return db.Vectors().StartVerify(ctx, vectors.VerifyRequest{Embedding: "e", Sample: 5})
		},
		"CREATE INDEX": func() (storage.JobInfo, error) {
			return db.Vectors().StartCreateIndex(ctx, vectors.CreateIndexRequest{Embedding: "e"})
		},
	} {
		started, err := start()
		if err != nil || started.Kind != kind {
			t.Fatal(started, err)
		}
		if info, err := db.Jobs().Cancel(ctx, started.ID); err != nil || info.State != storage.JobCancelled {
			t.Fatalf("%s: %+v, %v", kind, info, err)
		}
		notices = nil
		info, err := db.Jobs().Resume(ctx, started.ID, false)
		if err != nil || info.State != storage.JobDone || info.Result == "" {
			t.Errorf("%s: %+v, %v", kind, info, err)
		}
		if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, "starts over: it has no checkpoint") }) {
			t.Errorf("%s: notices %q", kind, notices)
		}
		if err := db.Jobs().Drop(ctx, started.ID); err != nil {
			t.Error(err)
		}
	}
	<-querytest.Engine(db).Runner.Slots
}
