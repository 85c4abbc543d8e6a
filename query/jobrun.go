package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// A job is the run of a statement that takes long. The runner knows the active
// ones of this process; the store has their records and checkpoints, which
// outlive it. Only one process can write a file, so that what keeps two jobs from
// writing one embedding lies in the runner, and needs no clock: the jobs of a
// process that died are over.
//
// # How a statement runs as a job
//
// The call that does the work wraps it in asJob, with a jobSpec that says what
// shapes the result. That gives it a context that CANCEL JOB ends, checkpoints to
// save and to go on from, and progress that SHOW JOBS shows. Nothing else is
// needed for a new kind of job but these:
//
//   - The text of the spec is a statement that, bound again without parameters,
//     does the same. RESUME JOB and the background run it.
//   - Whatever shapes the bytes and is not in the text is in the spec: the version
//     of the graph, and the options after defaults.
//   - For IN BACKGROUND the operation, a jobOperation, returns queued instead of
//     working, unless it runs in a job already (call.job is set).
//
// A job within another one, as the last step of TUNE, is a part of that one.

// jobSpec says what a job does.
type jobSpec struct {
	kind    string // keywords of the statement
	text    string // the statement, by which it is run again
	target  string // the embedding that it writes, or "model " and a model, which no other may write meanwhile; may be empty
	graph   storage.GraphInfo
	options []storage.Setting // after defaults
	memory  int64             // bytes
	purpose string            // what takes the memory
	beside  bool              // it adds something to the target, and leaves its rows as they are
}

// info is the record of a new job.
func (s jobSpec) info() storage.JobInfo {
	return storage.JobInfo{
		Kind: s.kind, Statement: s.text, Target: s.target, Graph: s.graph.Name, GraphID: s.graph.ID, GraphVersion: s.graph.Version,
		Options: s.options, Kernel: vec.Kind(), Memory: s.memory,
	}
}

// Causes of the end of a job's context.
var (
	errCancelled = errors.New("the job was cancelled")
	errClosing   = errors.New("the database was closed")
)

const (
	// leastJob is how long a statement in the foreground must have computed to be
	// a job that leaves a record and a checkpoint when it stops: less is sooner
	// computed again than looked at.
	leastJob = 2 * time.Second

	// checkpointEvery is the time between two checkpoints. Writing one of a
	// hundred megabytes takes some tenths of a second.
	checkpointEvery = 30 * time.Second
)

// runner keeps the active jobs of a DB.
type runner struct {
	least, every time.Duration
	slots        chan struct{} // one for each job in the background that may run
	background   context.Context
	stop         context.CancelCauseFunc // of background

	// atCheckpoint is called before and after the writing of each checkpoint; tests
	// stop there.
	atCheckpoint func(point string)

	mu     sync.Mutex // guards what follows
	active []*activeJob
	last   uint64 // highest number that was given
}

func newRunner(slots int) *runner {
	r := &runner{least: leastJob, every: checkpointEvery, slots: make(chan struct{}, slots), atCheckpoint: func(string) {}}
	r.background, r.stop = context.WithCancelCause(context.Background())
	return r
}

// activeJob is a job that is queued or running.
type activeJob struct {
	context context.Context // of a job in the background
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when it has ended
	resumed storage.JobInfo
	keep    bool // a record is left however soon it ends
	running bool // asJob has begun; belongs to the goroutine of the job

	mu      sync.Mutex // guards what follows
	info    storage.JobInfo
	began   time.Time
	claimed bool // it is among the active ones
}

// newJob makes a job of a record, which is kept if its end is of interest however
// soon it comes: one that has a number already, or one in the background.
func (r *runner) newJob(info storage.JobInfo, keep bool) *activeJob {
	j := &activeJob{ended: make(chan struct{}), info: info, keep: keep}
	if info.ID != 0 {
		j.resumed = info
	}
	j.info.State, j.info.Process, j.info.Error = storage.JobQueued, os.Getpid(), ""
	j.info.Ended, j.info.Rate, j.info.Remaining = time.Time{}, 0, 0
	if j.info.Created.IsZero() {
		j.info.Created = time.Now()
	}
	j.began = time.Now()
	return j
}

// snapshot is the job as it is now.
func (j *activeJob) snapshot() storage.JobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	info := j.info
	if info.State == storage.JobRunning {
		info.Seconds += time.Since(j.began).Seconds()
	}
	return info
}

// progress notes how far the job is.
func (j *activeJob) progress(p Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Stage, j.info.Done, j.info.Total, j.info.Rate, j.info.Remaining = p.Stage, p.Done, p.Total, p.Rate, p.Remaining
}

// jobResult notes what came of the job that the call runs, in few words.
func (c *call) jobResult(format string, args ...any) {
	c.job.mu.Lock()
	defer c.job.mu.Unlock()
	c.job.info.Result = fmt.Sprintf(format, args...)
}

// untarget lets the record of a job say that it has written no embedding.
func (j *activeJob) untarget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Target = ""
}

// long reports whether the job has run so long that it is to leave something.
func (j *activeJob) long(least time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.keep || time.Since(j.began) >= least
}

// claim makes a job one of the active ones, unless one of these writes the same
// embedding, or is the same job.
func (r *runner) claim(j *activeJob) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.claimed {
		return nil
	}
	for _, other := range r.active {
		their := other.snapshot()
		same := j.info.ID != 0 && their.ID == j.info.ID
		if !same && (j.info.Target == "" || their.Target != j.info.Target) {
			continue
		}
		by := "by another " + their.Kind
		if their.ID != 0 {
			by = fmt.Sprintf("by job %d", their.ID)
		}
		what := "embedding " + quote(j.info.Target)
		if model, is := strings.CutPrefix(j.info.Target, modelTarget); is && j.info.Kind == kindTrain {
			what = modelTarget + quote(model)
		}
		if j.info.Kind == kindMaterialize {
			what = "the table of " + j.info.Target
		}
		m := mistake(partEmbedding, "%s is being computed %s", what, by)
		m.Hint, m.Err = "SHOW JOBS tells how far it is", storage.ErrConflict
		return m
	}
	j.claimed = true
	r.active = append(r.active, j)
	return nil
}

// release ends a job.
func (r *runner) release(j *activeJob) {
	r.mu.Lock()
	r.active = slices.DeleteFunc(r.active, func(other *activeJob) bool { return other == j })
	r.mu.Unlock()
	close(j.ended)
}

// find returns the active job with a number.
func (r *runner) find(id uint64) *activeJob {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.active {
		if j.snapshot().ID == id {
			return j
		}
	}
	return nil
}

// holder returns the active job that has an embedding to itself; nil where there is
// none.
func (r *runner) holder(embedding string) *activeJob {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.active {
		if j.snapshot().Target == embedding {
			return j
		}
	}
	return nil
}

// list returns the active jobs that are to be seen, and gives numbers to those
// that have run for long enough by now.
func (r *runner) list(ctx context.Context, store *storage.DB) ([]storage.JobInfo, error) {
	r.mu.Lock()
	active := slices.Clone(r.active)
	r.mu.Unlock()
	var list []storage.JobInfo
	for _, j := range active {
		if !j.long(r.least) {
			continue
		}
		if err := r.number(ctx, store, j); err != nil {
			return nil, err
		}
		list = append(list, j.snapshot())
	}
	return list, nil
}

// number gives a job its number, if it has none: one above all that were seen.
func (r *runner) number(ctx context.Context, store *storage.DB, j *activeJob) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.snapshot().ID != 0 {
		return nil
	}
	last, err := store.LastJob(ctx)
	if err != nil {
		return err
	}
	r.last = max(r.last, last) + 1
	j.mu.Lock()
	j.info.ID = r.last
	j.mu.Unlock()
	return nil
}

// asJob runs f as the job that spec describes.
func (c *call) asJob(spec jobSpec, f func(embeddings.Checkpoints) error) error {
	release, err := c.db.cache.reserve(spec.memory, spec.purpose)
	if err != nil {
		return err
	}
	defer release()
	if c.job != nil && c.job.running {
		return f(embeddings.Checkpoints{})
	}
	r, j := c.db.runner, c.job
	if j == nil {
		j = r.newJob(storage.JobInfo{}, false)
	}
	if err := c.startJob(j, spec); err != nil {
		return err
	}
	outer, job := c.ctx, c.job
	c.ctx, c.job = j.context, j
	c.meter.watch(j.progress)
	defer func() {
		c.meter.watch(nil)
		c.ctx, c.job = outer, job
	}()
	stop := j.watchMemory()
	err = c.withCheckpoints(j, spec, f)
	stop()
	if err == nil && spec.beside {
		j.untarget()
	}
	return c.endJob(j, err)
}

// watchMemory notes from time to time by how much the heap of the process is above
// its lowest since the job began, until stop is called. That counts what other calls
// take meanwhile, and garbage that was not collected yet.
func (j *activeJob) watchMemory() (stop func()) {
	lowest := heapBytes()
	see := func() {
		now := heapBytes()
		lowest = min(lowest, now)
		j.mu.Lock()
		defer j.mu.Unlock()
		j.info.Peak = max(j.info.Peak, now-lowest)
	}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				see()
			case <-ended:
				see()
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-done
	}
}

// heapBytes is what objects take on the heap of the process.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// startJob makes the job an active one that runs, and its context part of that of
// the call.
func (c *call) startJob(j *activeJob, spec jobSpec) error {
	info := spec.info()
	j.mu.Lock()
	info.ID, info.Process, info.Created = j.info.ID, j.info.Process, j.info.Created
	info.Seconds, info.Peak = j.info.Seconds, j.info.Peak
	info.Checkpoint, info.Checkpointed = j.info.Checkpoint, j.info.Checkpointed
	info.State, info.Started = storage.JobRunning, time.Now()
	j.info, j.began, j.running = info, time.Now(), true
	j.mu.Unlock()
	if j.context == nil {
		j.context, j.cancel = context.WithCancelCause(c.ctx)
	}
	err := c.db.runner.claim(j)
	if err != nil {
		j.cancel(nil)
	}
	return err
}

// withCheckpoints runs f with checkpoints, from that of the job if it can go on
// from it.
func (c *call) withCheckpoints(j *activeJob, spec jobSpec, f func(embeddings.Checkpoints) error) error {
	checkpoints := embeddings.Checkpoints{
		Every: c.db.runner.every,
		Save:  func(write func(io.Writer) error) error { return c.saveJob(j, write) },
	}
	var err error
	if checkpoints.From, err = c.checkpointOf(j, spec); err != nil {
		return err
	}
	err = f(checkpoints)
	if checkpoints.From != nil && errors.Is(err, embeddings.ErrCheckpoint) {
		c.notice("job %d starts over: %v", j.resumed.ID, plainly(err))
		checkpoints.From = nil
		err = f(checkpoints)
	}
	return err
}

// checkpointOf returns the checkpoint that a resumed job goes on from; nil, with a
// notice, where it must begin at the beginning.
func (c *call) checkpointOf(j *activeJob, spec jobSpec) (io.Reader, error) {
	old := j.resumed
	if old.ID == 0 {
		return nil, nil
	}
	why := ""
	switch {
	case old.Checkpoint == 0:
		why = "it has no checkpoint"
	case old.Kernel != vec.Kind():
		why = fmt.Sprintf("its checkpoint was made by a processor of another kind (%s)", old.Kernel)
	case !slices.Equal(old.Options, spec.options):
		why = "defaults of its options have changed"
	case old.GraphID != spec.graph.ID:
		why = fmt.Sprintf("graph %s was made anew", name(spec.graph.Name))
	case old.GraphVersion != spec.graph.Version:
		changes, err := c.db.store.Changes(c.ctx, spec.graph.Name, old.GraphVersion)
		if err != nil {
			return nil, err
		}
		if changes.All || changes.EdgesChanged || len(changes.Touched) > 0 || changes.Deleted > 0 {
			why = fmt.Sprintf("graph %s has changed since version %d", name(spec.graph.Name), old.GraphVersion)
		}
	}
	if why != "" {
		c.notice("job %d starts over: %s", old.ID, why)
		return nil, nil
	}
	return c.db.store.JobCheckpoint(c.ctx, old.ID)
}

// saveJob writes a checkpoint, unless the job is too young to be worth one. It does
// so even where the context has ended.
func (c *call) saveJob(j *activeJob, write func(io.Writer) error) error {
	if !j.long(c.db.runner.least) {
		return nil
	}
	ctx := context.WithoutCancel(c.ctx)
	if err := c.db.runner.number(ctx, c.db.store, j); err != nil {
		return err
	}
	c.db.runner.atCheckpoint("begin")
	size := &counter{}
	err := c.db.store.PutJobCheckpoint(ctx, j.snapshot(), func(w io.Writer) error {
		size.to = w
		return write(size)
	})
	if err == nil {
		j.mu.Lock()
		j.keep, j.info.Checkpoint, j.info.Checkpointed = true, size.bytes, time.Now()
		j.mu.Unlock()
		c.db.runner.atCheckpoint("end")
	}
	return err
}

// counter counts the bytes that it passes on.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

// endJob notes what became of a job, and writes its record if it has one. It
// returns the error of the job, as a JobError where the job can go on.
func (c *call) endJob(j *activeJob, err error) error {
	cause := context.Cause(j.context)
	j.mu.Lock()
	j.info.Seconds += time.Since(j.began).Seconds()
	j.info.Ended, j.info.Rate, j.info.Remaining = time.Now(), 0, 0
	switch {
	case err == nil:
		j.info.State, j.info.Checkpoint = storage.JobDone, 0
	case errors.Is(cause, errClosing):
		j.info.State = storage.JobInterrupted
	case cause != nil:
		j.info.State = storage.JobCancelled
	default:
		j.info.State, j.info.Error = storage.JobFailed, plainly(err).Error()
	}
	j.mu.Unlock()
	j.cancel(nil)
	if j.long(c.db.runner.least) {
		err = c.recordJob(j, err)
	}
	c.db.runner.release(j)
	c.db.refresher.look() // changes may have come meanwhile
	return err
}

// recordJob writes the record of a job that has ended, and returns its error.
func (c *call) recordJob(j *activeJob, err error) error {
	ctx := context.WithoutCancel(c.ctx)
	putErr := c.db.runner.number(ctx, c.db.store, j)
	info := j.snapshot()
	if putErr == nil {
		putErr = c.db.store.PutJob(ctx, info)
	}
	switch {
	case err == nil && putErr != nil:
		c.notice("the record of job %d could not be written: %v", info.ID, plainly(putErr))
	case err != nil && putErr == nil && info.Checkpoint > 0:
		err = &JobError{Job: info.ID, State: info.State, Err: err}
	}
	return err
}

// inBackground queues a job that runs the statement of a record by itself.
func (c *call) inBackground(info storage.JobInfo) (storage.JobInfo, error) {
	db := c.db
	j := db.runner.newJob(info, true)
	j.context, j.cancel = context.WithCancelCause(db.runner.background)
	err := db.runner.number(c.ctx, db.store, j)
	if err == nil {
		err = db.runner.claim(j)
	}
	if err != nil {
		j.cancel(nil)
		return info, err
	}
	info = j.snapshot()
	if err := db.store.PutJob(c.ctx, info); err != nil {
		j.cancel(nil)
		db.runner.release(j)
		return info, err
	}
	db.running.Add(1) // Close waits for this call, and so has not begun to wait
	go func() {
		defer db.running.Done()
		db.runInBackground(j, info.Statement)
	}()
	return info, nil
}

// workers is the number of goroutines that the call computes with. In the
// background it leaves a processor, if there are several, to those who wait for an
// answer: the scheduler gives a goroutine that has become ready no processor that
// computes without a pause, but has it wait for tens of milliseconds.
func (c *call) workers() int {
	if !c.quiet {
		return c.db.opts.Workers
	}
	return max(1, min(c.db.opts.Workers, runtime.GOMAXPROCS(0)-1))
}

// runInBackground waits for its turn and runs the statement of a job.
func (db *DB) runInBackground(j *activeJob, text string) {
	c := db.newCall(j.context, j.info.Kind)
	c.quiet, c.job = true, j
	err := c.takeTurn(text)
	if !j.running { // it ended before its work began
		_ = c.endJob(j, err) // the record has it
	}
}

func (c *call) takeTurn(text string) error {
	select {
	case c.db.runner.slots <- struct{}{}:
		defer func() { <-c.db.runner.slots }()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	defer c.release()
	statement, err := parser.Parse(text)
	if err != nil {
		return err
	}
	op, err := c.bind(statement, nil)
	if err != nil {
		return err
	}
	_, err = op.exec(c)
	return err
}
