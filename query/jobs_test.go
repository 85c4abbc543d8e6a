package query

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
	"sync"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query/fault"
	"heavytail/query/internal/entries"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// eager makes the jobs of a database save at every opportunity.
func eager(db *DB) { db.e.Runner.Least, db.e.Runner.Every, db.e.Runner.Spacing = 0, time.Nanosecond, 0 }

// jobStatements run long enough to be stopped, by methods of all kinds.
var jobStatements = map[string]string{
	"spectral": "EMBED g USING dp_spectral(dim := 40, seed := 3) AS e",
	"ball":     "EMBED g USING unit_ball(dim := 8, start := 'deepwalk', passes := 10, seed := 3) AS e",
	"walks":    "EMBED g USING deepwalk(dim := 24, walks := 2, length := 12, seed := 3) AS e",
}

// jobImage is the file that jobStore copies, and the rows that each statement computes from
// its graph. Each is made at its first use.
var jobImage struct {
	mu    sync.Mutex
	bytes []byte
	want  map[string][]float32
}

// jobStore returns the path of a store with the graph "g".
func jobStore(t *testing.T) (path string) {
	t.Helper()
	jobImage.mu.Lock()
	defer jobImage.mu.Unlock()
	path = filepath.Join(t.TempDir(), "store")
	if jobImage.bytes == nil {
		db := openJobs(t, path)
		mustRun(t, db, "GENERATE preferential_attachment(n := 500, m := 3, seed := 1) INTO g")
		closeJobs(t, db)
		image, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		jobImage.bytes, jobImage.want = image, map[string][]float32{}
		return path
	}
	if err := os.WriteFile(path, jobImage.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rowsOfJob returns the rows that an uninterrupted run of one of jobStatements computes from
// the graph of jobStore.
func rowsOfJob(t *testing.T, name string) []float32 {
	t.Helper()
	path := jobStore(t)
	jobImage.mu.Lock()
	defer jobImage.mu.Unlock()
	if answer, ok := jobImage.want[name]; ok {
		return answer
	}
	db := openJobs(t, path)
	defer closeJobs(t, db)
	db.e.Runner.Least = time.Hour // the statement counts as short, however busy the machine is
	mustRun(t, db, jobStatements[name])
	if list, err := db.Jobs().List(context.Background()); err != nil || len(list) > 0 {
		t.Errorf("a short statement left jobs: %v, %v", list, err)
	}
	jobImage.want[name] = slices.Clone(rowsOfEmbedding(t, db))
	return jobImage.want[name]
}

func openJobs(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// closeJobs checks and closes a database.
func closeJobs(t *testing.T, db *DB) {
	t.Helper()
	mustBeSound(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func rowsOfEmbedding(t *testing.T, db *DB) []float32 {
	t.Helper()
	_, m, err := db.e.Store.Embedding(context.Background(), "e")
	if err != nil {
		t.Fatal(err)
	}
	return m.Data
}

// TestJobs_Cancelled cancels jobs of every kind that writes an embedding, at checkpoints and
// at random moments, resumes them until they end, and compares their bytes with those of an
// uninterrupted job. TestMain finds leaked goroutines.
func TestJobs_Cancelled(t *testing.T) {
	t.Parallel()
	path := jobStore(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	rounds := repeat.Times(6)
	for _, job := range killedJobs {
		t.Run(job.name, func(t *testing.T) {
			if testing.Short() && job.name != "refresh" {
				t.Skip("-short: a REFRESH is enough")
			}
			before := copyStore(t, path)
			db := openJobs(t, before)
			for _, text := range strings.Split(job.before, "; ") {
				if text != "" {
					mustRun(t, db, text)
				}
			}
			closeJobs(t, db)
			db = openJobs(t, copyStore(t, before))
			eager(db)
			defer func() { closeJobs(t, db) }()
			statement := strings.TrimSuffix(job.statement, " IN BACKGROUND")
			began := time.Now()
			mustRun(t, db, statement)
			took := time.Since(began)
			want := slices.Clone(rowsOfEmbedding(t, db))

			cancelled, id := 0, uint64(0)
			for round := range rounds {
				if job.before != "" { // a finished refresh leaves nothing to do
					closeJobs(t, db)
					db = openJobs(t, copyStore(t, before))
					eager(db)
				}
				ctx, cancel := context.WithCancel(context.Background())
				if round%2 == 0 {
					stop, points := random.IntN(6), 0
					if round == 0 {
						stop = 0 // every job has a first checkpoint, and work after it
					}
					db.e.Runner.AtCheckpoint = func(string) {
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
				db.e.Runner.AtCheckpoint = func(string) {}
				switch stopped := new(fault.JobError); {
				case err == nil:
					if id = 0; !slices.Equal(rowsOfEmbedding(t, db), want) {
						t.Fatalf("different bytes after %d cancellations", cancelled)
					}
				case !errors.Is(err, context.Canceled):
					t.Fatal(err)
				case errors.As(err, &stopped):
					cancelled++
					last, err := db.e.Store.Job(context.Background(), stopped.Job)
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
				mustRun(t, db, fmt.Sprintf("RESUME JOB %d", id))
			case job.before != "":
				mustRun(t, db, statement)
			}
			if cancelled == 0 && job.before == "" || !slices.Equal(rowsOfEmbedding(t, db), want) {
				t.Errorf("different bytes after %d cancellations", cancelled)
			}
		})
	}
}

// Every seed is allowed, and its text in the record of a job parses to the same number.
func TestJobs_LargeSeed(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	db := openJobs(t, path)
	defer closeJobs(t, db)
	mustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
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

// held makes the jobs of a database wait at their first checkpoint until release is called;
// reached is closed when a job waits there.
func held(db *DB) (reached chan struct{}, release func()) {
	reached, gate := make(chan struct{}), make(chan struct{})
	first := true
	db.e.Runner.AtCheckpoint = func(string) {
		if first {
			first = false
			close(reached)
			<-gate
		}
	}
	return reached, func() { close(gate) }
}

// A job in the background is listed, locks its embedding, and can be waited for.
func TestJobs_Background(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	db := openJobs(t, path)
	eager(db)
	defer closeJobs(t, db)
	reached, release := held(db)
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
	if !slices.Equal(rowsOfEmbedding(t, db), rowsOfJob(t, "walks")) {
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
	path := jobStore(t)
	for _, change := range []string{"", "UPDATE VERTICES IN g SET seen := TRUE WHERE degree > 3", "INSERT EDGE ('0', 'new') INTO g"} {
		db := openJobs(t, path)
		eager(db)
		reached, release := held(db)
		answer, err := db.Query(ctx, jobStatements["walks"]+" IN BACKGROUND", nil)
		if err != nil || !answer.Next() {
			t.Fatal(err)
		}
		id := uint64(answer.Row()[0].(int64))
		<-reached
		closed := make(chan error)
		go func() { closed <- db.Close() }()
		<-db.e.Runner.Stopped()
		release()
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		var notices []string
		db, err = Open(path, &Options{Notice: func(n rows.Notice) { notices = append(notices, n.Text) }})
		if err != nil {
			t.Fatal(err)
		}
		info, err := db.e.Store.Job(ctx, id)
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
		if edges := strings.HasPrefix(change, "INSERT"); over != edges || slices.Equal(rowsOfEmbedding(t, db), rowsOfJob(t, "walks")) == edges {
			t.Errorf("after %q: notices %q", change, notices)
		}
		closeJobs(t, db)
	}
}

// If a graph changes while a job runs, the embedding is of the version at the start of the
// job, and records that version.
func TestJobs_GraphChanges(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	for _, job := range killedJobs {
		if job.before != "" {
			continue // a refresh has no checkpoint at which it could wait
		}
		t.Run(job.name, func(t *testing.T) {
			db := openJobs(t, copyStore(t, path))
			eager(db)
			defer closeJobs(t, db)
			var want []float32
			if jobStatements[job.name] != "" {
				want = rowsOfJob(t, job.name)
			} else {
				mustRun(t, db, job.statement)
				want = slices.Clone(rowsOfEmbedding(t, db))
				mustRun(t, db, "DROP EMBEDDING e")
			}
			reached, release := held(db)
			answer, err := db.Query(ctx, job.statement+" IN BACKGROUND", nil)
			if err != nil || !answer.Next() {
				t.Fatal(err)
			}
			id := uint64(answer.Row()[0].(int64))
			<-reached
			mustRun(t, db, "INSERT EDGE ('0', 'new') INTO g")
			mustRun(t, db, "DELETE VERTEX '7' FROM g")
			release()
			if info, err := db.Jobs().Wait(ctx, id); err != nil || info.State != storage.JobDone {
				t.Fatalf("%+v, %v", info, err)
			}
			list, err := db.Vectors().List(ctx)
			if err != nil || len(list) != 1 || list[0].Behind != 2 || list[0].Changed < 2 || list[0].Unknown || !slices.Equal(rowsOfEmbedding(t, db), want) {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// A mistake in the statement of a job is at the number of the job in RESUME JOB. Statements that
// run have no number until they are jobs, and no number names them.
func TestResumeJob_Mistake(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	if err := db.e.Store.PutJob(t.Context(), storage.JobInfo{ID: 1, Statement: "EMBED gone USING fastrp AS e", State: storage.JobFailed}); err != nil {
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
	path := jobStore(t)
	db := openJobs(t, path)
	mustRun(t, db, "EMBED g USING laplacian_eigenmaps(dim := 4) AS f")
	mustRun(t, db, "CREATE INDEX ON f")
	mustRun(t, db, "EMBED g USING laplacian_eigenmaps(dim := 3) AS f2")
	mustRun(t, db, "CREATE INDEX ON f2")
	if err := db.e.Store.PutJob(ctx, storage.JobInfo{ID: 1, Statement: "EMBED damaged", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	for name, kernel := range map[string]string{"whole": "sound", "torn": "kernel damaged"} {
		info := storage.ModelInfo{Name: name, Graph: "g", GraphVersion: 1, Kernel: kernel}
		_, err := db.e.Store.PutModel(ctx, info, func(w io.Writer) error { _, err := io.WriteString(w, "model"); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	closeJobs(t, db)
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
	db = openJobs(t, path)
	eager(db)
	defer closeJobs(t, db)
	if err := db.e.Store.PutJob(ctx, storage.JobInfo{ID: 2, Statement: "EMBED sound", State: storage.JobFailed}); err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]string{"SHOW JOBS": "EMBED sound", "SHOW INDEXES": "", "SHOW MODELS": "whole"} {
		var notices []string
		db.e.Opts.Notice = func(n rows.Notice) { notices = append(notices, n.Text) }
		if listed := mustRun(t, db, statement); !strings.Contains(listed, want) || (listed == "") != (want == "") {
			t.Errorf("%s lists %q", statement, listed)
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "is not listed") {
			t.Errorf("%s: notices %q", statement, notices)
		}
	}
	db.e.Opts.Notice = nil
	if listed := mustRun(t, db, "SHOW STATS"); !strings.Contains(listed, "model whole") || !strings.Contains(listed, "graph g") {
		t.Errorf("SHOW STATS lists %q", listed)
	}
	mustRun(t, db, "DROP MODEL torn")
	mustRun(t, db, jobStatements["walks"])
	mustRun(t, db, "DROP JOB 1")
	mustRun(t, db, "INSERT EDGE ('0', 'new') INTO g")
	if r, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: "f"}); err != nil || len(r.Notices) == 0 || !strings.Contains(r.Notices[0].Text, "indexes of embedding f are removed") {
		t.Errorf("refresh with a damaged index: %+v, %v", r.Notices, err)
	}
	mustRun(t, db, "CREATE INDEX ON f")
	mustRun(t, db, "DROP INDEX ON f2")
	mustRun(t, db, "COMPACT") // frees the space of the dropped records
	mustBeSound(t, db)
}

// A second process cannot write while the first one runs a job.
func TestJobs_SecondProcess(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	db := openJobs(t, path)
	eager(db)
	reached, release := held(db)
	if _, err := db.Query(ctx, jobStatements["walks"]+" IN BACKGROUND", nil); err != nil {
		t.Fatal(err)
	}
	<-reached
	if _, err := Open(path, &Options{LockTimeout: -1}); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("a second Open: %v", err)
	}
	release()
	if _, err := db.Jobs().Wait(ctx, 1); err != nil {
		t.Error(err)
	}
	closeJobs(t, db)
}

// While a job works on an embedding, every other statement that writes the embedding or
// something derived from it is refused, and its error names the job.
func TestJobs_OneForEachEmbedding(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	db := openJobs(t, path)
	eager(db)
	defer closeJobs(t, db)
	if _, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e", nil); err != nil {
		t.Fatal(err)
	}
	reached, release := held(db)
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
	db := openJobs(t, path)
	mustRun(t, db, "GENERATE preferential_attachment(n := 200, m := 3, seed := 1) INTO g")
	eager(db)
	whole, err := db.Studies().Tune(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOfEmbedding(t, db)
	if _, err := db.Query(ctx, "DROP EMBEDDING e", nil); err != nil {
		t.Fatal(err)
	}
	points, reached, gate := 0, make(chan struct{}), make(chan struct{})
	db.e.Runner.AtCheckpoint = func(string) {
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
	<-db.e.Runner.Stopped()
	close(gate)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	db = openJobs(t, path)
	defer closeJobs(t, db)
	if info, err := db.e.Store.Job(ctx, started.ID); err != nil || info.State != storage.JobInterrupted || info.Checkpoint == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	var notices []string
	db.e.Opts.Notice = func(n rows.Notice) { notices = append(notices, n.Text) }
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
	if trials != len(whole.Trials) || over || !slices.Equal(rowsOfEmbedding(t, db), want) {
		t.Errorf("%d trials, notices %q", trials, notices)
	}
}

// Jobs of kinds without checkpoints are cancelled in the queue, and start over when they are
// resumed.
func TestJobs_StartOver(t *testing.T) {
	ctx := context.Background()
	path := jobStore(t)
	var notices []string
	db, err := Open(path, &Options{Notice: func(n rows.Notice) { notices = append(notices, n.Text) }})
	if err != nil {
		t.Fatal(err)
	}
	eager(db)
	defer closeJobs(t, db)
	if _, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e", nil); err != nil {
		t.Fatal(err)
	}
	db.e.Runner.Slots <- struct{}{} // no background job can start
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
	<-db.e.Runner.Slots
}
