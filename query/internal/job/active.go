package job

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"sync"
	"time"

	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Active is a job that is queued or running.
type Active struct {
	context context.Context // context of a job in the background
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when it has ended
	resumed storage.JobInfo
	keep    bool          // a record is kept even if the job ends soon
	running bool          // Run has begun; belongs to the goroutine of the job, as the following fields do
	saved   time.Time     // end of the last checkpoint
	saving  time.Duration // time that it took
	tried   time.Duration // time from the last checkpoint, or from began, to one that was too large
	result  int64         // Spec.Result
	written int64         // bytes of all checkpoints

	mu      sync.Mutex // guards the following fields
	info    storage.JobInfo
	began   time.Time
	claimed bool // it is among the active ones
}

// Info returns the present state of the job.
func (j *Active) Info() storage.JobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	info := j.info
	if info.State == storage.JobRunning {
		info.Seconds += time.Since(j.began).Seconds()
	}
	return info
}

func (j *Active) progress(p rows.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Stage, j.info.Done, j.info.Total, j.info.Rate, j.info.Remaining = p.Stage, p.Done, p.Total, p.Rate, p.Remaining
}

// Result records a short summary of the result of the job.
func (j *Active) Result(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Result = fmt.Sprintf(format, args...)
}

// Cancel ends the job. If it has computed for long enough, it saves a checkpoint.
func (j *Active) Cancel() { j.cancel(errCancelled) }

// Wait waits until the job ends, and reports its progress as that of the call. If
// the context of the call ends first, the error is a *fault.JobError.
func (j *Active) Wait(c *session.Call) (storage.JobInfo, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-j.ended:
			return j.Info(), nil
		case <-c.Ctx.Done():
			info := j.Info()
			if info.ID == 0 {
				return info, c.Ctx.Err()
			}
			return info, &fault.JobError{Job: info.ID, State: info.State, Err: c.Ctx.Err()}
		case <-tick.C:
			if now := j.Info(); now.Stage != "" {
				c.Meter.Update(now.Stage, now.Done, now.Total)
			}
		}
	}
}

// untarget removes the target from the record of a job that has not written its
// embedding.
func (j *Active) untarget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.info.Target = ""
}

// long reports whether the job has run long enough to leave a record and a
// checkpoint.
func (j *Active) long(least time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.keep || time.Since(j.began) >= least
}

// watchMemory measures at intervals, until stop is called, how much larger the heap
// of the process is than its smallest size since the job began. This includes memory
// that other calls take meanwhile, and garbage that is not collected yet.
func (j *Active) watchMemory() (stop func()) {
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

// heapBytes is the size of the objects on the heap of the process.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Causes of the end of a job's context.
var (
	errCancelled = errors.New("the job was cancelled")
	errClosing   = errors.New("the database was closed")
)
