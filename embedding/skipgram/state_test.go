package skipgram

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"heavytail/embedding/walk"
)

// states trains with a checkpoint after every batch, and returns these as bytes.
func states(t testing.TB, c Corpus, o Options) (saved [][]byte) {
	t.Helper()
	o.Checkpoints = Checkpoints{Save: func(s *State) error {
		var b bytes.Buffer
		err := s.Write(&b)
		saved = append(saved, b.Bytes())
		return err
	}}
	train(t, c, o)
	return saved
}

// A training that is resumed from any checkpoint ends with the same bytes, losses and
// counts as without a stop.
func TestTrain_From(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	g := communities(t, 600) // two parts
	for name, o := range map[string]Options{
		"softmax":  {Dim: 32, Epochs: 2, Seed: 3}, // whose rows are taken over
		"negative": {Dim: 20, Epochs: 2, Negative: 5, Seed: 3},
	} {
		t.Run(name, func(t *testing.T) {
			c := walks(t, g, walk.Options{Walks: 1, Length: 20})
			want, wantStats := train(t, c, o)
			saved := states(t, c, o)
			if len(saved) < 5 {
				t.Fatalf("only %d checkpoints", len(saved))
			}
			starts := 8
			step := max(1, len(saved)/starts)
			for i := 0; i < len(saved); i += step {
				from, err := ReadState(bytes.NewReader(saved[i]), c.Vertices, o)
				if err != nil {
					t.Fatal(err)
				}
				resumed := o
				resumed.From = from
				got, stats := train(t, c, resumed)
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("checkpoint %d: other vectors", i)
				}
				if stats.Visits != wantStats.Visits || stats.Pairs != wantStats.Pairs || !slices.Equal(stats.Loss, wantStats.Loss) {
					t.Errorf("checkpoint %d: %+v instead of %+v", i, stats, wantStats)
				}
			}
		})
	}
}

// When its context ends, a training saves its state once more.
func TestTrain_SavesWhenCancelled(t *testing.T) {
	c := walks(t, communities(t, 600), walk.Options{Walks: 1, Length: 20})
	o := Options{Dim: 20, Seed: 3}
	want, _ := train(t, c, o)
	ctx, cancel := context.WithCancel(context.Background())
	var saved bytes.Buffer
	o.Checkpoints = Checkpoints{Every: math.MaxInt64, Save: func(s *State) error {
		return s.Write(&saved)
	}}
	batches := 0
	o.Progress = func(int64, int64) {
		if batches++; batches == 3 {
			cancel()
		}
	}
	if _, _, err := Train(ctx, c, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	o.Checkpoints, o.Progress = Checkpoints{}, nil
	from, err := ReadState(&saved, c.Vertices, o)
	if err != nil || from.Batch != 3 {
		t.Fatalf("%+v, %v", from, err)
	}
	o.From = from
	if got, _ := train(t, c, o); !slices.Equal(got.Data, want.Data) {
		t.Error("other vectors")
	}
	failure := errors.New("disk full")
	o = Options{Dim: 20, Checkpoints: Checkpoints{Save: func(*State) error { return failure }}}
	if _, _, err := Train(context.Background(), c, o); !errors.Is(err, failure) {
		t.Errorf("a save that failed: %v", err)
	}
}

// A state that does not belong to the training is refused.
func TestTrain_FromOther(t *testing.T) {
	c := walks(t, communities(t, 20), walk.Options{Walks: 1, Length: 20})
	state, _, err := TrainState(context.Background(), c, Options{Dim: 8})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{"dimensions": {Dim: 9}, "epochs": {Dim: 8, Epochs: 2, From: &State{}}} {
		if o.From == nil {
			o.From = state
		}
		if _, _, err := Train(context.Background(), c, o); !errors.Is(err, ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again, _, err := TrainState(context.Background(), c, Options{Dim: 8, From: copyOf(state)}); err != nil || !slices.Equal(again.Vectors.Data, state.Vectors.Data) {
		t.Errorf("from the end: %v", err)
	}
}

func FuzzReadState(f *testing.F) {
	c := walks(f, communities(f, 3), walk.Options{Walks: 1, Length: 5})
	o := Options{Dim: 2, Epochs: 2}
	state, _, err := TrainState(context.Background(), c, o)
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := state.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-1])
	f.Add(append(bytes.Clone(b.Bytes()), 0))
	wrong := bytes.Clone(b.Bytes())
	binary.LittleEndian.PutUint64(wrong[8:], math.MaxUint64)
	f.Add(wrong)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadState(bytes.NewReader(data), c.Vertices, o)
		if err != nil {
			if !errors.Is(err, ErrState) {
				t.Errorf("%v", err)
			}
			return
		}
		var again bytes.Buffer
		if err := s.Write(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%d bytes are written as others: %v", len(data), err)
		}
		if back, err := ReadState(&again, c.Vertices, o); err != nil || !slices.Equal(back.Visits, s.Visits) {
			t.Errorf("read again: %v", err)
		}
	})
}
