package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"heavytail/embedding"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Run runs f for a call as the job that spec describes. Meanwhile the context of the
// call is that of the job, and the progress of the call is recorded as that of the
// job. Within a running job, f is a part of that job.
func (r *Runner) Run(c *session.Call, j *Active, spec Spec, f func(embedding.Checkpoints) error) error {
	release, err := r.cache.Reserve(spec.Bytes(), spec.Purpose)
	if err != nil {
		return err
	}
	defer release()
	if j.running {
		return f(embedding.Checkpoints{})
	}
	if err := r.start(c.Ctx, j, spec); err != nil {
		return err
	}
	outer := c.Ctx
	c.Ctx = j.context
	c.Meter.Watch(j.progress)
	defer func() {
		c.Meter.Watch(nil)
		c.Ctx = outer
	}()
	stop, recorded := j.watchMemory(), r.recordLater(c.Ctx, j)
	err = r.withCheckpoints(c, j, spec, f)
	stop()
	recorded()
	if err == nil && spec.KeepsVectors {
		j.untarget()
	}
	return r.end(c, j, err)
}

// start makes the job active and running, with a context derived from ctx.
func (r *Runner) start(ctx context.Context, j *Active, spec Spec) error {
	info := spec.Info()
	j.mu.Lock()
	info.ID, info.Process, info.Created = j.info.ID, j.info.Process, j.info.Created
	info.Seconds, info.Peak = j.info.Seconds, j.info.Peak
	info.Checkpoint, info.Checkpointed = j.info.Checkpoint, j.info.Checkpointed
	info.State, info.Started = storage.JobRunning, time.Now()
	j.info, j.began, j.running, j.result = info, time.Now(), true, spec.Result
	j.mu.Unlock()
	if j.context == nil {
		j.context, j.cancel = context.WithCancelCause(ctx)
	}
	err := r.claim(j)
	if err != nil {
		j.cancel(nil)
	}
	return err
}

// withCheckpoints runs f with checkpoints. It starts from the checkpoint of
// the job, if the job can continue from it.
func (r *Runner) withCheckpoints(c *session.Call, j *Active, spec Spec, f func(embedding.Checkpoints) error) error {
	checkpoints := embedding.Checkpoints{
		Every: min(time.Second, r.Every), // save decides
		Save:  func(write func(io.Writer) error) error { return r.save(c, j, write) },
	}
	from, err := r.checkpointOf(c, j, spec)
	if err != nil {
		return err
	}
	if from != nil {
		defer from.Close()
		checkpoints.From = from
	}
	err = f(checkpoints)
	if checkpoints.From != nil && errors.Is(err, embedding.ErrCheckpoint) {
		c.Notice("job %d starts over: %v", j.resumed.ID, err)
		checkpoints.From = nil
		err = f(checkpoints)
	}
	return err
}

// checkpointOf returns the checkpoint that a resumed job continues from; nil, with a
// notice, if it must start from the beginning.
func (r *Runner) checkpointOf(c *session.Call, j *Active, spec Spec) (io.ReadCloser, error) {
	old := j.resumed
	if old.ID == 0 {
		return nil, nil
	}
	why := ""
	switch {
	case old.Checkpoint == 0 && old.CheckpointFile != "":
		why = fmt.Sprintf("its checkpoint is lost: there is no whole file %s beside the store", fault.Quote(filepath.Base(old.CheckpointFile)))
	case old.Checkpoint == 0:
		why = "it has no checkpoint"
	case old.Kernel != vec.Kind():
		why = fmt.Sprintf("its checkpoint was made by a processor of another kind (%s)", old.Kernel)
	case !slices.Equal(old.Options, spec.Options):
		why = "defaults of its options have changed"
	case old.GraphID != spec.Graph.ID:
		why = fmt.Sprintf("graph %s was dropped and recreated", fault.Name(spec.Graph.Name))
	case old.GraphVersion != spec.Graph.Version:
		changes, err := r.store.Changes(c.Ctx, spec.Graph.Name, old.GraphVersion)
		if err != nil {
			return nil, err
		}
		if changes.All || changes.EdgesChanged || len(changes.Touched) > 0 || changes.Deleted > 0 {
			why = fmt.Sprintf("graph %s has changed since version %d", fault.Name(spec.Graph.Name), old.GraphVersion)
		}
	}
	if why != "" {
		c.Notice("job %d starts over: %s", old.ID, why)
		return nil, nil
	}
	at := ""
	if old.Total > 0 {
		at = fmt.Sprintf(", at %d %% of %s", 100*old.Done/old.Total, old.Stage)
	}
	c.Notice("job %d continues from its checkpoint of %s%s", old.ID, fault.Amount(float64(old.Checkpoint), "bytes"), at)
	return r.store.JobCheckpoint(c.Ctx, old.ID)
}

// recordLater writes the record of a job as soon as it has run long enough to have one, so that a
// killed process leaves a job that can be resumed. The caller must call stop, which waits for a
// record that is being written, before it writes one itself. A record that cannot be written is
// no error of the job: the one at its end reports it.
func (r *Runner) recordLater(ctx context.Context, j *Active) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-time.After(r.Least):
		case <-ctx.Done():
			return
		}
		if r.number(ctx, j) == nil && r.store.PutJob(ctx, j.Info()) == nil {
			r.AtRecord()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// save writes a checkpoint if one is due. If the context has ended, it writes the last one,
// and reports its progress: whoever stopped the job waits for it.
func (r *Runner) save(c *session.Call, j *Active, write func(io.Writer) error) error {
	stopped := c.Ctx.Err() != nil
	if !j.long(r.Least) {
		return nil
	}
	if due, err := r.due(j, write); !stopped && (!due || err != nil) {
		return err
	}
	ctx := context.WithoutCancel(c.Ctx)
	if err := r.number(ctx, j); err != nil {
		return err
	}
	r.AtCheckpoint("begin")
	size, began := &counter{}, time.Now()
	if last := j.Info().Checkpoint; stopped {
		c.Meter.Watch(nil) // the record keeps how far the job came
		size.report = func(bytes int64) { c.Meter.Update("saving a checkpoint", bytes, last) }
	}
	err := r.store.PutJobCheckpoint(ctx, j.Info(), func(w io.Writer) error {
		size.to = w
		return write(size)
	})
	if err == nil || errors.Is(err, storage.ErrUnfreed) {
		j.mu.Lock()
		j.written += size.bytes
		j.keep, j.info.Checkpoint, j.info.Checkpointed = true, size.bytes, time.Now()
		j.mu.Unlock()
		r.AtCheckpoint("end")
	}
	j.saved, j.tried = time.Now(), 0
	j.saving = j.saved.Sub(began)
	return err
}

// due reports whether a running job is to save a checkpoint now. That is not before [Runner.Every]
// after the last one, later if that took long to write, and only if its bytes are worth the work
// since: as many as the result has are worth [Runner.Soon] of work at first, then twice the work
// before the last checkpoint, and [Runner.Late] at most. Where the state of a job varies in size,
// this also chooses the moments at which it is small. Until [Runner.Bounded] all checkpoints have
// at most four times the bytes of the result.
func (r *Runner) due(j *Active, write func(io.Writer) error) (bool, error) {
	ran, last := time.Since(j.began), time.Duration(0)
	if !j.saved.IsZero() {
		last = j.saved.Sub(j.began)
	}
	since := ran - last
	if since < max(r.Every, r.Spacing*j.saving, j.tried+j.tried/tries) {
		return false, nil
	}
	worth := min(max(2*last, r.Soon), r.Late)
	if worth <= 0 {
		return true, nil
	}
	result := max(j.result, smallest)
	bytes := int64(float64(result) * since.Seconds() / worth.Seconds())
	if ran < r.Bounded {
		bytes = min(bytes, 4*result-j.written)
	}
	if err := write((*room)(&bytes)); err != nil {
		if errors.Is(err, errLarge) {
			j.tried, err = since, nil
		}
		return false, err
	}
	return true, nil
}

// room is how many more bytes may be written; beyond them is errLarge.
type room int64

var errLarge = errors.New("the checkpoint is too large for now")

func (r *room) Write(p []byte) (int, error) {
	if *r -= room(len(p)); *r < 0 {
		return 0, errLarge
	}
	return len(p), nil
}

// counter counts the bytes that it passes on.
type counter struct {
	to     io.Writer
	bytes  int64
	report func(bytes int64) // called from time to time, if it is not nil
}

func (c *counter) Write(p []byte) (int, error) {
	const often = 1 << 22 // bytes
	n, err := c.to.Write(p)
	if c.bytes += int64(n); c.report != nil && c.bytes/often > (c.bytes-int64(n))/often {
		c.report(c.bytes)
	}
	return n, err
}

// end records the outcome of a job, and writes its record if it has one. It
// returns the error of the job, as a JobError if the job can continue.
func (r *Runner) end(c *session.Call, j *Active, err error) error {
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
		j.info.State, j.info.Error = storage.JobFailed, err.Error()
	}
	j.mu.Unlock()
	j.cancel(nil)
	if j.long(r.Least) {
		err = r.record(c, j, err)
	}
	r.release(j)
	r.ended()
	return err
}

// record writes the record of a job that has ended, and returns its error.
func (r *Runner) record(c *session.Call, j *Active, err error) error {
	ctx := context.WithoutCancel(c.Ctx)
	putErr := r.number(ctx, j)
	info := j.Info()
	if putErr == nil {
		putErr = r.store.PutJob(ctx, info)
	}
	written := putErr == nil || errors.Is(putErr, storage.ErrUnfreed)
	switch {
	case putErr == nil:
	case err == nil:
		c.Notice("job %d is complete, but its record was not written: %v", info.ID, putErr)
	default:
		c.Notice("the end of job %d was not recorded: %v", info.ID, putErr)
	}
	if err != nil && written && info.Checkpoint > 0 {
		err = &fault.JobError{Job: info.ID, State: info.State, Err: err}
	}
	return err
}

// Background queues the job of a record, and returns its record. When its turn
// comes, the function run runs it as the job of a call that begins with the context
// of the job. The caller ensures that Wait has not been called yet.
func (r *Runner) Background(c *session.Call, info storage.JobInfo, run func(ctx context.Context, j *Active) error) (storage.JobInfo, error) {
	j := r.New(info, true)
	j.context, j.cancel = context.WithCancelCause(r.context)
	err := r.number(c.Ctx, j)
	if err == nil {
		err = r.claim(j)
	}
	if err != nil {
		j.cancel(nil)
		return info, err
	}
	info = j.Info()
	// If another process found the record of an active job, it would take the job
	// for an interrupted one.
	keep := r.store.Hold()
	if err := r.store.PutJob(c.Ctx, info); err != nil {
		keep()
		j.cancel(nil)
		r.release(j)
		return info, err
	}
	r.running.Go(func() {
		defer keep()
		err := r.takeTurn(j, run)
		if !j.running { // it ended before its work began
			quiet := session.New(j.context, r.store, r.cache, nil, info.Kind)
			_ = r.end(quiet, j, err) // the record has it
		}
	})
	return info, nil
}

// takeTurn waits for a slot and runs a job in it.
func (r *Runner) takeTurn(j *Active, run func(ctx context.Context, j *Active) error) error {
	select {
	case r.Slots <- struct{}{}:
		defer func() { <-r.Slots }()
	case <-j.context.Done():
		return j.context.Err()
	}
	// The slot may be free because Stop has ended the previous job; the context of
	// this job ends a moment after the context of all jobs.
	if err := cmp.Or(j.context.Err(), r.context.Err()); err != nil {
		return err
	}
	return run(j.context, j)
}
