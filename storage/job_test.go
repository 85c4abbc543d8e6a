package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/storage/internal/tree"

	"heavytail/storage/internal/block"

	bolt "go.etcd.io/bbolt"
)

// checkpointOf writes a checkpoint of so many bytes, and returns them.
func checkpointOf(t *testing.T, db *DB, job JobInfo, size int) []byte {
	t.Helper()
	data := blobBytes(size)
	if err := db.PutJobCheckpoint(context.Background(), job, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return data
}

func readCheckpoint(db *DB, id uint64) ([]byte, error) {
	r, err := db.JobCheckpoint(context.Background(), id)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// A job is read as it was stored, and a job that another handle left unfinished is
// interrupted.
func TestPutJob_ReadBack(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	if list, err := db.Jobs(ctx); err != nil || list != nil {
		t.Errorf("of a new store: %v, %v", list, err)
	}
	if _, err := db.Job(ctx, 7); !errors.Is(err, ErrNotFound) {
		t.Errorf("no job: %v", err)
	}
	job := JobInfo{
		ID: 7, Kind: "EMBED", Statement: "EMBED g USING m AS e", Target: "e", State: JobRunning, Graph: "g", GraphID: 3, GraphVersion: 4,
		Options: []Setting{{"dim", "8"}}, Kernel: "portable", Stage: "solving", Done: 3, Total: 9, Rate: 1.5, Remaining: 4 * time.Second,
		Memory: 1 << 20, Peak: 3 << 19, Seconds: 2.5, Process: 77, Created: time.Unix(5, 6), Started: time.Unix(7, 8),
	}
	if err := db.PutJob(ctx, job); err != nil {
		t.Fatal(err)
	}
	same := func(db *DB, want JobInfo) {
		t.Helper()
		got, err := db.Job(ctx, want.ID)
		if err != nil || got.Updated.IsZero() {
			t.Fatal(got.Updated, err)
		}
		if want.State == JobInterrupted && got.Ended.Equal(got.Updated) {
			got.Ended = time.Time{}
		}
		got.Updated, got.Checkpointed = time.Time{}, time.Time{}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	same(db, job)
	data := checkpointOf(t, db, job, 3*tree.BlobBlock)
	job.Checkpoint, job.CheckpointFile = int64(len(data)), checkpointFiles(t, path)[0]
	same(db, job)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	job.State = JobInterrupted
	same(db, job)
	if got, err := readCheckpoint(db, 7); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Jobs) != 1 || stats.Jobs[0].Bytes < 3*tree.BlobBlock {
		t.Errorf("%+v, %v", stats.Jobs, err)
	}
	job.State = JobDone
	if err := db.PutJob(ctx, job); err != nil {
		t.Fatal(err)
	}
	job.Checkpoint, job.CheckpointFile = 0, ""
	same(db, job)
	if _, err := readCheckpoint(db, 7); !errors.Is(err, ErrNotFound) {
		t.Errorf("a job that is done: %v", err)
	}
	if err := db.DropJob(ctx, 7); err != nil {
		t.Fatal(err)
	}
	if err := db.DropJob(ctx, 7); !errors.Is(err, ErrNotFound) {
		t.Errorf("dropped twice: %v", err)
	}
	if err := db.PutJob(ctx, JobInfo{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("without a number: %v", err)
	}
	if err := db.PutJob(ctx, JobInfo{ID: 1, State: "asleep"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("without a state: %v", err)
	}
}

// What a job has written makes the checkpoints of other jobs with its target useless. Of
// the jobs that ended, the oldest are removed.
func TestPutJob_SupersedesAndForgets(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	checkpointOf(t, db, JobInfo{ID: 1, Target: "e", State: JobCancelled}, 10)
	checkpointOf(t, db, JobInfo{ID: 2, Target: "f", State: JobCancelled}, 10)
	checkpointOf(t, db, JobInfo{ID: 3, Target: "e", State: JobRunning}, 10)
	for id := range uint64(keptJobs + 20) {
		if err := db.PutJob(ctx, JobInfo{ID: 10 + id, Target: "e", State: JobDone}); err != nil {
			t.Fatal(err)
		}
	}
	var left []uint64
	for id := range uint64(4) {
		if _, err := readCheckpoint(db, id); err == nil {
			left = append(left, id)
		}
	}
	if !slices.Equal(left, []uint64{2, 3}) {
		t.Errorf("checkpoints of %v are left", left)
	}
	list, err := db.Jobs(ctx)
	if err != nil || len(list) != keptJobs+2 || list[0].ID != 2 || list[1].ID != 3 || list[2].ID != 30 {
		t.Errorf("%d jobs, the first %v, %v", len(list), list[:3], err)
	}
}

// A job with a low number is not removed right after it ended.
func TestPutJob_ForgetsTheOldest(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	checkpointOf(t, db, JobInfo{ID: 1, State: JobCancelled}, 10)
	for id := range uint64(keptJobs) {
		if err := db.PutJob(ctx, JobInfo{ID: 2 + id, State: JobDone}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.PutJob(ctx, JobInfo{ID: 1, State: JobDone}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Job(ctx, 1); err != nil {
		t.Error(err)
	}
	if _, err := db.Job(ctx, 2); !errors.Is(err, ErrNotFound) {
		t.Errorf("the one that ended first: %v", err)
	}
}

// A job with a damaged record does not stop other jobs, and can be dropped, as Check
// advises.
func TestJobs_DamagedRecord(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "file")
	db := openStore(t, path, nil)
	for id := range uint64(2) {
		checkpointOf(t, db, JobInfo{ID: id + 1, Target: "e", State: JobCancelled}, 10)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	withRoot(t, path, func(root *bolt.Bucket) error {
		jobs := root.Bucket(block.JobsName)
		record := bytes.Clone(jobs.Get(block.Key64(2)))
		record[len(record)-1] ^= 1
		return jobs.Put(block.Key64(2), record)
	})
	db = openStore(t, path, nil)
	if _, err := db.Job(ctx, 2); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("not damaged: %v", err)
	}
	if last, err := db.LastJob(ctx); last != 2 || err != nil {
		t.Errorf("the last job is %d, %v", last, err)
	}
	if list, err := db.Jobs(ctx); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "job 2") || len(list) != 1 || list[0].ID != 1 {
		t.Errorf("beside a damaged one: %+v, %v", list, err)
	}
	if _, err := db.Compact(ctx, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "DROP JOB 2, then copy again") {
		t.Errorf("compaction: %v", err)
	}
	if err := db.PutJob(ctx, JobInfo{ID: 3, Target: "e", State: JobDone}); err != nil {
		t.Error(err)
	}
	if err := db.DropJob(ctx, 2); err != nil {
		t.Error(err)
	}
	if list, err := db.Jobs(ctx); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := db.Compact(ctx, nil); err != nil { // the checkpoint without an owner is removed
		t.Fatal(err)
	}
	checkStore(t, db)
}

// No number is used twice: the number of the last job stays in use when the job is dropped
// or removed, also in a copy, until there is a higher one.
func TestDropJob_NumberStays(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	last := func(want uint64, listed int) {
		t.Helper()
		if id, err := db.LastJob(ctx); id != want || err != nil {
			t.Errorf("the last number is %d, not %d, %v", id, want, err)
		}
		if list, err := db.Jobs(ctx); err != nil || len(list) != listed {
			t.Errorf("listed are %+v, %v", list, err)
		}
	}
	for id := range uint64(3) {
		if err := db.PutJob(ctx, JobInfo{ID: id + 1, State: JobDone}); err != nil {
			t.Fatal(err)
		}
	}
	for id := uint64(3); id > 0; id-- {
		if err := db.DropJob(ctx, id); err != nil {
			t.Fatal(err)
		}
		last(3, int(id)-1)
	}
	if _, err := db.Job(ctx, 3); !errors.Is(err, ErrNotFound) {
		t.Errorf("a dropped one: %v", err)
	}
	if err := db.DropJob(ctx, 3); !errors.Is(err, ErrNotFound) {
		t.Errorf("dropped twice: %v", err)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	last(3, 0)
	if err := db.PutJob(ctx, JobInfo{ID: 4, State: JobDone, Peak: 5}); err != nil {
		t.Fatal(err)
	}
	last(4, 1)
	records := 0
	err := db.file.View(ctx, func(t *tree.Tx) error {
		return t.Each(block.JobsName, func(_, _ []byte) error { records++; return nil })
	})
	if err != nil || records != 1 {
		t.Errorf("%d records, %v", records, err)
	}
	checkStore(t, db)
}

// Copies have the jobs. Those that replace the file have their checkpoints as well, and a backup
// has those that are in the file. A recovery reports what it leaves out.
func TestJobs_Copied(t *testing.T) {
	for _, inside := range []bool{false, true} {
		jobsCopied(t, inside)
	}
}

func jobsCopied(t *testing.T, inside bool) {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	db := openStore(t, filepath.Join(dir, "store"), nil)
	if inside {
		inFile(db)
	}
	data := checkpointOf(t, db, JobInfo{ID: 5, Statement: "EMBED g", State: JobCancelled}, 2*tree.BlobBlock+5)
	if _, err := db.Backup(ctx, filepath.Join(dir, "backup"), false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	report, err := db.Recover(ctx, filepath.Join(dir, "recovered"), RecoverOptions{})
	if err != nil || len(report.Lost) != 1 {
		t.Errorf("recovery says %q, %v", report.Lost, err)
	}
	for _, copied := range []*DB{db, openStore(t, filepath.Join(dir, "backup"), &Options{ReadOnly: true})} {
		checkStore(t, copied)
		job, err := copied.Job(ctx, 5)
		if there := copied == db || inside; err != nil || there != (job.Checkpoint == int64(len(data))) {
			t.Errorf("%s: %+v, %v", copied.Path(), job, err)
		} else if got, err := readCheckpoint(copied, 5); there != (err == nil && bytes.Equal(got, data)) || !there && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %d bytes, %v", copied.Path(), len(got), err)
		}
	}
	if list, err := openStore(t, filepath.Join(dir, "recovered"), nil).Jobs(ctx); err != nil || list != nil {
		t.Errorf("recovered: %v, %v", list, err)
	}
}
