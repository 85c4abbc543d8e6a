package job

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Spec describes a job.
type Spec struct {
	Kind         string // keywords of the statement
	Text         string // the statement, which is run again to resume the job
	Target       string // the object that no other job may write meanwhile; may be empty
	Graph        storage.GraphInfo
	Options      []storage.Setting // after defaults
	Memory       int64             // bytes in use at a time, beside the graph and what Beside counts
	Allocates    int64             // bytes of everything that the job allocates; 0 if that is far more than Memory
	Beside       int64             // bytes of vectors that are loaded for the job
	Result       int64             // about as many bytes as the job will store, if it saves checkpoints
	Purpose      string            // name of the work that takes the memory, for errors
	KeepsVectors bool              // the job adds to the target and leaves its vectors unchanged
}

// Bytes is the memory that the job reserves: what is in use at a time, and garbage.
func (s Spec) Bytes() int64 {
	bytes := session.WithGarbage(session.GraphBytes(s.Graph)+s.Beside, s.Memory)
	if s.Allocates > 0 {
		bytes = min(bytes, s.Allocates)
	}
	return bytes
}

// Info returns the record of a new job.
func (s Spec) Info() storage.JobInfo {
	return storage.JobInfo{
		Kind: s.Kind, Statement: s.Text, Target: s.Target, Graph: s.Graph.Name, GraphID: s.Graph.ID, GraphVersion: s.Graph.Version,
		Options: s.Options, Kernel: vec.Kind(), Memory: s.Bytes(),
	}
}

const (
	// least is the time after which a job in the foreground has a record, and leaves a
	// checkpoint when it stops: shorter work is computed again in less
	// time than it takes to look at the record.
	least = 2 * time.Second

	// every is the least time between two checkpoints, and from the beginning to the first one: a
	// process that is killed loses this much work. Shorter jobs write nothing but their result.
	every = 30 * time.Second

	// A checkpoint as large as the result is worth soon of work at first, and late at most. So a
	// job whose checkpoints have a times the bytes of its result saves the first after a minutes,
	// the others after 1 + 2a times as long as the one before, and soon each after 5a minutes. Until
	// bounded, the checkpoints and the result have five times the bytes of the result at most. Large
	// checkpoints protect less: with one in each half minute, a job of ten minutes with an a of 4 would
	// write 80 times its result. After that a job writes as many bytes as its result has in five
	// minutes, and a killed process loses 5a minutes.
	soon, late = time.Minute, 5 * time.Minute
	bounded    = 20 * time.Minute

	// smallest is the least result in bytes that counts: the record of a job, which is written
	// with each checkpoint, takes a tenth of it.
	smallest = 1 << 20

	// spacing is how many times as long as the last checkpoint took it is to the next one at least, so
	// that on slow disks they take at most a twentieth of the time of the job. One of five million
	// vertices has gigabytes.
	spacing = 20

	// tries is how often, while the time since the last checkpoint doubles, the size of one that was
	// too large is measured again, which takes as long as copying what was worth its bytes.
	tries = 16
)

// Runner keeps the active jobs of a database. The fields are set before the first
// job, by tests.
type Runner struct {
	Least, Every time.Duration
	Soon, Late   time.Duration // what a checkpoint as large as the result is worth
	Bounded      time.Duration // while all checkpoints are bounded by the result
	Spacing      time.Duration // times the duration of the last checkpoint
	Slots        chan struct{} // takes one element for each job in the background that runs
	// AtCheckpoint is called before and after the writing of each checkpoint; tests
	// stop there.
	AtCheckpoint func(point string)
	AtRecord     func() // is called when a running job has got its record, from another goroutine

	store   *storage.DB
	cache   *session.Cache
	write   func(storage.JobInfo) string // names what a job writes, in errors
	ended   func()                       // called whenever a job has ended
	context context.Context              // of the background
	stop    context.CancelCauseFunc      // of context
	running sync.WaitGroup               // the jobs that run in the background

	mu     sync.Mutex // guards the following fields
	active []*Active
	last   uint64 // highest number that was given
}

// NewRunner returns a runner that runs up to slots jobs in the background at a time.
// target names what a job writes, as in "embedding spec", for errors; ended is called
// whenever a job has ended.
func NewRunner(store *storage.DB, cache *session.Cache, slots int, target func(storage.JobInfo) string, ended func()) *Runner {
	r := &Runner{
		Least: least, Every: every, Soon: soon, Late: late, Bounded: bounded, Spacing: spacing, Slots: make(chan struct{}, slots),
		AtCheckpoint: func(string) {}, AtRecord: func() {},
		store: store, cache: cache, write: target, ended: ended,
	}
	r.context, r.stop = context.WithCancelCause(context.Background())
	return r
}

// Stop ends the jobs in the background at a checkpoint, as interrupted ones.
func (r *Runner) Stop() { r.stop(errClosing) }

// Stopped is closed by Stop.
func (r *Runner) Stopped() <-chan struct{} { return r.context.Done() }

// Wait waits until the jobs in the background have ended after Stop. No call may
// start a job after that.
func (r *Runner) Wait() { r.running.Wait() }

// New makes a job from a record. With keep, the record is kept even if the job
// ends soon, as for a job that already has a number or runs in the background.
func (r *Runner) New(info storage.JobInfo, keep bool) *Active {
	j := &Active{ended: make(chan struct{}), info: info, keep: keep}
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

// claim adds a job to the active jobs, unless one of them writes the same
// target or is the same job.
func (r *Runner) claim(j *Active) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.claimed {
		return nil
	}
	for _, other := range r.active {
		their := other.Info()
		same := j.info.ID != 0 && their.ID == j.info.ID
		if !same && (j.info.Target == "" || their.Target != j.info.Target) {
			continue
		}
		by := "by another " + their.Kind
		if their.ID != 0 {
			by = fmt.Sprintf("by job %d", their.ID)
		}
		return fault.New(fault.Embedding, "%s is being computed %s", r.write(j.info), by).
			WithRemedy("see SHOW JOBS for its progress").WithErr(storage.ErrConflict)
	}
	j.claimed = true
	r.active = append(r.active, j)
	return nil
}

func (r *Runner) release(j *Active) {
	r.mu.Lock()
	r.active = slices.DeleteFunc(r.active, func(other *Active) bool { return other == j })
	r.mu.Unlock()
	close(j.ended)
}

// Find returns the active job with a number.
func (r *Runner) Find(id uint64) *Active {
	return r.first(func(i storage.JobInfo) bool { return i.ID == id && id > 0 })
}

// Holder returns the active job that writes a target; nil if there is none.
func (r *Runner) Holder(target string) *Active {
	return r.first(func(i storage.JobInfo) bool { return i.Target == target })
}

// first returns the first active job that is wanted; nil where there is none.
func (r *Runner) first(wanted func(storage.JobInfo) bool) *Active {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.active, func(j *Active) bool { return wanted(j.Info()) }); i >= 0 {
		return r.active[i]
	}
	return nil
}

// Active returns the numbered jobs that are queued or running, by number.
func (r *Runner) Active() []storage.JobInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []storage.JobInfo
	for _, j := range r.active {
		if info := j.Info(); info.ID != 0 {
			list = append(list, info)
		}
	}
	sortJobs(list)
	return list
}

func sortJobs(list []storage.JobInfo) {
	slices.SortFunc(list, func(a, b storage.JobInfo) int { return cmp.Compare(a.ID, b.ID) })
}

// List returns the active jobs that have run for long enough and the records of the
// store, by number. A job with a damaged record is left out, with a notice.
func (r *Runner) List(c *session.Call) ([]storage.JobInfo, error) {
	list, err := r.live(c.Ctx)
	if err != nil {
		return nil, err
	}
	stored, err := r.store.Jobs(c.Ctx)
	if err := c.Rest(err, "a job", "DROP JOB forgets it"); err != nil {
		return nil, err
	}
	for _, j := range stored {
		if !slices.ContainsFunc(list, func(l storage.JobInfo) bool { return l.ID == j.ID }) {
			list = append(list, j)
		}
	}
	sortJobs(list)
	return list, nil
}

// live returns the active jobs that are to be listed, and numbers those that have
// run for long enough by now.
func (r *Runner) live(ctx context.Context) ([]storage.JobInfo, error) {
	r.mu.Lock()
	active := slices.Clone(r.active)
	r.mu.Unlock()
	var list []storage.JobInfo
	for _, j := range active {
		if !j.long(r.Least) {
			continue
		}
		if err := r.number(ctx, j); err != nil {
			return nil, err
		}
		list = append(list, j.Info())
	}
	return list, nil
}

// number gives a job without a number one that is higher than all earlier numbers.
func (r *Runner) number(ctx context.Context, j *Active) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j.Info().ID != 0 {
		return nil
	}
	last, err := r.store.LastJob(ctx)
	if err != nil {
		return err
	}
	r.last = max(r.last, last) + 1
	j.mu.Lock()
	j.info.ID = r.last
	j.mu.Unlock()
	return nil
}
