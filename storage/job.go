package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// JobState is the state of a job.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobDone      JobState = "done"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
	// JobInterrupted is a job that was queued or running when its process ended,
	// or its store was closed.
	JobInterrupted JobState = "interrupted"
)

// jobDropped is the state of a record that keeps the highest number after its job was
// dropped, so that no other job gets the number.
const jobDropped JobState = "dropped"

var jobStates = []JobState{JobQueued, JobRunning, JobDone, JobFailed, JobCancelled, JobInterrupted}

// Active reports whether the job has not ended.
func (s JobState) Active() bool { return s == JobQueued || s == JobRunning }

// JobInfo is the record of a job, which is a long computation of a statement. This
// package stores checkpoints as bytes, without knowing the computation.
type JobInfo struct {
	ID        uint64   `json:"id"`
	Kind      string   `json:"kind"`      // such as "EMBED"
	Statement string   `json:"statement"` // the text from which it can be run again
	Target    string   `json:"target"`    // name of the embedding that it writes; empty if it writes none
	State     JobState `json:"state"`

	// The graph and its version that the job works on, and the parameters that must be
	// the same when a run continues from the checkpoint.
	Graph        string    `json:"graph"`
	GraphID      uint64    `json:"graph_id"`
	GraphVersion uint64    `json:"graph_version"`
	Options      []Setting `json:"options"` // after defaults
	Kernel       string    `json:"kernel"`  // vec.Kind()

	Stage     string        `json:"stage"` // of the last report
	Done      int64         `json:"done"`
	Total     int64         `json:"total"`
	Rate      float64       `json:"rate"`      // units a second
	Remaining time.Duration `json:"remaining"` // of the stage; 0 where unknown
	Memory    int64         `json:"memory"`    // largest memory in bytes that it is expected to take
	Peak      int64         `json:"peak"`      // largest memory in bytes that it took, over all its runs
	Seconds   float64       `json:"seconds"`   // of work, over all its runs
	Error     string        `json:"error"`
	Result    string        `json:"result"`  // summary of the result, for people
	Process   int           `json:"process"` // the operating system's number of the process

	Created time.Time `json:"created"` // a zero time means that it did not happen
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Updated time.Time `json:"updated"` // when the record was written

	Checkpoint   int64     `json:"checkpoint"`   // bytes of the checkpoint; 0 where there is none
	Checkpointed time.Time `json:"checkpointed"` // when it was written
	// CheckpointFile is the file of the checkpoint, if it is not in that of the store. If it is lost,
	// Checkpoint is 0.
	CheckpointFile string `json:"checkpoint_file"`
}

// jobRecord is a JobInfo as it is stored, under its number. Times are nanoseconds
// of Unix time, 0 for none.
type jobRecord struct {
	Kind         string          `msgpack:"kind"`
	Statement    string          `msgpack:"statement"`
	Target       string          `msgpack:"target"`
	State        string          `msgpack:"state"`
	Graph        string          `msgpack:"graph"`
	GraphID      uint64          `msgpack:"graph_id"`
	GraphVersion uint64          `msgpack:"graph_version"`
	Options      []Setting       `msgpack:"options"`
	Kernel       string          `msgpack:"kernel"`
	Stage        string          `msgpack:"stage"`
	Done         int64           `msgpack:"done"`
	Total        int64           `msgpack:"total"`
	Rate         float64         `msgpack:"rate"`
	Remaining    int64           `msgpack:"remaining"`
	Memory       int64           `msgpack:"memory"`
	Peak         int64           `msgpack:"peak"`
	Seconds      float64         `msgpack:"seconds"`
	Error        string          `msgpack:"error"`
	Result       string          `msgpack:"result"`
	Process      int64           `msgpack:"process"`
	Owner        uint64          `msgpack:"owner"` // DB.token of the handle that wrote it
	Created      int64           `msgpack:"created"`
	Started      int64           `msgpack:"started"`
	Ended        int64           `msgpack:"ended"`
	Updated      int64           `msgpack:"updated"`
	Checkpoint   tree.BlobRecord `msgpack:"checkpoint"`
	Beside       tree.BlobRecord `msgpack:"beside"` // the checkpoint, if it is a file of its own beside that of the store
	Checkpointed int64           `msgpack:"checkpointed"`
}

// maxJobText bounds the texts of a record: a statement may be as long as the
// language allows, and an error has no bound of its own.
const maxJobText = 1 << 17

// keptJobs is the number of ended jobs without a checkpoint whose records are kept.
const keptJobs = 100

func (j *JobInfo) record() jobRecord {
	return jobRecord{
		Kind: j.Kind, Statement: j.Statement, Target: j.Target, State: string(j.State),
		Graph: j.Graph, GraphID: j.GraphID, GraphVersion: j.GraphVersion, Options: copied(j.Options), Kernel: j.Kernel,
		Stage: j.Stage, Done: j.Done, Total: j.Total, Rate: j.Rate, Remaining: int64(j.Remaining), Memory: j.Memory, Peak: j.Peak,
		Seconds: j.Seconds, Error: j.Error[:min(len(j.Error), maxJobText)], Result: j.Result[:min(len(j.Result), maxJobText)], Process: int64(j.Process),
		Created: unixNano(j.Created), Started: unixNano(j.Started), Ended: unixNano(j.Ended), Updated: unixNano(j.Updated),
	}
}

// info is the job as this handle sees it: one that another handle left unfinished
// was interrupted, because the lock of the file excludes other writers.
func (r *jobRecord) info(id, token uint64) JobInfo {
	j := JobInfo{
		ID: id, Kind: r.Kind, Statement: r.Statement, Target: r.Target, State: JobState(r.State),
		Graph: r.Graph, GraphID: r.GraphID, GraphVersion: r.GraphVersion, Options: copied(r.Options), Kernel: r.Kernel,
		Stage: r.Stage, Done: r.Done, Total: r.Total, Rate: r.Rate, Remaining: time.Duration(r.Remaining), Memory: r.Memory, Peak: r.Peak,
		Seconds: r.Seconds, Error: r.Error, Result: r.Result, Process: int(r.Process),
		Created: fromUnixNano(r.Created), Started: fromUnixNano(r.Started), Ended: fromUnixNano(r.Ended), Updated: fromUnixNano(r.Updated),
		Checkpoint: int64(r.Checkpoint.Size), Checkpointed: fromUnixNano(r.Checkpointed),
	}
	if j.State.Active() && r.Owner != token {
		j.State, j.Ended = JobInterrupted, j.Updated
	}
	return j
}

func (r *jobRecord) Validate(size int64) error {
	known := slices.Contains(jobStates, JobState(r.State)) || JobState(r.State) == jobDropped
	if !known || math.IsNaN(r.Rate) || math.IsNaN(r.Seconds) || len(r.Statement) > maxJobText || len(r.Error) > maxJobText || len(r.Result) > maxJobText {
		return fault.Record("job in the state %q with a statement of %d bytes", fault.Clip(r.State), len(r.Statement))
	}
	if err := r.Beside.Validate(math.MaxInt64); err != nil {
		return err
	}
	return r.Checkpoint.Validate(size)
}

func (r *jobRecord) hasCheckpoint() bool { return r.Checkpoint.Object != 0 || r.Beside.Object != 0 }

func (r *jobRecord) dropped() bool { return JobState(r.State) == jobDropped }

// over reports whether the job cannot continue any more.
func (r *jobRecord) over(token uint64) bool {
	active := JobState(r.State).Active() && r.Owner == token
	return !active && !r.dropped() && !r.hasCheckpoint()
}

func describeJob(id uint64) string { return fmt.Sprintf("job %d", id) }

func describeCheckpoint(id uint64) string { return "checkpoint of " + describeJob(id) }

// jobKind are the jobs, by number. A recovery does not copy them, and reports those
// that could have continued.
var jobKind = artefact[jobRecord]{
	bucket: block.JobsName, name: "job", shortest: 8, longest: 8,
	remedy:    "drop the job and run its statement again",
	statement: func(key []byte) string { return fmt.Sprintf("DROP JOB %d", block.IDOf(key)) },
	describe: func(_ *tree.Tx, key []byte) string {
		if len(key) != 8 {
			return "jobs"
		}
		return describeJob(block.IDOf(key))
	},
	content:  func(_ *tree.Tx, key []byte) string { return describeCheckpoint(block.IDOf(key)) },
	called:   func(key []byte) string { return fmt.Sprint(block.IDOf(key)) },
	validate: (*jobRecord).Validate,
	stream:   func(r *jobRecord) *tree.BlobRecord { return &r.Checkpoint },
	measure: func(out *Stats, _ *tree.Tx, key []byte, r *jobRecord, bytes int64) {
		if r.hasCheckpoint() {
			out.Jobs = append(out.Jobs, JobStats{ID: block.IDOf(key), Bytes: bytes + int64(r.Beside.Size)})
		}
	},
	leave: func(key []byte, r *jobRecord) (where, what string) {
		if !r.hasCheckpoint() {
			return "", ""
		}
		return describeJob(block.IDOf(key)), "its checkpoint is not carried over; run it again: " + fault.Clip(r.Statement)
	},
}

// findJob returns the record of a job that was not dropped.
func findJob(t *tree.Tx, id uint64) (*jobRecord, error) {
	r, err := jobKind.find(t, block.Key64(id))
	if err == nil && r.dropped() {
		return nil, &NotFoundError{Kind: "job", Name: fmt.Sprint(id)}
	}
	return r, err
}

// eachValidJob calls f with every job whose record is sound, by number: a damaged one
// must not keep the others from continuing.
func eachValidJob(t *tree.Tx, f func(id uint64, r *jobRecord)) error {
	_, err := jobKind.valid(t, nil, func(key []byte, r *jobRecord) {
		if !r.dropped() {
			f(block.IDOf(key), r)
		}
	})
	return err
}

// Jobs lists the jobs by number. If records are damaged, it lists the others and
// returns a PartialError that names them.
func (db *DB) Jobs(ctx context.Context) ([]JobInfo, error) {
	return listed(ctx, db, &jobKind, func(_ *tree.Tx, key []byte, r *jobRecord) (JobInfo, bool) {
		return db.jobInfo(block.IDOf(key), r), !r.dropped()
	})
}

// jobInfo is the job of a record. Its checkpoint beside the file counts only if it is there.
func (db *DB) jobInfo(id uint64, r *jobRecord) JobInfo {
	info := r.info(id, db.file.Token)
	if r.Beside.Object != 0 {
		info.CheckpointFile = db.file.BesideName(r.Beside)
		if db.file.HasBeside(r.Beside) {
			info.Checkpoint = int64(r.Beside.Size)
		}
	}
	return info
}

// LastJob returns the highest number that a job has or had; 0 where there was none.
func (db *DB) LastJob(ctx context.Context) (uint64, error) {
	return viewed(ctx, db, func(t *tree.Tx) (last uint64, err error) {
		b, err := t.Top(block.JobsName)
		if err != nil || b == nil {
			return 0, err
		}
		if key, _ := b.Cursor().Last(); len(key) == 8 {
			last = block.IDOf(key)
		}
		return last, nil
	})
}

// Job returns one job; an unknown number is ErrNotFound.
func (db *DB) Job(ctx context.Context, id uint64) (JobInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (JobInfo, error) {
		r, err := findJob(t, id)
		if err != nil {
			return JobInfo{}, err
		}
		return db.jobInfo(id, r), nil
	})
}

// PutJob writes the record of a job, which must have a number, and sets Updated.
// Its checkpoint is unchanged, unless the job is done: then its checkpoint is
// removed, as are the checkpoints of other inactive jobs with the same target. Of
// jobs that ended and have no checkpoint, the last 100 are kept.
func (db *DB) PutJob(ctx context.Context, info JobInfo) error {
	return db.putJob(ctx, info, nil)
}

// PutJobCheckpoint is PutJob with a new checkpoint, which consists of the bytes that
// write writes. It replaces the previous checkpoint in one step: after a crash or an
// error there is either the complete old checkpoint or the complete new one.
//
// The bytes are a file of their own beside that of the store, named .NAME.NUMBER.checkpoint,
// which is removed when it is replaced: pages of the store would stay free in the file. If
// the folder cannot be written, they are in the store, written in batches, and other
// writers can run in between.
func (db *DB) PutJobCheckpoint(ctx context.Context, info JobInfo, write func(w io.Writer) error) error {
	defer db.file.Hold()() // no other process removes the file before the record has it
	beside, possible, err := db.file.WriteBeside(ctx, write)
	if err != nil {
		return fmt.Errorf("%s: %w", describeCheckpoint(info.ID), err)
	}
	var w *tree.BlobWriter
	if !possible {
		if w, err = db.writeStream(ctx, describeCheckpoint(info.ID), write); err != nil {
			return err
		}
		defer w.Abandon(ctx)
	}
	err = db.putJob(ctx, info, func(t *tree.Tx, r *jobRecord) (old []tree.BlobRecord, err error) {
		old, err = r.discard(t)
		if r.Beside = beside; err == nil && w != nil {
			r.Checkpoint, err = w.Publish(t)
		}
		r.Checkpointed = time.Now().UnixNano()
		return old, err
	})
	if err != nil && !errors.Is(err, ErrUnfreed) && !db.file.Failed.Load() { // otherwise the record may have it
		db.file.RemoveBeside(beside)
	}
	return err
}

// discard removes the checkpoint of a record, and returns the file that is to be removed after
// the commit.
func (r *jobRecord) discard(t *tree.Tx) (beside []tree.BlobRecord, err error) {
	err = t.Discard(r.Checkpoint.Object)
	beside = []tree.BlobRecord{r.Beside}
	r.Checkpoint, r.Beside, r.Checkpointed = tree.BlobRecord{}, tree.BlobRecord{}, 0
	return beside, err
}

// changeJobs runs f in a write transaction, and removes the files that it returns after the commit.
func (db *DB) changeJobs(ctx context.Context, f func(t *tree.Tx) (beside []tree.BlobRecord, err error)) error {
	var beside []tree.BlobRecord
	err := db.file.Change(ctx, func(t *tree.Tx) (err error) {
		beside, err = f(t)
		return err
	})
	if err == nil || errors.Is(err, ErrUnfreed) {
		db.step("remove")
		db.file.RemoveBeside(beside...)
	}
	return err
}

// putJob writes a record after change, which returns the file of a replaced checkpoint, has
// changed it; it may be nil.
func (db *DB) putJob(ctx context.Context, info JobInfo, change func(t *tree.Tx, r *jobRecord) ([]tree.BlobRecord, error)) error {
	if info.ID == 0 || len(info.Statement) > maxJobText || !slices.Contains(jobStates, info.State) {
		return fmt.Errorf("%s in the state %q with a statement of %d bytes: %w", describeJob(info.ID), info.State, len(info.Statement), ErrInvalid)
	}
	return db.changeJobs(ctx, func(t *tree.Tx) (beside []tree.BlobRecord, err error) {
		var old jobRecord
		if _, err := t.Get(block.JobsName, block.Key64(info.ID), &old); err != nil {
			return nil, fault.Corrupt(t.Path, describeJob(info.ID), err)
		}
		r := info.record()
		r.Owner, r.Updated = db.file.Token, time.Now().UnixNano()
		r.Checkpoint, r.Beside, r.Checkpointed = old.Checkpoint, old.Beside, old.Checkpointed
		if change != nil {
			if beside, err = change(t, &r); err != nil {
				return nil, err
			}
		}
		if info.State == JobDone {
			own, err := r.discard(t)
			if err != nil {
				return nil, err
			}
			others, err := supersede(t, info.ID, info.Target, db.file.Token)
			if err != nil {
				return nil, err
			}
			beside = slices.Concat(beside, own, others)
		}
		if err := passDropped(t, info.ID); err != nil {
			return nil, err
		}
		if err := t.Put(block.JobsName, block.Key64(info.ID), &r); err != nil {
			return nil, err
		}
		return beside, forgetJobs(t, db.file.Token)
	})
}

// supersede removes the checkpoints of jobs that are not active and whose target
// a job has just written, and returns their files, which are to be removed after the commit.
func supersede(t *tree.Tx, by uint64, target string, token uint64) (beside []tree.BlobRecord, err error) {
	if target == "" {
		return nil, nil
	}
	changed := make(map[uint64]*jobRecord)
	err = eachValidJob(t, func(id uint64, r *jobRecord) {
		info := r.info(id, token)
		if id != by && r.Target == target && !info.State.Active() && r.hasCheckpoint() {
			changed[id] = r
		}
	})
	for id, r := range changed {
		if err != nil {
			break
		}
		var own []tree.BlobRecord
		if own, err = r.discard(t); err == nil {
			beside, err = append(beside, own...), t.Put(block.JobsName, block.Key64(id), r)
		}
	}
	return beside, err
}

// forgetJobs removes, of the jobs that cannot continue, all but the keptJobs that ended
// last.
func forgetJobs(t *tree.Tx, token uint64) error {
	type ended struct {
		id      uint64
		updated int64
	}
	var over []ended
	err := eachValidJob(t, func(id uint64, r *jobRecord) {
		if r.over(token) {
			over = append(over, ended{id, r.Updated})
		}
	})
	slices.SortStableFunc(over, func(a, b ended) int { return cmp.Compare(a.updated, b.updated) })
	for i := 0; err == nil && i < len(over)-keptJobs; i++ {
		err = removeJob(t, over[i].id)
	}
	return err
}

// removeJob removes the record of a job. The highest number keeps a record with the
// state jobDropped.
func removeJob(t *tree.Tx, id uint64) error {
	b, err := t.Top(block.JobsName)
	if err != nil || b == nil {
		return err
	}
	if key, _ := b.Cursor().Last(); bytes.Equal(key, block.Key64(id)) {
		return t.Put(block.JobsName, key, &jobRecord{State: string(jobDropped), Updated: time.Now().UnixNano()})
	}
	return t.Remove(block.JobsName, block.Key64(id))
}

// passDropped removes the record that kept the highest number, once a job has a higher
// one.
func passDropped(t *tree.Tx, id uint64) error {
	b, err := t.Top(block.JobsName)
	if err != nil || b == nil {
		return err
	}
	key, _ := b.Cursor().Last()
	if len(key) != 8 || block.IDOf(key) >= id {
		return nil
	}
	last := block.IDOf(key)
	if r, err := jobKind.find(t, key); err != nil || !r.dropped() {
		return nil // a damaged one stays until it is dropped
	}
	return t.Remove(block.JobsName, block.Key64(last))
}

// JobCheckpoint returns a reader of the checkpoint of a job, which the caller must close. If the
// job has none, the error is ErrNotFound. If the checkpoint is replaced while it is read, the
// reader continues with the replaced one or returns ErrConflict.
func (db *DB) JobCheckpoint(ctx context.Context, id uint64) (io.ReadCloser, error) {
	return viewed(ctx, db, func(t *tree.Tx) (io.ReadCloser, error) {
		record, err := findJob(t, id)
		if err != nil {
			return nil, err
		}
		if db.jobInfo(id, record).Checkpoint == 0 {
			return nil, &NotFoundError{Kind: "checkpoint of job", Name: fmt.Sprint(id)}
		}
		if record.Beside.Object != 0 {
			return db.file.OpenBeside(record.Beside, describeCheckpoint(id), jobKind.remedy)
		}
		r, err := jobKind.open(t, db, block.Key64(id), record)
		return io.NopCloser(r), err
	})
}

// DropJob removes the record of a job and its checkpoint; no other job gets its number.
// If the record is damaged, its checkpoint in the file stays until the next compaction. The
// caller must make sure that the job does not run.
func (db *DB) DropJob(ctx context.Context, id uint64) error {
	return db.changeJobs(ctx, func(t *tree.Tx) (beside []tree.BlobRecord, err error) {
		r, err := findJob(t, id)
		if err == nil {
			beside, err = r.discard(t)
		} else if errors.Is(err, ErrCorrupt) {
			err = nil
		}
		if err != nil {
			return nil, err
		}
		return beside, removeJob(t, id)
	})
}

// collectCheckpoints removes the files of checkpoints that no job has. It does nothing while a
// record is damaged, whose file is not known.
func (db *DB) collectCheckpoints() error {
	defer db.file.Hold()()
	return db.file.CollectBeside(context.Background(), func(t *tree.Tx) (map[uint64]bool, error) {
		used := make(map[uint64]bool)
		damaged, err := jobKind.valid(t, nil, func(_ []byte, r *jobRecord) { used[r.Beside.Object] = true })
		return used, errors.Join(damaged, err)
	})
}
