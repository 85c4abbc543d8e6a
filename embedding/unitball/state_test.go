package unitball

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/index"
	"heavytail/storage/csr"
)

// stopAt stops a run after a pass, and returns its last checkpoint and its error.
func stopAt(t *testing.T, g *csr.Graph, o Options, stop, many int) ([]byte, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var saved bytes.Buffer
	o.Progress = func(pass, _ int, _ Wrong) {
		if pass == stop {
			cancel()
		}
	}
	o.Checkpoints = Checkpoints{Every: 1 << 60, Save: func(write func(io.Writer) error) error {
		saved.Reset()
		return write(&saved)
	}}
	_, _, err := place(ctx, g, o, many)
	return saved.Bytes(), err
}

// TestEmbed_Resume stops a run after every pass and continues it from its last checkpoint.
func TestEmbed_Resume(t *testing.T) {
	g := grown(t, 200, 8)
	for i, anchor := range []float64{0, 0.05, 0} {
		many := manyVertices
		if i == 2 {
			many = 0
		}
		o := Options{Dim: 8, Passes: 12, Seed: 5, Anchor: &anchor}
		want, _ := embedMany(t, g, o, many)
		for stop := range 13 {
			if testing.Short() && stop%3 > 0 {
				continue
			}
			saved, err := stopAt(t, g, o, stop, many)
			if stop < 12 && !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped at pass %d: %v", stop, err)
			}
			if stop == 12 {
				continue
			}
			again := o
			again.Checkpoints.From = bytes.NewReader(saved)
			got, stats := embedMany(t, g, again, many)
			if !slices.Equal(got.Data, want.Data) || stats.Passes != 12 {
				t.Errorf("different rows after a stop at pass %d", stop)
			}
			again.Checkpoints.From = bytes.NewReader(saved[:len(saved)-1-stop])
			if _, _, err := place(t.Context(), g, again, many); !errors.Is(err, ErrCheckpoint) {
				t.Errorf("a truncated checkpoint: %v", err)
			}
			again.Dim++
			again.Checkpoints.From = bytes.NewReader(saved)
			if _, _, err := place(t.Context(), g, again, many); !errors.Is(err, ErrCheckpoint) {
				t.Errorf("a checkpoint of a different dimension: %v", err)
			}
		}
	}
}

// TestEmbed_ResumeSaved continues a run of several rounds from each of the checkpoints that it saved
// while it ran. Some have the rows and the moments alone.
func TestEmbed_ResumeSaved(t *testing.T) {
	for _, many := range []int{manyVertices, 0} {
		resumeSaved(t, many)
	}
}

func resumeSaved(t *testing.T, many int) {
	g := grown(t, 300, 6)
	o := Options{Dim: 24, Passes: 60, Seed: 1}
	if testing.Short() {
		o.Passes = 20
	}
	var all [][]byte
	saving := o
	saving.Checkpoints = Checkpoints{Save: func(write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		all = append(all, b.Bytes())
		return err
	}}
	want, stats := embedMany(t, g, saving, many)
	plain, _ := embedMany(t, g, o, many)
	if !slices.Equal(plain.Data, want.Data) || len(all) < stats.Passes {
		t.Fatalf("%d checkpoints of %d passes, or they changed the result", len(all), stats.Passes)
	}
	sizes := make(map[int]bool) // in matrices
	for i, saved := range all {
		sizes[(len(saved)-8*g.Vertices())/(4*24*g.Vertices())] = true
		if i%5 > 0 && i%o.Passes > 1 {
			continue
		}
		again := o
		again.Checkpoints.From = bytes.NewReader(saved)
		if i%2 > 0 { // stopped once more, before its first move
			var last bytes.Buffer
			again.Checkpoints.Save = func(write func(io.Writer) error) error { return write(&last) }
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := place(ctx, g, again, many); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			again.Checkpoints = Checkpoints{From: &last}
		}
		if got, stats := embedMany(t, g, again, many); !slices.Equal(got.Data, want.Data) {
			t.Errorf("different rows from checkpoint %d, after %d passes", i, stats.Passes)
		}
	}
	if !sizes[1] || !sizes[3] || !sizes[5] || sizes[6] {
		t.Errorf("checkpoints of %v matrices", sizes)
	}
}

// FuzzRead continues runs from any bytes: they are no checkpoint, or the run ends, or their numbers
// are so large that it finds none of its own.
func FuzzRead(f *testing.F) {
	g := grown(f, 12, 2)
	o := Options{Dim: 2, Passes: 4, Rounds: 2, Seed: 1, Workers: 1}
	saving := o
	saving.Checkpoints = Checkpoints{Save: func(write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		f.Add(b.Bytes())
		return err
	}}
	if _, _, err := Embed(f.Context(), g, saving); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again := o
		again.Checkpoints.From = bytes.NewReader(data)
		m, stats, err := Embed(t.Context(), g, again)
		if err != nil && !errors.Is(err, ErrCheckpoint) && !errors.Is(err, index.ErrNotFinite) || err == nil && (m.Rows != 12 || m.Dim != 2 || stats.Passes > 8) {
			t.Errorf("%+v, %v", stats, err)
		}
	})
}

// stopping is a context that is cancelled after a number of calls of Err.
type stopping struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (s *stopping) Err() error {
	if s.left.Add(-1) == 0 {
		s.cancel()
	}
	return s.Context.Err()
}

// TestEmbed_ResumeAnywhere stops a run during joins and measurements.
func TestEmbed_ResumeAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: embeds once for each pass; TestEmbed_Resume stops once")
	}
	for _, many := range []int{manyVertices, 0} {
		resumeAnywhere(t, many)
	}
}

func resumeAnywhere(t *testing.T, many int) {
	g := grown(t, 150, 8)
	o := Options{Dim: 32, Passes: 14, Seed: 5, Workers: 2}
	want, _ := embedMany(t, g, o, many)
	stopped := 0
	for left := int64(1); left < 6000; left += 17 * int64(repeat.Every(3)) {
		ctx := &stopping{}
		ctx.Context, ctx.cancel = context.WithCancel(t.Context())
		ctx.left.Store(left)
		var saved bytes.Buffer
		first := o
		first.Checkpoints = Checkpoints{Every: 1 << 60, Save: func(write func(io.Writer) error) error { return write(&saved) }}
		_, _, err := place(ctx, g, first, many)
		ctx.cancel()
		if err == nil {
			break // the run ended, and would again
		}
		if saved.Len() == 0 {
			continue // only the certificate was missing
		}
		stopped++
		again := o
		again.Checkpoints.From = &saved
		if got, _ := embedMany(t, g, again, many); !slices.Equal(got.Data, want.Data) {
			t.Errorf("different rows after a stop at check %d of the context", left)
		}
	}
	if stopped < 10 {
		t.Errorf("many are %d: only %d runs were stopped", many, stopped)
	}
}
