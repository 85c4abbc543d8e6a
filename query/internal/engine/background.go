package engine

import (
	"runtime"

	"heavytail/embedding"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/job"
	"heavytail/query/rows"
	"heavytail/storage"
)

// JobColumns are the columns of SHOW JOBS, and of the statements about one job.
const JobColumns = "job, state, statement, stage, progress, seconds, remaining, memory, peak, checkpoint, error, result"

// OneJob is the table of the statements about one job.
func OneJob(j storage.JobInfo) *rows.Rows {
	return cells.RowsOf(cells.ColumnsIn(JobColumns), [][]rows.Value{JobRow(j)})
}

// JobRow is a row of SHOW JOBS, and of the statements about one job.
func JobRow(j storage.JobInfo) []rows.Value {
	share := cells.When(j.State.Active() && j.Total > 0, float64(j.Done)/float64(j.Total))
	left := cells.When(j.State == storage.JobRunning && j.Remaining > 0, j.Remaining.Seconds())
	return []rows.Value{
		int64(j.ID), string(j.State), j.Statement, j.Stage, share, j.Seconds, left,
		cells.When(j.Memory > 0, j.Memory), cells.When(j.Peak > 0, j.Peak), j.Checkpoint, cells.TextOrNil(j.Error), cells.TextOrNil(j.Result),
	}
}

// InJob runs f in the job of the call, or in a new one that the call waits for.
func InJob[A any](c *Call, spec job.Spec, f func(embedding.Checkpoints) (A, error)) (result A, err error) {
	if c.Job == nil {
		c.Job = c.DB.Runner.New(storage.JobInfo{}, false)
		defer func() { c.Job = nil }()
	}
	err = c.DB.Runner.Run(c.Call, c.Job, spec, func(checkpoints embedding.Checkpoints) (err error) {
		result, err = f(checkpoints)
		return err
	})
	return result, err
}

// Workers is the number of goroutines that the call computes with. A job in the
// background leaves one processor, if there are several, to calls that wait for an
// answer: if goroutines compute without a pause on all processors, the scheduler
// lets a goroutine that has become ready wait for tens of milliseconds.
func (c *Call) Workers() int {
	if !c.Quiet {
		return c.DB.Opts.Workers
	}
	return max(1, min(c.DB.Opts.Workers, runtime.GOMAXPROCS(0)-1))
}
