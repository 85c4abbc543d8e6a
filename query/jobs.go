package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heavytail/query/parser"
	"heavytail/storage"
)

// Jobs lists the jobs by number: those that run, with how far they are, and the
// last ones that ended. One whose record is damaged is left out, with a notice. A statement that is over within two seconds and does not
// run in the background is no job that is listed.
func (db *DB) Jobs(ctx context.Context) ([]storage.JobInfo, error) {
	c, err := db.begin(ctx, "SHOW JOBS")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.jobs()
	return list, c.wrap(err)
}

func (c *call) jobs() ([]storage.JobInfo, error) {
	live, err := c.db.runner.list(c.ctx, c.db.store)
	if err != nil {
		return nil, err
	}
	stored, err := c.db.store.Jobs(c.ctx)
	if errors.Is(err, storage.ErrCorrupt) && c.ctx.Err() == nil {
		c.notice("a job is not listed, and DROP JOB forgets it: %v", plainly(err))
		err = nil
	}
	if err != nil {
		return nil, err
	}
	for _, j := range stored {
		if !slices.ContainsFunc(live, func(l storage.JobInfo) bool { return l.ID == j.ID }) {
			live = append(live, j)
		}
	}
	slices.SortFunc(live, func(a, b storage.JobInfo) int { return cmp.Compare(a.ID, b.ID) })
	return live, nil
}

// CancelJob ends a job that is queued or running, at a checkpoint where it has
// computed for long enough to have one, and returns what became of it. The
// computation stops within a tenth of a second; writing the checkpoint takes as
// long as the disk does. Of a job that runs in another call, that call returns
// context.Canceled.
func (db *DB) CancelJob(ctx context.Context, id uint64) (storage.JobInfo, error) {
	return db.jobCall(ctx, "CANCEL JOB", id, (*call).cancelJob)
}

// WaitJob waits for a job to end, and returns what became of it; one that failed
// or was cancelled is no error. It tells the job's progress as if it were its own.
// Where the context ends first the error is a *JobError, and the job goes on.
func (db *DB) WaitJob(ctx context.Context, id uint64) (storage.JobInfo, error) {
	return db.jobCall(ctx, "WAIT JOB", id, (*call).waitJob)
}

// DropJob forgets a job that has ended, with its checkpoint.
func (db *DB) DropJob(ctx context.Context, id uint64) error {
	_, err := db.jobCall(ctx, "DROP JOB", id, func(c *call, id uint64) (storage.JobInfo, error) {
		return storage.JobInfo{}, c.dropJob(id)
	})
	return err
}

// ResumeJob runs a job that was cancelled, interrupted or failed again from its
// checkpoint, and ends with the same bytes as if it had never stopped. Without a
// checkpoint, or if edges of the graph or the kind of processor have changed
// since, it begins at the beginning, and a notice says so. In the background it
// returns at once.
func (db *DB) ResumeJob(ctx context.Context, id uint64, background bool) (storage.JobInfo, error) {
	return db.jobCall(ctx, "RESUME JOB", id, func(c *call, id uint64) (storage.JobInfo, error) {
		if background {
			return c.resumeInBackground(id)
		}
		if _, err := c.resumeJob(id); err != nil {
			return storage.JobInfo{}, err
		}
		return c.db.store.Job(c.ctx, id)
	})
}

func (db *DB) jobCall(ctx context.Context, statement string, id uint64, f func(c *call, id uint64) (storage.JobInfo, error)) (storage.JobInfo, error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return storage.JobInfo{}, err
	}
	defer c.end()
	info, err := f(c, id)
	return info, c.wrap(err)
}

// partJob is the number of a job.
const partJob part = "job"

// findJob returns a job: the one that is active, or its record alone.
func (c *call) findJob(id uint64) (*activeJob, storage.JobInfo, error) {
	if j := c.db.runner.find(id); j != nil {
		return j, j.snapshot(), nil
	}
	info, err := c.db.store.Job(c.ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		m := mistake(partJob, "there is no job %d", id)
		m.Hint, m.Err = "SHOW JOBS lists them", err
		return nil, info, m
	}
	return nil, info, err
}

// endedJob returns the record of a job that is not active.
func (c *call) endedJob(id uint64) (storage.JobInfo, error) {
	j, info, err := c.findJob(id)
	if err == nil && j != nil {
		m := mistake(partJob, "job %d is %s", id, info.State)
		m.Hint, m.Err = fmt.Sprintf("CANCEL JOB %d ends it, WAIT JOB %d waits for it", id, id), storage.ErrConflict
		return info, m
	}
	return info, err
}

func (c *call) cancelJob(id uint64) (storage.JobInfo, error) {
	j, info, err := c.findJob(id)
	if err != nil {
		return info, err
	}
	if j == nil {
		m := mistake(partJob, "job %d is %s already", id, info.State)
		m.Err = storage.ErrConflict
		return info, m
	}
	j.cancel(errCancelled)
	return c.waitJob(id)
}

// waitJob waits for a job, and tells its progress.
func (c *call) waitJob(id uint64) (storage.JobInfo, error) {
	j, info, err := c.findJob(id)
	if err != nil || j == nil {
		return info, err
	}
	return c.waitFor(j)
}

// waitFor waits for an active job.
func (c *call) waitFor(j *activeJob) (storage.JobInfo, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-j.ended:
			return j.snapshot(), nil
		case <-c.ctx.Done():
			info := j.snapshot()
			if info.ID == 0 {
				return info, c.ctx.Err()
			}
			return info, &JobError{Job: info.ID, State: info.State, Err: c.ctx.Err()}
		case <-tick.C:
			if now := j.snapshot(); now.Stage != "" {
				c.meter.update(now.Stage, now.Done, now.Total)
			}
		}
	}
}

func (c *call) dropJob(id uint64) error {
	if err := c.writable(); err != nil {
		return err
	}
	// One whose record is damaged can still be dropped.
	if _, err := c.endedJob(id); err != nil && !errors.Is(err, storage.ErrCorrupt) {
		return err
	}
	return c.db.store.DropJob(c.ctx, id)
}

// resumable returns the record of a job that can go on, and its statement.
func (c *call) resumable(id uint64) (storage.JobInfo, parser.Statement, error) {
	if err := c.writable(); err != nil {
		return storage.JobInfo{}, nil, err
	}
	info, err := c.endedJob(id)
	if err != nil {
		return info, nil, err
	}
	if info.State == storage.JobDone {
		m := mistake(partJob, "job %d is done", id)
		m.Hint, m.Err = "run its statement again to compute it anew", storage.ErrConflict
		return info, nil, m
	}
	statement, err := parser.Parse(info.Statement)
	return info, statement, err
}

// resumeJob runs a job again, and returns the result of its statement.
func (c *call) resumeJob(id uint64) (*Rows, error) {
	info, statement, err := c.resumable(id)
	if err != nil {
		return nil, err
	}
	op, err := c.bind(statement, nil)
	if err != nil {
		return nil, err
	}
	c.job = c.db.runner.newJob(info, true)
	return op.exec(c)
}

func (c *call) resumeInBackground(id uint64) (storage.JobInfo, error) {
	info, statement, err := c.resumable(id)
	if err != nil {
		return info, err
	}
	if _, err := c.bind(statement, nil); err != nil {
		return info, err
	}
	return c.inBackground(info)
}

// jobRows is the table of SHOW JOBS, and of the statements about one job.
func jobRows(list []storage.JobInfo) *Rows {
	table := make([][]Value, len(list))
	for i, j := range list {
		var share, left, memory, peak, failure, result Value
		if j.State.Active() && j.Total > 0 {
			share = float64(j.Done) / float64(j.Total)
		}
		if j.State == storage.JobRunning && j.Remaining > 0 {
			left = j.Remaining.Seconds()
		}
		if j.Memory > 0 {
			memory = j.Memory
		}
		if j.Peak > 0 {
			peak = j.Peak
		}
		if j.Error != "" {
			failure = j.Error
		}
		if j.Result != "" {
			result = j.Result
		}
		table[i] = []Value{int64(j.ID), string(j.State), j.Statement, j.Stage, share, j.Seconds, left, memory, peak, j.Checkpoint, failure, result}
	}
	return rowsOf([]string{"job", "state", "statement", "stage", "progress", "seconds", "remaining", "memory", "peak", "checkpoint", "error", "result"}, table)
}
