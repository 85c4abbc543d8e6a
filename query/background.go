package query

import (
	"heavytail/embedding"
	"heavytail/query/internal/job"
	"heavytail/query/rows"
	"heavytail/storage"
	"runtime"
)

const jobColumns = "job, state, statement, stage, progress, seconds, remaining, memory, peak, checkpoint, error, result"

// oneJob is the table of the statements about one job.
func oneJob(j storage.JobInfo) *rows.Rows {
	return rowsOf(columnsIn(jobColumns), [][]rows.Value{jobRow(j)})
}

// jobRow is a row of SHOW JOBS, and of the statements about one job.
func jobRow(j storage.JobInfo) []rows.Value {
	share := when(j.State.Active() && j.Total > 0, float64(j.Done)/float64(j.Total))
	left := when(j.State == storage.JobRunning && j.Remaining > 0, j.Remaining.Seconds())
	return []rows.Value{
		int64(j.ID), string(j.State), j.Statement, j.Stage, share, j.Seconds, left,
		when(j.Memory > 0, j.Memory), when(j.Peak > 0, j.Peak), j.Checkpoint, textOrNil(j.Error), textOrNil(j.Result),
	}
}

// inJob runs f in the job of the call, or in a new one that the call waits for.
func inJob[A any](c *call, spec job.Spec, f func(embedding.Checkpoints) (A, error)) (result A, err error) {
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

// workers is the number of goroutines that the call computes with. A job in the
// background leaves one processor, if there are several, to calls that wait for an
// answer: if goroutines compute without a pause on all processors, the scheduler
// lets a goroutine that has become ready wait for tens of milliseconds.
func (c *call) Workers() int {
	if !c.Quiet {
		return c.DB.Opts.Workers
	}
	return max(1, min(c.DB.Opts.Workers, runtime.GOMAXPROCS(0)-1))
}
