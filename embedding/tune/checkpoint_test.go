package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding"
)

// TestSearch_Resumed stops a search after each of several trials, resumes from the
// checkpoint, and expects the trials of a search that was never stopped, with no
// judgement made twice.
func TestSearch_Resumed(t *testing.T) {
	g := attachment(t, 60, 2)
	want := embedding.SpectralOptions{Dim: 4, Normalization: embedding.Degree, Beta: new(0.7), Scale: new(0.4), RowScale: new(0.2)}
	methods := []Method{
		{Name: embedding.MethodDPSpectral, Spectral: embedding.SpectralOptions{Dim: 4, Normalization: embedding.Degree}},
		{Name: embedding.MethodDPWalker, Walks: embedding.WalkOptions{Dim: 4, Walks: 1, Length: 5}},
	}
	best := spectral(t, g, want)
	// run stops after stop judgements, and returns the last checkpoint.
	run := func(stop int, from io.Reader) (*Result, *wanted, []byte, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		objective := &wanted{g: g, best: best}
		var last bytes.Buffer
		found, err := Search(ctx, objective, methods, Options{
			Trials: 60, Workers: 1, // so that no trial begins before it is asked for
			Progress: func(string, int64, int64) {
				if int(objective.seen.Load()) == stop {
					cancel()
				}
			},
			Checkpoints: embedding.Checkpoints{From: from, Save: func(write func(io.Writer) error) error {
				last.Reset()
				return write(&last)
			}},
		})
		return found, objective, last.Bytes(), err
	}
	whole, _, _, err := run(-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := func(r *Result) string {
		list := slices.Clone(r.Trials)
		for i := range list {
			list[i].Seconds = 0
		}
		return fmt.Sprint(list, r.Reason, r.Stage, r.Left)
	}
	for _, stop := range []int{1, 7, 33, 55} {
		_, _, checkpoint, err := run(stop, nil)
		if !errors.Is(err, context.Canceled) || len(checkpoint) == 0 {
			t.Fatalf("stopped after %d: %v", stop, err)
		}
		found, objective, _, err := run(-1, bytes.NewReader(checkpoint))
		if err != nil {
			t.Fatal(err)
		}
		if text(found) != text(whole) || int(objective.seen.Load()) != len(whole.Trials)-stop {
			t.Errorf("after %d of %d trials: %d more\n%s\nnot\n%s", stop, len(whole.Trials), objective.seen.Load(), text(found), text(whole))
		}
	}
	_, _, checkpoint, _ := run(3, nil)
	other := strings.Replace(string(checkpoint), `"stage":0`, `"stage":1`, 1)
	older := strings.Replace(string(checkpoint), `"version":4`, `"version":3`, 1)
	for _, bad := range []string{"", "{", other, older, `[{"stage":0}]`, strings.Replace(string(checkpoint), `"score":"-`, `"score":"x`, 1)} {
		if _, _, _, err := run(-1, strings.NewReader(bad)); !errors.Is(err, embedding.ErrCheckpoint) {
			t.Errorf("a checkpoint that is none: %v", err)
		}
	}
}

// FuzzReadSearch expects that trials that were read are the same after they are written and
// read again.
func FuzzReadSearch(f *testing.F) {
	f.Add([]byte(`{"version":4,"seconds":1.5,"trials":[{"stage":1,"method":"m","options":[{"name":"beta","value":"0.5"}],"score":"NaN","measures":[{"name":"auc","value":"0.9"}],"seconds":1.5}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		search, err := readSearch(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, embedding.ErrCheckpoint) {
				t.Error(err)
			}
			return
		}
		for _, s := range search.Trials {
			j, err := s.judgement()
			if err != nil {
				t.Fatal(err)
			}
			again := saved(Trial{Stage: Stage(s.Stage), Judgement: j})
			if k, err := again.judgement(); err != nil || fmt.Sprint(k) != fmt.Sprint(j) {
				t.Errorf("%v, not %v: %v", k, j, err)
			}
		}
	})
}
