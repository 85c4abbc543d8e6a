package job

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heavytail/.ci/leaktest"
	"heavytail/embedding"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// bench is a store with a runner that saves at every opportunity.
type bench struct {
	*Runner
	store *storage.DB
	cache *session.Cache
	ended atomic.Int64
}

func newBench(t *testing.T) *bench {
	t.Helper()
	store, err := storage.Open(filepath.Join(t.TempDir(), "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{store: store, cache: session.NewCache(1000, true)}
	b.Runner = NewRunner(store, b.cache, 1, func(j storage.JobInfo) string { return "target " + j.Target }, func() { b.ended.Add(1) })
	b.Least, b.Every, b.Soon, b.Late, b.Spacing = 0, 0, 0, 0, 0
	t.Cleanup(func() {
		b.Stop()
		b.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) call(t *testing.T) *session.Call {
	return session.New(t.Context(), b.store, b.cache, nil, "TEST")
}

func spec(target string) Spec {
	return Spec{Kind: "TEST", Text: "TEST " + target, Target: target, Memory: 10, Purpose: "the test", Options: []storage.Setting{{Name: "a", Value: "1"}}}
}

// stopped runs a job that saves text and is then cancelled, and returns its record.
func (b *bench) stopped(t *testing.T, s Spec, text string) storage.JobInfo {
	t.Helper()
	c, j := b.call(t), b.New(storage.JobInfo{}, false)
	outer := c.Ctx
	err := b.Run(c, j, s, func(p embedding.Checkpoints) error {
		if p.From != nil {
			t.Error("a new job has a checkpoint")
		}
		if err := p.Save(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
		j.Cancel()
		<-c.Ctx.Done()
		return c.Ctx.Err()
	})
	last := new(fault.JobError)
	if !errors.As(err, &last) || !errors.Is(err, context.Canceled) || c.Ctx != outer {
		t.Fatalf("%v", err)
	}
	info, err := b.store.Job(t.Context(), last.Job)
	if err != nil || info.State != storage.JobCancelled || info.Checkpoint != int64(len(text)) {
		t.Fatalf("%+v, %v", info, err)
	}
	return info
}

// A cancelled job continues from its last checkpoint, with the same number, and leaves no
// checkpoint when it is done.
func TestRunner_Continues(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	info := b.stopped(t, spec("x"), "half")
	c, j := b.call(t), b.New(info, true)
	err := b.Run(c, j, spec("x"), func(p embedding.Checkpoints) error {
		saved, err := io.ReadAll(p.From)
		if string(saved) != "half" {
			t.Errorf("continues from %q, %v", saved, err)
		}
		j.Result("whole")
		return b.Run(c, j, spec("x"), func(p embedding.Checkpoints) error { // a part of it
			if p.From != nil || p.Save != nil {
				t.Error("a part has checkpoints of its own")
			}
			return nil
		})
	})
	list, listErr := b.List(c)
	if err != nil || listErr != nil || len(c.Notices) != 1 || !strings.Contains(c.Notices[0].Text, "continues from its checkpoint") || len(list) != 1 {
		t.Fatalf("%v, %v, %v, %v", err, listErr, c.Notices, list)
	}
	if done := list[0]; done.ID != info.ID || done.State != storage.JobDone || done.Result != "whole" || done.Checkpoint != 0 || done.Seconds < info.Seconds {
		t.Errorf("%+v", done)
	}
	if b.ended.Load() != 2 || len(b.Active()) > 0 {
		t.Errorf("%d ends, active: %v", b.ended.Load(), b.Active())
	}
}

// The next checkpoint waits for a multiple of the time that the last one took, and until its bytes are
// worth it, unless the job is stopped; then its progress is reported, and is not that of the job.
func TestRunner_Spacing(t *testing.T) {
	t.Parallel()
	const long = 1e6 * time.Hour
	last := strings.Repeat("x", 5<<20) // long enough to report progress
	runnerSpacing(t, func(r *Runner) { r.Spacing = 1e6 }, "first", last)
	runnerSpacing(t, func(r *Runner) { r.Soon, r.Late = long, long }, last)
}

func runnerSpacing(t *testing.T, wait func(r *Runner), want ...string) {
	t.Helper()
	b, last := newBench(t), want[len(want)-1]
	wait(b.Runner)
	c, j := b.call(t), b.New(storage.JobInfo{}, false)
	var stages []string
	c.Meter.Report = func(p rows.Progress) { stages = append(stages, p.Stage+" "+p.Unit) }
	var saved []string
	written := ""
	b.AtCheckpoint = func(point string) {
		if point == "end" {
			saved = append(saved, written)
		}
	}
	_ = b.Run(c, j, spec("x"), func(p embedding.Checkpoints) error {
		c.Meter.Update("training", 3, 7)
		save := func(text string) {
			err := p.Save(func(w io.Writer) error { written = text; _, err := io.WriteString(w, text); return err })
			if err != nil {
				t.Error(err)
			}
		}
		save("first")
		save("too early")
		j.Cancel()
		<-c.Ctx.Done()
		save(last)
		return c.Ctx.Err()
	})
	if !slices.Equal(saved, want) {
		t.Errorf("saved %d texts, expected %d", len(saved), len(want))
	}
	if want := []string{"training steps", "saving a checkpoint bytes"}; !slices.Equal(stages, want) {
		t.Errorf("stages %q, expected %q", stages, want)
	}
	if info := j.Info(); info.Stage != "training" || info.Done != 3 || info.Total != 7 {
		t.Errorf("the record of the stopped job has %+v", info)
	}
	b.Spacing, b.Soon, b.Late, b.AtCheckpoint = 0, 0, 0, func(string) {}
	c, j = b.call(t), b.New(storage.JobInfo{}, false)
	count := 0
	err := b.Run(c, j, spec("y"), func(p embedding.Checkpoints) error {
		for range 3 {
			if err := p.Save(func(w io.Writer) error { count++; _, err := io.WriteString(w, "x"); return err }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || count != 3 {
		t.Errorf("%d checkpoints without a spacing, expected 3; %v", count, err)
	}
}

// A job has its record once it has run for Least, while it runs.
func TestRunner_Record(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	recorded := make(chan struct{})
	b.AtRecord = func() { close(recorded) }
	c, j := b.call(t), b.New(storage.JobInfo{}, false)
	err := b.Run(c, j, spec("x"), func(embedding.Checkpoints) error {
		<-recorded
		if info, err := b.store.Job(t.Context(), j.Info().ID); err != nil || info.State != storage.JobRunning || info.Statement != "TEST x" {
			t.Errorf("%+v, %v", info, err)
		}
		return nil
	})
	if info, gone := b.store.Job(t.Context(), j.Info().ID); err != nil || gone != nil || info.State != storage.JobDone {
		t.Errorf("%+v, %v, %v", info, err, gone)
	}
	b.Least, b.AtRecord = time.Hour, func() { t.Error("a short job has a record") }
	j = b.New(storage.JobInfo{}, false)
	if err := b.Run(c, j, spec("x"), func(embedding.Checkpoints) error { return nil }); err != nil || j.Info().ID != 0 {
		t.Errorf("a short job: %+v, %v", j.Info(), err)
	}
}

// What jobs write as checkpoints is bounded by their results, and what a killed process loses by the
// time that they are worth. The state of a job may vary in size: then small ones are saved.
func TestRunner_Worth(t *testing.T) {
	const result = 2 * smallest
	for _, size := range []float64{0.001, 0.25, 0.9, 1.35, 2.5, 3, 8} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.Every, b.Soon, b.Late = every, soon, late
			s := spec("x")
			s.Result = result
			began, last, gap := time.Now(), time.Duration(0), time.Duration(0)
			var written, large int64
			b.AtCheckpoint = func(point string) {
				if now := time.Since(began); point == "begin" {
					gap, last = now-last, now
				}
			}
			err := b.Run(b.call(t), b.New(storage.JobInfo{}, false), s, func(p embedding.Checkpoints) error {
				for time.Since(began) < 40*time.Minute {
					time.Sleep(p.Every)
					before, bytes, extra := last, int64(size*result), int64(0)
					if int(time.Since(began).Seconds())%7 > 0 {
						extra = bytes
					}
					if err := p.Save(func(w io.Writer) error { _, err := w.Write(make([]byte, bytes+extra)); return err }); err != nil {
						return err
					}
					ran := time.Since(began)
					if last != before {
						written += bytes + extra
						large += extra
						// A small one comes up every seven seconds, and a large one is worth twice the time.
						if most := max(every, time.Duration(size*float64(min(max(2*before, soon), late)))); gap < most || gap > max(2*most, bounded)*(tries+1)/tries+2*time.Second {
							t.Errorf("%g times the result: a checkpoint after %v and the next after %v, expected %v", size, before, last, most)
						}
					}
					if total := result + written; total > 5*result && ran <= bounded {
						t.Errorf("%g times the result: %d times the result was written in %v", size, total/result, ran)
						return nil
					}
				}
				return nil
			})
			if err != nil || written == 0 || last < bounded/2 && size <= 2 || size > 1 && size < 4 && large > written/4 {
				t.Errorf("%g times the result: %v, %d bytes written until %v, %d of them larger than the smallest", size, err, written, last, large)
			}
		})
	}
}

// A checkpoint is not used if the result could have different bytes, or if it cannot be
// read; a notice says so.
func TestRunner_StartsOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	info := b.stopped(t, spec("x"), "half")
	for why, change := range map[string]func(*storage.JobInfo, *Spec){
		"it has no checkpoint":                 func(j *storage.JobInfo, _ *Spec) { j.Checkpoint, j.CheckpointFile = 0, "" },
		"is lost: there is no whole file":      func(j *storage.JobInfo, _ *Spec) { j.Checkpoint = 0 },
		"a processor of another kind":          func(j *storage.JobInfo, _ *Spec) { j.Kernel = "abacus" },
		"defaults of its options have changed": func(_ *storage.JobInfo, s *Spec) { s.Options[0].Value = "2" },
		"graph g was dropped and recreated":    func(_ *storage.JobInfo, s *Spec) { s.Graph = storage.GraphInfo{Name: "g", ID: 7} },
		"checkpoint cannot be used":            func(*storage.JobInfo, *Spec) {},
	} {
		old, s := info, spec("x")
		change(&old, &s)
		c, runs := b.call(t), 0
		err := b.Run(c, b.New(old, true), s, func(p embedding.Checkpoints) error {
			if runs++; p.From != nil {
				return embedding.ErrCheckpoint
			}
			return errors.New("enough")
		})
		last := ""
		if n := len(c.Notices); n > 0 {
			last = c.Notices[n-1].Text // after that of a checkpoint that could then not be read
		}
		if err == nil || runs == 0 || !strings.Contains(last, "starts over: ") || !strings.Contains(last, why) {
			t.Errorf("%s: %v, %d runs, notices %v", why, err, runs, c.Notices)
		}
	}
}

// While a job writes a target no other job may write it; a job with another target may run,
// and one that needs more memory than is free may not.
func TestRunner_OneForEachTarget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	nothing := func(embedding.Checkpoints) error { return nil }
	c := b.call(t)
	err := b.Run(c, b.New(storage.JobInfo{}, false), spec("x"), func(embedding.Checkpoints) error {
		if b.Holder("x") == nil || b.Holder("y") != nil {
			t.Error("the holder of x is not known")
		}
		err := b.Run(b.call(t), b.New(storage.JobInfo{}, false), spec("x"), nothing)
		if !errors.Is(err, storage.ErrConflict) || !strings.Contains(err.Error(), "target x is being computed by another TEST") {
			t.Errorf("two of one target: %v", err)
		}
		if _, err := b.List(b.call(t)); err != nil { // numbers it
			t.Error(err)
		}
		if _, err := b.Background(b.call(t), spec("x").Info(), nil); err == nil || !strings.Contains(err.Error(), "by job 1") {
			t.Errorf("two of one target: %v", err)
		}
		return b.Run(b.call(t), b.New(storage.JobInfo{}, false), spec("y"), nothing)
	})
	if err != nil || b.Holder("x") != nil {
		t.Error(err)
	}
	large := spec("x")
	large.Memory = 1001
	if err := b.Run(c, b.New(storage.JobInfo{}, false), large, nothing); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too large: %v", err)
	}
}

// Jobs in the background wait for each other, and Stop interrupts the running and the
// waiting ones.
func TestRunner_Background(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c, reached := b.call(t), make(chan struct{})
	run := func(ctx context.Context, j *Active) error {
		call := session.New(ctx, b.store, b.cache, nil, "TEST")
		return b.Run(call, j, spec("x"), func(embedding.Checkpoints) error {
			close(reached)
			<-call.Ctx.Done()
			return call.Ctx.Err()
		})
	}
	first, err := b.Background(c, spec("x").Info(), run)
	if err != nil {
		t.Fatal(err)
	}
	<-reached
	second, err := b.Background(c, spec("y").Info(), run)
	if err != nil {
		t.Fatal(err)
	}
	var states []storage.JobState
	for _, j := range b.Active() {
		states = append(states, j.State)
	}
	if !slices.Equal(states, []storage.JobState{storage.JobRunning, storage.JobQueued}) {
		t.Errorf("%v", states)
	}
	b.Stop()
	b.Wait()
	for _, id := range []uint64{first.ID, second.ID} {
		if info, err := b.store.Job(t.Context(), id); err != nil || info.State != storage.JobInterrupted {
			t.Errorf("%+v, %v", info, err)
		}
	}
}

// A job reserves what it has in use with the garbage of the heap, but no more than it allocates.
func TestSpec_Bytes(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct {
		spec Spec
		want int64
	}{
		{Spec{Memory: mib}, 2 * mib},
		{Spec{Memory: 100 * mib}, 120 * mib},
		{Spec{Memory: 100 * mib, Beside: 50 * mib}, 130 * mib},
		{Spec{Memory: 100 * mib, Allocates: 105 * mib}, 105 * mib},
	} {
		if got := c.spec.Bytes(); got != c.want {
			t.Errorf("%+v: %d bytes, expected %d", c.spec, got, c.want)
		}
		if got := c.spec.Info().Memory; got != c.want {
			t.Errorf("%+v: the record has %d bytes, expected %d", c.spec, got, c.want)
		}
	}
}
