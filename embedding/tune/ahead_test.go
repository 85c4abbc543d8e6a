package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"heavytail/embedding"
	"heavytail/storage/vec"
)

// abreast is an objective that counts how many judgements run at a time. A judgement that
// has met no other one waits for it, if it may.
type abreast struct {
	dice
	mu      sync.Mutex
	running int
	most    int
	met     chan struct{} // closed when two run at a time
}

func (a *abreast) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	a.mu.Lock()
	a.running++
	if a.most = max(a.most, a.running); a.running == 2 && a.met != nil {
		close(a.met)
		a.met = nil
	}
	met := a.met
	a.mu.Unlock()
	if met != nil {
		select {
		case <-met:
		case <-ctx.Done():
		}
	}
	defer func() {
		a.mu.Lock()
		a.running--
		a.mu.Unlock()
	}()
	return a.dice.Judge(ctx, m, effort, workers)
}

// inOrder returns the trials of a search in their order, as text without times.
func inOrder(r *Result) []string {
	list := slices.Clone(r.Trials)
	slices.SortFunc(list, func(a, b Trial) int { return a.Number - b.Number })
	var text []string
	for _, t := range list {
		t.Seconds = 0
		text = append(text, fmt.Sprint(t))
	}
	return append(text, fmt.Sprint(r.Reason, r.Stage, r.Left, r.Missing))
}

// TestSearch_SideBySide searches with misleading scores, with one worker and with several,
// to every kind of end, and expects the same trials. With several workers two trials run at a
// time and never three.
func TestSearch_SideBySide(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, close := range []Closeness{Estimate, Same, Apart} {
		for _, trials := range []int{0, 1, 2, 13, 30} {
			want, err := Search(t.Context(), &dice{g: g, close: close, seed: 4}, small(), Options{Trials: trials, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, opts := range []Options{{Workers: 2}, {Workers: 5}, {Workers: 5, OneAtATime: true}} {
				objective := &abreast{dice: dice{g: g, close: close, seed: 4}}
				most := 1
				if !opts.OneAtATime && (trials == 0 || trials > 2) {
					objective.met, most = make(chan struct{}), 2
				}
				opts.Trials = trials
				found, err := Search(t.Context(), objective, small(), opts)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(inOrder(found), inOrder(want)) || trials != 2 && objective.most != most {
					t.Errorf("closeness %d, %+v: %d trials at a time\n%q\nnot\n%q", close, opts, objective.most, inOrder(found), inOrder(want))
				}
			}
		}
	}
}

// TestSearch_SideBySideResumed cancels a search with several workers after each of several
// trials, resumes it from the last checkpoint, and expects the trials of a whole search.
func TestSearch_SideBySideResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops and resumes a search again and again")
	}
	t.Parallel()
	g := attachment(t, 30, 2)
	run := func(stop int, from io.Reader) (*Result, []byte, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last bytes.Buffer
		found, err := Search(ctx, &dice{g: g, seed: 6}, small(), Options{
			Workers: 3,
			Progress: func(_ string, done, _ int64) {
				if int(done) == stop {
					cancel()
				}
			},
			Checkpoints: embedding.Checkpoints{From: from, Save: func(write func(io.Writer) error) error {
				last.Reset()
				return write(&last)
			}},
		})
		return found, last.Bytes(), err
	}
	whole, _, err := run(-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop < len(whole.Trials); stop += 5 {
		_, checkpoint, err := run(stop, nil)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d: %v", stop, err)
		}
		found, _, err := run(-1, bytes.NewReader(checkpoint))
		if err != nil || !slices.Equal(inOrder(found), inOrder(whole)) {
			t.Errorf("resumed after %d trials: %v\n%v\nnot\n%v", stop, err, found, whole)
		}
	}
}

// failing is an objective whose judgement number fails fails.
type failing struct {
	dice
	mu    sync.Mutex
	fails int
}

var errJudge = errors.New("no judgement")

func (f *failing) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	f.mu.Lock()
	f.fails--
	now := f.fails == 0
	f.mu.Unlock()
	if now {
		return Judgement{}, errJudge
	}
	return f.dice.Judge(ctx, m, effort, workers)
}

// TestSearch_SideBySideFails expects the error of a judgement as the error of the search, or
// the trials of a search without one if the trial that failed was never asked for.
func TestSearch_SideBySideFails(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	want, err := Search(t.Context(), &dice{g: g}, small(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for fails := 1; fails < 20; fails++ {
		found, err := Search(t.Context(), &failing{dice: dice{g: g}, fails: fails}, small(), Options{Workers: 2})
		switch {
		case errors.Is(err, errJudge):
			failed++
		case err != nil || !slices.Equal(inOrder(found), inOrder(want)):
			t.Errorf("judgement %d fails: %v, %v", fails, found, err)
		}
	}
	if failed < 5 {
		t.Errorf("%d of 19 failures end the search", failed)
	}
}

// TestRunner_Shares expects that goroutines that ask for the same solve at the same time get
// the one solve, and that it is forgotten after others.
func TestRunner_Shares(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	m := Method{Name: embedding.MethodDPSpectral, Spectral: embedding.SpectralOptions{Dim: 3}}
	branches, err := m.branches()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{abreast: 2}
	key := func(beta float64) solveKey {
		return solveKey{graph: g, branch: branches[0], full: true, point: point{beta, 0.5}}
	}
	pairs := make([]*embedding.Eigenpairs, 8)
	vec.Parallel(len(pairs), 1, len(pairs), func(i, _, _ int) { pairs[i], _ = r.solve(t.Context(), key(1), 1) })
	for _, p := range pairs {
		if p == nil || p != pairs[0] {
			t.Fatal("no solve, or several of one key")
		}
	}
	for _, beta := range []float64{2, 1, 3, 0.5} {
		if _, err := r.solve(t.Context(), key(beta), 1); err != nil {
			t.Fatal(err)
		}
	}
	for beta, want := range map[float64]bool{1: true, 2: false, 3: true, 0.5: true} {
		if r.has(key(beta).shared()) != want {
			t.Errorf("the solve of %v is there: %v", beta, !want)
		}
	}
}
