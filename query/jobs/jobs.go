package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/job"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// List lists the jobs by number: the running jobs with their progress, and the last
// jobs that ended. A job with a damaged record is left out, with a notice. A
// statement that ends within two seconds and does not run in the background is not
// listed.
func (s *Service) List(ctx context.Context) ([]storage.JobInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW JOBS", func(c *engine.Call) ([]storage.JobInfo, error) { return c.DB.Runner.List(c.Call) })
}

// Active lists the numbered jobs of this DB that are queued or running, by number:
// jobs in the background, including automatic refreshes, and long statements of other
// calls. Close interrupts them; to let them end, call WaitJob first.
func (s *Service) Active() []storage.JobInfo {
	if s.db.Runner == nil {
		return nil
	}
	return s.db.Runner.Active()
}

type jobRequest struct {
	job        uint64
	background bool // of RESUME
}

// ofVerb makes the test for nodes of one verb.
func ofVerb(verb parser.JobVerb) func(*parser.Job) bool {
	return func(s *parser.Job) bool { return s.Verb == verb }
}

func bindJob(b *engine.Binder, s *parser.Job) jobRequest {
	n := b.Size(partJob, s.Number)
	if n < 0 {
		b.Fail(fault.New(partJob, "there is no job %d", n).
			WithRemedy("numbers of jobs begin at 1; SHOW JOBS lists them").WithErr(storage.ErrNotFound))
	}
	return jobRequest{uint64(n), s.Background}
}

// namedJob is the job that a request names: its record, and the active job, which is
// nil if it has ended.
type namedJob struct {
	active *job.Active
	info   storage.JobInfo
}

func planJob[R any](what string) func(jobRequest, R) *plan.Plan {
	return func(req jobRequest, _ R) *plan.Plan {
		text := what
		if req.background {
			text += ", in the background"
		}
		return plan.Result(fmt.Sprintf("job %d", req.job), text)
	}
}

func oneJobRow(_ jobRequest, info storage.JobInfo) *rows.Rows { return engine.OneJob(info) }

var cancelJob = &engine.Statement[*parser.Job, jobRequest, namedJob, storage.JobInfo]{
	Help: help.Statement{
		Statement: "CANCEL JOB",
		Summary:   "stops a job and saves a checkpoint from which RESUME JOB continues",
		Words:     "stop abort interrupt kill pause",
		Columns:   "those of SHOW JOBS",
	},
	When: ofVerb(parser.CancelJob), Bind: bindJob, Resolve: findJob, Plan: planJob[namedJob]("cancel, at a checkpoint"),
	Run: runCancelJob, Rows: oneJobRow, Reads: true,
}

// Cancel ends a job that is queued or running, and returns its final record.
// If the job has run long enough, it saves a checkpoint. The computation stops
// within a tenth of a second; writing the checkpoint takes as long as the disk
// does. If the job runs in another call, that call returns context.Canceled.
func (s *Service) Cancel(ctx context.Context, id uint64) (storage.JobInfo, error) {
	return cancelJob.Answer(ctx, s.db, jobRequest{job: id})
}

func runCancelJob(c *engine.Call, req jobRequest, f namedJob) (storage.JobInfo, error) {
	if f.active == nil {
		return f.info, fault.New(partJob, "job %d is already %s", req.job, f.info.State).WithErr(storage.ErrConflict)
	}
	f.active.Cancel()
	return f.active.Wait(c.Call)
}

var waitJob = &engine.Statement[*parser.Job, jobRequest, namedJob, storage.JobInfo]{
	Help: help.Statement{
		Statement: "WAIT JOB",
		Summary:   "waits until a job ends, and shows its progress",
		Words:     "progress background",
		Columns:   "those of SHOW JOBS",
	},
	When: ofVerb(parser.WaitJob), Bind: bindJob, Resolve: findJob, Plan: planJob[namedJob]("wait for its end"),
	Run: func(c *engine.Call, _ jobRequest, f namedJob) (storage.JobInfo, error) {
		if f.active == nil {
			return f.info, nil
		}
		return f.active.Wait(c.Call)
	},
	Rows: oneJobRow, Reads: true,
}

// Wait waits until a job ends, and returns its final record; the error is nil
// even if the job failed or was cancelled. It reports the progress of the job as
// its own. If the context ends first, the error is a *fault.JobError, and the job
// continues.
func (s *Service) Wait(ctx context.Context, id uint64) (storage.JobInfo, error) {
	return waitJob.Answer(ctx, s.db, jobRequest{job: id})
}

var dropJob = &engine.Statement[*parser.Job, jobRequest, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP JOB",
		Summary:   "removes a job that has ended, and its checkpoint",
		Words:     "delete remove",
	},
	When: ofVerb(parser.DropJob), Bind: bindJob, Plan: planJob[engine.Nothing]("forget, with its checkpoint"),
	Resolve: func(c *engine.Call, req jobRequest) (engine.Nothing, error) {
		_, err := findJob(c, req)
		return engine.Nothing{}, engine.NotDamage(err) // a damaged record can still be dropped
	},
	Run: func(c *engine.Call, req jobRequest, _ engine.Nothing) (engine.Nothing, error) {
		if j := c.DB.Runner.Find(req.job); j != nil {
			return engine.Nothing{}, notEnded(req.job, j.Info())
		}
		return engine.Nothing{}, c.DB.Store.DropJob(c.Ctx, req.job)
	},
}

// Drop forgets a job that has ended, with its checkpoint.
func (s *Service) Drop(ctx context.Context, id uint64) error {
	return engine.ErrorOf(dropJob.Answer(ctx, s.db, jobRequest{job: id}))
}

// resumed is the answer of RESUME JOB: the rows of its statement or, in the
// background, the record of the job.
type resumed struct {
	rows *rows.Rows
	info storage.JobInfo
}

var resumeJob = &engine.Statement[*parser.Job, jobRequest, namedJob, resumed]{
	Help: help.Statement{
		Statement: "RESUME JOB",
		Summary:   "continues a job that was cancelled, was interrupted or failed, from its checkpoint",
		Detail:    "The result is the same as if it had never stopped",
		Words:     "continue restart checkpoint crash interrupted",
		Columns:   "those of its statement; in the background those of SHOW JOBS",
	},
	When: ofVerb(parser.ResumeJob), Bind: bindJob, Resolve: findJob, Plan: planJob[namedJob]("run from its checkpoint"),
	Run: runResumeJob,
	Rows: func(_ jobRequest, r resumed) *rows.Rows {
		if r.rows != nil {
			return r.rows
		}
		return engine.OneJob(r.info)
	},
}

// Resume continues a job that was cancelled, was interrupted or failed, from
// its checkpoint, and gives the same bytes as if it had never stopped. Without a
// checkpoint, or if edges of the graph or the kind of processor have changed
// since, it starts from the beginning, and a notice reports it. In the
// background it returns at once.
func (s *Service) Resume(ctx context.Context, id uint64, background bool) (storage.JobInfo, error) {
	r, err := resumeJob.Answer(ctx, s.db, jobRequest{id, background})
	if err != nil || background {
		return r.info, err
	}
	return s.Wait(ctx, id) // it has ended
}

func runResumeJob(c *engine.Call, req jobRequest, f namedJob) (r resumed, err error) {
	if f.active != nil {
		return r, notEnded(req.job, f.info)
	}
	if f.info.State == storage.JobDone {
		return r, fault.New(partJob, "job %d is already done", req.job).
			WithRemedy("run its statement again to recompute it").WithErr(storage.ErrConflict)
	}
	statement, err := parser.Parse(f.info.Statement)
	if err != nil {
		return r, err
	}
	c.Continues = f.info.Checkpoint > 0
	at := c.At
	op, err := c.Binder(nil).Prepare(statement)
	c.At = at // places in the statement of the job are none of this statement
	mistake := (*fault.Error)(nil)
	switch {
	case errors.As(err, &mistake):
		err = fault.New(partJob, "job %d: %v", req.job, err).WithErr(err)
	case err != nil:
	case req.background:
		r.info, err = c.InBackground(f.info)
	default:
		c.Job = c.DB.Runner.New(f.info, true)
		r.rows, err = op.Exec(c)
	}
	return r, err
}

const partJob fault.Part = "job"

// findJob returns the active job with that number, or the record of a job that has
// ended.
func findJob(c *engine.Call, req jobRequest) (namedJob, error) {
	if j := c.DB.Runner.Find(req.job); j != nil {
		return namedJob{j, j.Info()}, nil
	}
	info, err := c.DB.Store.Job(c.Ctx, req.job)
	if errors.Is(err, storage.ErrNotFound) {
		err = fault.New(partJob, "there is no job %d", req.job).WithRemedy("SHOW JOBS lists them").WithErr(err)
	}
	return namedJob{nil, info}, err
}

// notEnded returns an Error for a job that has not ended, for statements that need
// one that has.
func notEnded(id uint64, info storage.JobInfo) error {
	return fault.New(partJob, "job %d is %s", id, info.State).
		WithRemedy(fmt.Sprintf("CANCEL JOB %d ends it, WAIT JOB %d waits for it", id, id)).WithErr(storage.ErrConflict)
}

// Target names the object that a job writes, for errors.
func Target(j storage.JobInfo) string {
	switch j.Kind {
	case "TRAIN MODEL":
		name, _ := strings.CutPrefix(j.Target, "model ")
		return "model " + fault.Quote(name)
	case "COMPUTE":
		return j.Target
	case "MATERIALIZE PREDICTIONS":
		return "the table of " + j.Target
	}
	return "embedding " + fault.Quote(j.Target)
}
