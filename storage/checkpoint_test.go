package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// inFile makes a store put checkpoints into the file from now on, as in a folder that cannot be
// written.
func inFile(db *DB) { db.file.Beside = filepath.Join(filepath.Dir(db.file.Path), "no folder", "store") }

// checkpointFiles are the names of the files of checkpoints in the folder of a store.
func checkpointFiles(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*."+tree.KindBeside))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// childCheckpoint replaces the checkpoint of a job by new ones without end, and kills its process
// at point number n of a kind: before a commit, in the middle of the bytes of a checkpoint, or before
// the file of a replaced one is removed.
func childCheckpoint(path, where, at string, n int) {
	db, err := Open(path, &Options{BatchBytes: 3 * tree.BlobBlock})
	fail(err)
	if where == "inside" {
		inFile(db)
	}
	points := 0
	point := func(kind string) {
		if kind == at {
			if points == n {
				killSelf()
			}
			points++
		}
	}
	db.file.BeforeCommit = func() error { point("commit"); return nil }
	db.file.AtStep = point
	for {
		job, err := db.Job(context.Background(), 1)
		fail(err)
		job.Done++
		fail(db.PutJobCheckpoint(context.Background(), job, func(w io.Writer) error {
			for range 2 {
				if _, err := w.Write(bytes.Repeat([]byte{byte(job.Done)}, 10*tree.BlobBlock)); err != nil {
					return err
				}
				point("write")
			}
			return nil
		}))
		fmt.Println("checkpoint", job.Done)
	}
}

// TestPutJobCheckpoint_Killed kills the writing of checkpoints at each kind of point and at random
// moments: the previous checkpoint or the new one is complete, with its record, and opening
// leaves no other.
func TestPutJobCheckpoint_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills processes at many moments")
	}
	t.Parallel()
	for _, where := range []string{"beside", "inside"} {
		path := filepath.Join(t.TempDir(), "killed")
		db := openStore(t, path, nil)
		if where == "inside" {
			inFile(db)
		}
		if err := db.PutJobCheckpoint(context.Background(), JobInfo{ID: 1, State: JobRunning, Done: 1}, func(w io.Writer) error {
			_, err := w.Write([]byte{1})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
		last, left := int64(1), 0
		try := func(at string, n int, wait time.Duration) {
			cmd, out := startChild(t, "checkpoint", path, where, at, n)
			timer := randomMoment(cmd, wait)
			for out.Scan() {
				if _, err := fmt.Sscanf(out.Text(), "checkpoint %d", &last); err != nil {
					t.Fatalf("child says %q", out.Text())
				}
			}
			waitKilled(t, cmd)
			timer.Stop()
			left += len(checkpointFiles(t, path))
			db := openStore(t, path, nil)
			if report := checkStore(t, db); len(report.Notes) > 0 {
				t.Errorf("%s, %s %d: opening left %q", where, at, n, report.Notes)
			}
			job, err := db.Job(context.Background(), 1)
			if err != nil || job.State != JobInterrupted || job.Done < last || job.Done > last+1 {
				t.Fatalf("%s, %s %d: %+v after checkpoint %d, %v", where, at, n, job, last, err)
			}
			data, err := readCheckpoint(db, 1)
			if err != nil || slices.ContainsFunc(data, func(b byte) bool { return b != byte(job.Done) }) {
				t.Fatalf("%s, %s %d: checkpoint %d is %d bytes of others, %v", where, at, n, job.Done, len(data), err)
			}
			files := len(checkpointFiles(t, path))
			if left -= files; where == "beside" && files != 1 || where == "inside" && files != 0 {
				t.Errorf("%s, %s %d: %q", where, at, n, checkpointFiles(t, path))
			}
			last = job.Done
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for n := 0; n < 10; n += repeat.Step(random, 3) {
			try("commit", n, never)
		}
		for n := range repeat.Times(2) {
			try("write", n, never)
			try("remove", n, never)
			try("", 0, time.Duration(random.IntN(150))*time.Millisecond)
		}
		if last < 2 || (left > 0) != (where == "beside") {
			t.Errorf("%s: the test killed too early: checkpoint %d, %d files that no job had", where, last, left)
		}
	}
}

// Many checkpoints, in turn beside the file and inside of it: the last is read, the files of the others are
// removed, and the store grows by those inside alone. Jobs that are done, superseded or dropped
// leave none.
func TestPutJobCheckpoint_Replaced(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	beside := db.file.Beside
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	for i := range 12 {
		data := checkpointOf(t, db, JobInfo{ID: 1, Target: "e", State: JobRunning}, 1<<20+i)
		got, err := readCheckpoint(db, 1)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("checkpoint %d: %d bytes, %v", i, len(got), err)
		}
		if files := checkpointFiles(t, path); len(files) != 1 {
			t.Fatalf("checkpoint %d: %q", i, files)
		}
	}
	if grown := size() - before; grown > before/5 {
		t.Errorf("12 checkpoints beside a file of %d bytes made it grow by %d", before, grown)
	}
	for i := range 4 {
		db.file.Beside = beside
		if i%2 == 0 {
			inFile(db)
		}
		data := checkpointOf(t, db, JobInfo{ID: 1, Target: "e", State: JobCancelled}, 1<<18+i)
		if got, err := readCheckpoint(db, 1); err != nil || !bytes.Equal(got, data) {
			t.Errorf("in turn, %d: %d bytes, %v", i, len(got), err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	for id := range uint64(3) {
		checkpointOf(t, db, JobInfo{ID: 2 + id, Target: "e", State: JobCancelled}, 100)
	}
	if n := len(checkpointFiles(t, path)); n != 4 {
		t.Fatalf("%d files of 4 jobs", n)
	}
	if err := db.DropJob(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if n := len(checkpointFiles(t, path)); n != 3 {
		t.Errorf("%d files after one of 4 jobs was dropped", n)
	}
	if err := db.PutJob(ctx, JobInfo{ID: 3, Target: "e", State: JobDone}); err != nil {
		t.Fatal(err)
	}
	if files := checkpointFiles(t, path); len(files) > 0 {
		t.Errorf("a job that is done leaves %q", files)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Jobs) > 0 {
		t.Errorf("%+v, %v", stats.Jobs, err)
	}
}

// A checkpoint that cannot be written leaves the one before, and no file.
func TestPutJobCheckpoint_Refused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	job := JobInfo{ID: 1, State: JobRunning}
	data := checkpointOf(t, db, job, 3*tree.BlobBlock)
	ctx, cancel := context.WithCancel(context.Background())
	for name, write := range map[string]func(w io.Writer) error{
		"by its writer": func(w io.Writer) error { _, _ = w.Write(data); return errDisk },
		"by its record": func(w io.Writer) error { _, err := w.Write(data); return err },
		"by its end":    func(w io.Writer) error { cancel(); _, err := w.Write(data); return err },
	} {
		bad := job
		if name == "by its record" {
			bad.State = "unknown"
		}
		if err := db.PutJobCheckpoint(ctx, bad, write); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if got, err := readCheckpoint(db, 1); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes are left, %v", name, len(got), err)
		}
		if files := checkpointFiles(t, path); len(files) != 1 {
			t.Errorf("%s: %q", name, files)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	reader := openStore(t, path, &Options{ReadOnly: true})
	if err := reader.PutJobCheckpoint(t.Context(), job, func(io.Writer) error { return nil }); !errors.Is(err, ErrReadOnly) {
		t.Errorf("in a store for reading: %v", err)
	}
	if got, err := readCheckpoint(reader, 1); err != nil || !bytes.Equal(got, data) {
		t.Errorf("read from a store for reading: %d bytes, %v", len(got), err)
	}
}

// Damage of the file of a checkpoint is found, and a job whose file is lost has no checkpoint.
func TestJobCheckpoint_Damage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db := openStore(t, path, nil)
	data := checkpointOf(t, db, JobInfo{ID: 1, State: JobCancelled}, 3*tree.BlobBlock+50)
	name := checkpointFiles(t, path)[0]
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	put := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const whole = block.ChecksumSize + tree.BlobBlock
	damaged := map[string][]byte{"blocks in another order": slices.Concat(sound[whole:2*whole], sound[:whole], sound[2*whole:])}
	for at := 0; at < len(sound); at += repeat.Every(20_000) {
		content := bytes.Clone(sound)
		content[at] ^= 1 << (at % 8)
		damaged[fmt.Sprint("byte ", at)] = content
	}
	for what, content := range damaged {
		put(content)
		var file *FileError
		if _, err := readCheckpoint(db, 1); !errors.Is(err, ErrCorrupt) || !errors.As(err, &file) || file.Path != name || file.Object != "checkpoint of job 1" || file.Remedy == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	lost := map[string]func(){
		"removed":   func() { _ = os.Remove(name) },
		"truncated": func() { put(sound[:len(sound)-1]) },
		"longer":    func() { put(append(bytes.Clone(sound), 0)) },
		"a folder":  func() { _ = errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
	}
	for what, lose := range lost {
		lose()
		job, err := db.Job(t.Context(), 1)
		list, listErr := db.Jobs(t.Context())
		_, readErr := readCheckpoint(db, 1)
		if err != nil || listErr != nil || job.Checkpoint != 0 || list[0].Checkpoint != 0 || job.CheckpointFile != name || !errors.Is(readErr, ErrNotFound) {
			t.Errorf("%s: %+v, %v, %v, %v", what, job, err, listErr, readErr)
		}
		_ = os.Remove(name)
		put(sound)
	}
	if got, err := readCheckpoint(db, 1); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the sound file: %d bytes, %v", len(got), err)
	}
}

// Opening for writing removes files of checkpoints of this store that no job has: not those of
// other stores, not while a record is damaged, and not when it opens for reading.
func TestOpen_Checkpoints(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "st[o]re*")
	db := openStore(t, path, nil)
	data := checkpointOf(t, db, JobInfo{ID: 1, State: JobCancelled}, 100)
	own := checkpointFiles(t, path)[0]
	closed := func(opts *Options) {
		t.Helper()
		if err := errors.Join(db.Close(), openStore(t, path, opts).Close()); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	stale := in(".st[o]re*.7.checkpoint")
	kept := []string{own, in(".st[o]re*.checkpoint"), in(".st[o]re*.x.checkpoint"), in(".st[o]re*.5.6.checkpoint"), in(".store.1.checkpoint"), in("st[o]re*.1.checkpoint")}
	for _, name := range append(kept[1:], stale) {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool { _, err := os.Lstat(name); return err == nil }
	if closed(&Options{ReadOnly: true}); !there(stale) {
		t.Error("opening for reading removed a file")
	}
	withRoot(t, path, func(root *bolt.Bucket) error {
		return root.Bucket(block.JobsName).Put(block.Key64(9), []byte("damaged"))
	})
	if damaged, err := Open(path, nil); err != nil || damaged.Close() != nil || !there(stale) {
		t.Errorf("a file was removed while a record is damaged: %v", err)
	}
	withRoot(t, path, func(root *bolt.Bucket) error { return root.Bucket(block.JobsName).Delete(block.Key64(9)) })
	closed(nil)
	if there(stale) {
		t.Error("a file is left that no job has")
	}
	for _, name := range kept {
		if !there(name) {
			t.Errorf("%s was removed", name)
		}
	}
	if got, err := readCheckpoint(openStore(t, path, nil), 1); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Two stores in the file of an application keep their checkpoints apart, and each removes only what
// it has left itself.
func TestAttach_Checkpoints(t *testing.T) {
	t.Parallel()
	b := appFile(t)
	first, second := attach(t, b, "first", nil), attach(t, b, "second", nil)
	one, two := checkpointOf(t, first, JobInfo{ID: 1, State: JobCancelled}, 1000), checkpointOf(t, second, JobInfo{ID: 1, State: JobCancelled}, 2000)
	files := checkpointFiles(t, b.Path())
	if len(files) != 2 {
		t.Fatalf("%q", files)
	}
	var stale []string
	for _, name := range files { // the number of a file ends its name
		end := "." + tree.KindBeside
		name = strings.TrimSuffix(name, end)
		name = name[:strings.LastIndexByte(name, '.')] + ".7" + end
		stale = append(stale, name)
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	first = attach(t, b, "first", nil)
	left := 0
	for _, name := range stale {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			left++
		}
	}
	if left != 1 {
		t.Errorf("attaching one of two stores left %d of %q", left, stale)
	}
	for db, want := range map[*DB][]byte{first: one, second: two} {
		if got, err := readCheckpoint(db, 1); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
		}
	}
}

// TestPutJobCheckpoint_PowerLoss takes images of the folder before a commit, with any part of
// the new checkpoint lost, which the commit waits for, and after it, before the old one is removed: the old
// or the new checkpoint is complete.
func TestPutJobCheckpoint_PowerLoss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store")
	db := openStore(t, path, nil)
	old := checkpointOf(t, db, JobInfo{ID: 1, State: JobRunning, Done: 1}, 2*tree.BlobBlock)
	first := checkpointFiles(t, path)[0]
	images := map[string]map[string][]byte{}
	take := func(when string) map[string][]byte {
		image := make(map[string][]byte)
		entries, err := os.ReadDir(dir)
		for _, entry := range entries {
			var data []byte
			if err == nil {
				data, err = os.ReadFile(filepath.Join(dir, entry.Name()))
			}
			image[entry.Name()] = data
		}
		if err != nil {
			t.Fatal(err)
		}
		images[when] = image
		return image
	}
	db.file.BeforeCommit = func() error {
		image := take("before, whole")
		for name, data := range image {
			if name != "store" && name != filepath.Base(first) {
				for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
					torn := take(fmt.Sprintf("before, %d bytes", n))
					torn[name] = data[:n]
				}
				gone := take("before, no name")
				delete(gone, name)
			}
		}
		return nil
	}
	db.file.AtStep = func(string) { take("after") }
	fresh := checkpointOf(t, db, JobInfo{ID: 1, State: JobRunning, Done: 2}, 3*tree.BlobBlock)
	db.file.BeforeCommit, db.file.AtStep = nil, nil
	take("removed")
	if len(images) != 8 {
		t.Fatalf("%d images", len(images))
	}
	for when, image := range images {
		at := t.TempDir()
		for name, data := range image {
			if err := os.WriteFile(filepath.Join(at, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, done := fresh, int64(2)
		if strings.HasPrefix(when, "before") {
			want, done = old, 1
		}
		db := openStore(t, filepath.Join(at, "store"), nil)
		job, err := db.Job(t.Context(), 1)
		got, readErr := readCheckpoint(db, 1)
		if err != nil || readErr != nil || job.Done != done || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d with progress %d, %v, %v", when, len(got), len(want), job.Done, err, readErr)
		}
		if files := checkpointFiles(t, db.Path()); len(files) != 1 {
			t.Errorf("%s: %q", when, files)
		}
	}
}
