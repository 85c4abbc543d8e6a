package query

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/storage"
)

// childEnv makes the test binary a child that computes an embedding: the path of
// the store, the statement, and the checkpoint point before which it dies.
const childEnv = "HEAVYTAIL_QUERY_CHILD"

// runChild does the work of a child process, if this is one.
func runChild() bool {
	args := strings.Split(os.Getenv(childEnv), "\n")
	if len(args) != 3 {
		return false
	}
	fail := func(err error) {
		if err != nil {
			fmt.Println("child:", err)
			os.Exit(3)
		}
	}
	// Small batches, so that a kill can come between them. Another process may hold the file
	// for long if the machine is busy.
	db, err := Open(args[0], &Options{BatchBytes: 128 << 10, LockTimeout: time.Hour})
	fail(err)
	eager(db)
	var dies int
	_, err = fmt.Sscan(args[2], &dies)
	fail(err)
	points := 0
	die := func() {
		self, err := os.FindProcess(os.Getpid())
		fail(err)
		fail(self.Kill())
		select {}
	}
	db.e.Runner.AtCheckpoint = func(string) {
		if points == dies {
			die()
		}
		points++
	}
	if dies == atRecord {
		db.e.Runner.First, db.e.Runner.Every = time.Hour, time.Hour
		db.e.Runner.AtRecord = die
	}
	ctx := context.Background()
	_, err = db.Query(ctx, args[1], nil)
	fail(err)
	list, err := db.Jobs().List(ctx)
	fail(err)
	for _, j := range list { // jobs in the background
		_, err = db.Jobs().Wait(ctx, j.ID)
		fail(err)
	}
	fail(db.Close())
	fmt.Println("done")
	return true
}

// never is a time limit that no child reaches: however long it runs, it ends or dies at its
// checkpoint point first.
const never = time.Duration(math.MaxInt64)

// atRecord is a checkpoint point before all others: when the running job has its record.
const atRecord = -2

// child runs a statement in a child process, which dies at a checkpoint point or is killed
// after a time, and reports whether the statement finished.
func child(t *testing.T, path, statement string, dies int, wait time.Duration) (finished bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{path, statement, fmt.Sprint(dies)}, "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == 3 {
		t.Fatal(last)
	}
	return err == nil
}

// killedJobs are statements on the graph "g" of every kind that writes an embedding, with
// the statements that run before them.
var killedJobs = []struct{ name, before, statement string }{
	{"spectral", "", jobStatements["spectral"]},
	{"walks", "", jobStatements["walks"]},
	{"tune", "", "TUNE g USING dp_spectral(dim := 6, normalization := 'degree') FOR LINKS AS e WITH (trials := 5, seed := 2)"},
	{
		"refresh",
		jobStatements["spectral"] + "; INSERT EDGE ('0', '400'), ('3', '350'), ('new', '5') INTO g; DELETE VERTEX '77' FROM g; CREATE INDEX ON e",
		"REFRESH e IN BACKGROUND",
	},
	{"refresh walks", jobStatements["walks"] + "; INSERT EDGE ('0', '400'), ('3', '350'), ('new', '5') INTO g", "REFRESH e"},
}

// statementsOf splits statements at semicolons.
func statementsOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}

// TestJobs_Killed kills the process at checkpoints and at random moments, sometimes again
// during the resumed run. A resumed job, or a second run if the first one saved nothing, ends
// with the bytes of an uninterrupted job.
func TestJobs_Killed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := jobStore(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, job := range killedJobs {
		t.Run(job.name, func(t *testing.T) {
			if testing.Short() && job.name != "walks" {
				t.Skip("-short: an EMBED is enough")
			}
			before := copyStore(t, path)
			db := openJobs(t, before)
			for _, text := range statementsOf(job.before) {
				mustRun(t, db, text)
			}
			closeJobs(t, db)
			whole := copyStore(t, before)
			began := time.Now()
			if !child(t, whole, job.statement, 1<<30, never) {
				t.Fatal("the job does not end")
			}
			took := time.Since(began)
			db = openJobs(t, whole)
			want := rowsOfEmbedding(t, db)
			closeJobs(t, db)

			resumed := 0
			kill := func(dies int, wait time.Duration) (finished bool) {
				at := copyStore(t, before)
				text := job.statement
				for attempt := 0; ; attempt++ {
					if child(t, at, text, dies, wait) {
						finished = attempt == 0
						break
					}
					db := openJobs(t, at)
					last, from := lastStopped(t, db)
					if text = job.statement; last != 0 {
						text = fmt.Sprintf("RESUME JOB %d", last)
					}
					if from {
						resumed++
					}
					closeJobs(t, db)
					if attempt > 0 || random.IntN(2) == 0 {
						dies, wait = 1<<30, never // the next run ends
					}
				}
				db := openJobs(t, at)
				defer closeJobs(t, db)
				if !slices.Equal(rowsOfEmbedding(t, db), want) {
					t.Errorf("different bytes after a kill at checkpoint point %d or after %v", dies, wait)
				}
				if stats, err := db.e.Store.Stats(ctx); err != nil || len(stats.Jobs) > 0 {
					t.Errorf("checkpoints are left: %v, %v", stats.Jobs, err)
				}
				return finished
			}
			// Before the first checkpoint, and after it, and at some of the others or all.
			kill(0, never)
			for dies := 1; !kill(dies, never) && !testing.Short(); {
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

// copyStore copies the file of a closed store.
func copyStore(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// lastStopped returns the ID of the last interrupted job, 0 for none, and whether it has a
// checkpoint.
func lastStopped(t *testing.T, db *DB) (id uint64, checkpoint bool) {
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
