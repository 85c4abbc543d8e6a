package eigen

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// stopping ends a context at a product.
type stopping struct {
	Operator
	left int
	stop context.CancelFunc
}

func (s *stopping) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	if s.left--; s.left == 0 {
		s.stop()
	}
	return s.Operator.Apply(ctx, y, x, alpha, beta, gamma)
}

// stopped solves until the product with the given number, and returns the state
// that was saved then, or nil where there was none.
func stopped(t *testing.T, op Operator, o Options, products int) (*State, *Result) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var saved bytes.Buffer
	o.Checkpoints = Checkpoints{Every: math.MaxInt64, Save: func(s *State) error {
		saved.Reset()
		return s.Write(&saved)
	}}
	result, err := Solve(ctx, &stopping{op, products, cancel}, o)
	if err == nil {
		return nil, result
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if saved.Len() == 0 {
		return nil, nil
	}
	state, err := ReadState(&saved, op.Size(), min(o.K, op.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return state, nil
}

func sameResult(t *testing.T, name string, got, want *Result) {
	t.Helper()
	if !slices.Equal(got.Vectors.Data, want.Vectors.Data) || !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Residuals, want.Residuals) {
		t.Errorf("%s: other pairs", name)
	}
	if got.Restarts != want.Restarts || got.Products != want.Products || got.Degree != want.Degree || got.Reason != want.Reason {
		t.Errorf("%s: %d restarts, %d products, degree %d, %s; not %d, %d, %d, %s", name,
			got.Restarts, got.Products, got.Degree, got.Reason, want.Restarts, want.Products, want.Degree, want.Reason)
	}
}

// A solve that is stopped at any product, again and again, ends with the same
// bytes as one that was never stopped.
func TestSolve_From(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	for name, c := range map[string]struct {
		values []float64
		o      Options
	}{
		"converges":    {linear(900), Options{K: 25, Gathers: 1}},
		"not filtered": {decades(500, 6), Options{K: 20, Gathers: 1e6}},
		"precision":    {decades(900, 3), Options{K: 25, Gathers: 1, Tolerance: 1e-9}},
		"outliers":     {outliers(900), Options{K: 60, Gathers: 1, Tolerance: 1e-5}},
		"few restarts": {linear(900), Options{K: 25, Gathers: 1, Restarts: 1, Tolerance: 1e-7}},
	} {
		t.Run(name, func(t *testing.T) {
			op := diagonal(c.values)
			counted := &stopping{Operator: op}
			want, err := Solve(context.Background(), counted, c.o)
			if err != nil {
				t.Fatal(err)
			}
			products, from, stops := -counted.left, 0, 9
			for stop := 1; stop <= products; stop += max(1, products/stops) {
				state, _ := stopped(t, op, c.o, stop)
				if state == nil {
					continue
				}
				from++
				o := c.o
				o.From = state
				got, err := Solve(context.Background(), op, o)
				if err != nil {
					t.Fatal(err)
				}
				sameResult(t, name, got, want)
			}
			if from < 3 {
				t.Errorf("only %d states of %d products", from, products)
			}
			o := c.o
			for range 20 {
				state, result := stopped(t, op, o, products/2+3)
				if result != nil {
					sameResult(t, "again and again", result, want)
					return
				}
				if state != nil {
					o.From = state
				}
			}
			t.Error("never ended")
		})
	}
}

// A checkpoint after every block changes nothing, and an error of one ends it.
func TestSolve_Checkpoints(t *testing.T) {
	op, o := diagonal(linear(900)), Options{K: 25, Gathers: 1}
	want, err := Solve(context.Background(), op, o)
	if err != nil {
		t.Fatal(err)
	}
	saves := 0
	o.Checkpoints = Checkpoints{Every: time.Nanosecond, Save: func(*State) error { saves++; return nil }}
	got, err := Solve(context.Background(), op, o)
	if err != nil || saves < 5 {
		t.Fatalf("%d checkpoints, %v", saves, err)
	}
	sameResult(t, "checkpoints", got, want)
	failure := errors.New("disk full")
	o.Checkpoints.Save = func(*State) error { return failure }
	if _, err := Solve(context.Background(), op, o); !errors.Is(err, failure) {
		t.Errorf("a save that failed: %v", err)
	}
	state, _ := stopped(t, op, Options{K: 25, Gathers: 1}, want.Products/Width-4)
	for _, other := range []Options{{K: 26, From: state}, {K: 25, From: state}} {
		size := 900
		if other.K == 25 {
			size = 800
		}
		if _, err := Solve(context.Background(), diagonal(linear(size)), other); !errors.Is(err, ErrState) {
			t.Errorf("a state of another solve: %v", err)
		}
	}
}

// A state of the earlier version, and one with columns that no solve has, are errors.
func TestReadState_Refuses(t *testing.T) {
	state, _ := stopped(t, outliers(900), Options{K: 60, Gathers: 1, Tolerance: 1e-5}, 60)
	if state == nil || state.at.kept == 0 {
		t.Fatal("the solve keeps no columns")
	}
	for name, change := range map[string]func(*State){
		"full of nothing":    func(s *State) { s.at.full = Width },
		"full of too much":   func(s *State) { s.at.full = basisColumns(60) + 1 },
		"keeps the block":    func(s *State) { s.at.kept, s.at.cols = 40, 48; s.h = s.h[:48*48]; s.basis.Cols = 48 },
		"keeps all that are": func(s *State) { s.at.kept = 60 },
		"locks the block":    func(s *State) { s.at.locked = s.at.cols - Width + 1 },
		"locks unwanted":     func(s *State) { s.at.locked = 61 },
	} {
		other := *state
		change(&other)
		var b bytes.Buffer
		if err := other.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadState(&b, 900, 60); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b bytes.Buffer
	if err := state.Write(&b); err != nil {
		t.Fatal(err)
	}
	b.Bytes()[len(stateMagic)-1]--
	if _, err := ReadState(&b, 900, 60); !errors.Is(err, ErrState) {
		t.Errorf("the version before: %v", err)
	}
}

func FuzzReadState(f *testing.F) {
	var b bytes.Buffer
	s := newSolver(diagonal(linear(40)), Options{K: 2}.withDefaults())
	s.opts.Checkpoints.Save = func(s *State) error { return s.Write(&b) }
	if err := s.choose(context.Background()); err != nil {
		f.Fatal(err)
	}
	s.mark()
	if err := s.save(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-1])
	for at := 8; at < 120; at += 8 {
		wrong := bytes.Clone(b.Bytes())
		binary.LittleEndian.PutUint64(wrong[at:], 1<<40)
		f.Add(wrong)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		state, err := ReadState(bytes.NewReader(data), 40, 2)
		if err != nil {
			if !errors.Is(err, ErrState) {
				t.Error(err)
			}
			return
		}
		s := newSolver(diagonal(linear(40)), Options{K: 2}.withDefaults())
		if err := s.restore(state); err != nil {
			t.Errorf("read, but not taken: %v", err)
		}
	})
}
