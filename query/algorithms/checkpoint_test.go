package algorithms

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"testing"

	"heavytail/storage/checkpoint"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
)

// TestCheckpoints stops measures at some of their checkpoints, and continues them with
// another number of workers.
func TestCheckpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops each measure again and again")
	}
	t.Parallel()
	g := checkpointGraph(t)
	other, err := generate.ErdosRenyi{N: 100, P: 0.05}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const apart = 3
	for name, f := range map[string]func(context.Context, *csr.Graph, Work, checkpoint.Checkpoints) (any, error){
		"harmonic": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Harmonic(ctx, g, DistanceOptions{Work: w, Checkpoints: c})
		},
		"closeness": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Closeness(ctx, g, DistanceOptions{Work: w, Checkpoints: c})
		},
		"lengths": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Harmonic(ctx, weighted(g), DistanceOptions{Work: w, Checkpoints: c, Weighted: true, Sources: 40})
		},
		"betweenness": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Betweenness(ctx, g, DistanceOptions{Work: w, Checkpoints: c})
		},
		"estimates": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Betweenness(ctx, g, DistanceOptions{Work: w, Checkpoints: c, Sources: 50})
		},
		"eccentricity": func(ctx context.Context, g *csr.Graph, w Work, c checkpoint.Checkpoints) (any, error) {
			return Eccentricity(ctx, g, EccentricityOptions{w, c})
		},
	} {
		want, err := f(t.Context(), g, Work{}, checkpoint.Checkpoints{})
		if err != nil {
			t.Fatal(name, err)
		}
		stops := 0
		for at := 0; ; at = apart*at + 1 {
			saved, err := stopAt(t, at, func(ctx context.Context, c checkpoint.Checkpoints) error {
				_, err := f(ctx, g, Work{Workers: 1}, c)
				return err
			})
			if err == nil {
				break
			}
			stops++
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s stopped at %d: %v", name, at, err)
			}
			got, err := f(t.Context(), g, Work{Workers: 3}, checkpoint.Checkpoints{From: bytes.NewReader(saved)})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s continued from checkpoint %d gives another result: %v", name, at, err)
			}
			for _, bad := range [][]byte{nil, saved[:len(saved)-1], append([]byte("x"), saved...)} {
				if _, err := f(t.Context(), g, Work{}, checkpoint.Checkpoints{From: bytes.NewReader(bad)}); !errors.Is(err, checkpoint.Err) {
					t.Errorf("%s from %d of %d bytes: %v", name, len(bad), len(saved), err)
				}
			}
			if _, err := f(t.Context(), other, Work{}, checkpoint.Checkpoints{From: bytes.NewReader(saved)}); !errors.Is(err, checkpoint.Err) {
				t.Errorf("%s from a checkpoint of another graph: %v", name, err)
			}
		}
		if stops == 0 {
			t.Errorf("%s has no checkpoint", name)
		}
	}
}

// checkpointGraph has hubs, two large components and vertices without edges.
func checkpointGraph(t *testing.T) *csr.Graph {
	t.Helper()
	a, err := generate.PreferentialAttachment{N: 1150, M: 2, Seed: 3}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	edges := newExchange(a, false, 0).edges
	for v := uint32(1150); v < 1190; v++ { // a path
		edges = append(edges, csr.Edge{U: v, V: v + 1})
	}
	g, err := csr.FromEdges(1200, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// stopAt runs f until its checkpoint of a number, at which its context ends, and returns
// what it saved last.
func stopAt(t testing.TB, at int, f func(context.Context, checkpoint.Checkpoints) error) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last []byte
	saves := 0
	err := f(ctx, checkpoint.Checkpoints{Every: 1, Save: func(write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		last = b.Bytes()
		if saves++; saves > at {
			cancel()
		}
		return err
	}})
	return last, err
}

// FuzzReadSums reads any bytes as the sums of a measure: they are no checkpoint, or those that are
// written again.
func FuzzReadSums(f *testing.F) {
	g, err := generate.ErdosRenyi{N: 40, P: 0.1, Seed: 1}.Generate(f.Context(), nil)
	if err != nil {
		f.Fatal(err)
	}
	for at := range 4 {
		saved, err := stopAt(f, at, func(ctx context.Context, c checkpoint.Checkpoints) error {
			_, err := Betweenness(ctx, g, DistanceOptions{Checkpoints: c})
			return err
		})
		if !errors.Is(err, context.Canceled) && at < 2 {
			f.Fatal(err)
		}
		f.Add(saved)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newAccumulation(40, 40, Slots)
		var again bytes.Buffer
		err := a.read(bytes.NewReader(data))
		if err == nil {
			err = a.write(&again)
		}
		if err != nil && !errors.Is(err, checkpoint.Err) || err == nil && !bytes.HasPrefix(data, again.Bytes()) {
			t.Errorf("%d bytes, written again as %d, %v", len(data), again.Len(), err)
		}
	})
}
