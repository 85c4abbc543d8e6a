package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// soloVertices is the size from which spectral methods solve a component with all
// workers, and save checkpoints of it.
const soloVertices = 2000

// twoParts is a graph of two components of more than soloVertices vertices, some
// smaller ones and an isolated vertex.
func twoParts(t testing.TB) *csr.Graph {
	t.Helper()
	return componentsOf(t, soloVertices+300, soloVertices, 300, 40, 1)
}

// componentsOf is a graph of components of these sizes, whose vertices each have up to three
// edges to earlier ones.
func componentsOf(t testing.TB, sizes ...int) *csr.Graph {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 4))
	var edges []csr.Edge
	n := uint32(0)
	for _, size := range sizes {
		for i := 1; i < size; i++ {
			for range 3 {
				edges = append(edges, csr.Edge{U: n + uint32(i), V: n + uint32(random.IntN(i))})
			}
		}
		n += uint32(size)
	}
	g, err := csr.FromEdges(int(n), edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// embedding computes an embedding with checkpoints.
type computing func(ctx context.Context, g *csr.Graph, c embedding.Checkpoints) (*vec.Matrix, error)

func computings() map[string]computing {
	spectral := func(o embedding.SpectralOptions) computing {
		return func(ctx context.Context, g *csr.Graph, c embedding.Checkpoints) (*vec.Matrix, error) {
			o.Checkpoints = c
			m, _, err := embedding.DPSpectral(ctx, g, o)
			return m, err
		}
	}
	return map[string]computing{
		"apart": spectral(embedding.SpectralOptions{Dim: 10}),
		"joint": spectral(embedding.SpectralOptions{Dim: 10, Components: embedding.Joint}),
		"walks": func(ctx context.Context, g *csr.Graph, c embedding.Checkpoints) (*vec.Matrix, error) {
			m, _, err := embedding.DPWalker(ctx, g, embedding.WalkOptions{Dim: 16, Walks: 1, Length: 10, Checkpoints: c})
			return m, err
		},
	}
}

// From every checkpoint a computation continues to the same bytes, also if its context is
// cancelled and the computation resumed several times.
func TestCheckpoints_SameBytes(t *testing.T) {
	ctx := context.Background()
	g := twoParts(t)
	for name, compute := range computings() {
		t.Run(name, func(t *testing.T) {
			g := g
			if name != "apart" { // which solves components together or alone by their sizes
				g = componentsOf(t, 900, 500, 300, 40, 1)
			}
			var saved [][]byte
			var b bytes.Buffer
			save := func(write func(io.Writer) error) error {
				b.Reset()
				err := write(&b)
				if testing.Short() && len(saved) > 0 {
					saved[len(saved)-1] = nil // only the last is read
				}
				saved = append(saved, bytes.Clone(b.Bytes()))
				return err
			}
			want, err := compute(ctx, g, embedding.Checkpoints{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := compute(ctx, g, embedding.Checkpoints{Save: save, Every: time.Nanosecond})
			if err != nil || !slices.Equal(got.Data, want.Data) {
				t.Fatalf("other bytes with checkpoints: %v", err)
			}
			if len(saved) < 4 {
				t.Fatalf("%d checkpoints", len(saved))
			}
			all := saved
			for i := 0; i < len(all); i += max(1, len(all)/6) {
				if testing.Short() {
					break // the loop below starts from checkpoints too
				}
				got, err := compute(ctx, g, embedding.Checkpoints{From: bytes.NewReader(all[i])})
				if err != nil || !slices.Equal(got.Data, want.Data) {
					t.Fatalf("other bytes from checkpoint %d of %d: %v", i, len(all), err)
				}
			}
			// Each run stops after one more checkpoint.
			var from io.Reader
			for range 4 {
				stop, cancel := context.WithCancel(ctx)
				saved = nil
				got, err := compute(stop, g, embedding.Checkpoints{Every: time.Nanosecond, From: from, Save: func(write func(io.Writer) error) error {
					if len(saved) == len(all)/4 {
						cancel()
					}
					return save(write)
				}})
				cancel()
				if err == nil {
					if !slices.Equal(got.Data, want.Data) {
						t.Error("other bytes after it was stopped")
					}
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				from = bytes.NewReader(saved[len(saved)-1])
			}
			got, err = compute(ctx, g, embedding.Checkpoints{From: from})
			if err != nil || !slices.Equal(got.Data, want.Data) {
				t.Errorf("other bytes after it was stopped again and again: %v", err)
			}
		})
	}
}

// A checkpoint that is truncated, or of something else, is refused.
func TestCheckpoints_Refused(t *testing.T) {
	ctx := context.Background()
	g := twoParts(t)
	other := g.Induced([]uint32{0, 1, 2, 3})
	for name, compute := range computings() {
		stop, cancel := context.WithCancel(ctx)
		var b bytes.Buffer
		_, err := compute(stop, g, embedding.Checkpoints{Save: func(write func(io.Writer) error) error {
			cancel()
			b.Reset()
			return write(&b)
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, size := range []int{0, 5, 30, b.Len() / 2, b.Len() - 1} {
			if _, err := compute(ctx, g, embedding.Checkpoints{From: bytes.NewReader(b.Bytes()[:size])}); !errors.Is(err, embedding.ErrCheckpoint) {
				t.Errorf("%s, cut to %d of %d bytes: %v", name, size, b.Len(), err)
			}
		}
		if _, err := compute(ctx, other, embedding.Checkpoints{From: bytes.NewReader(b.Bytes())}); !errors.Is(err, embedding.ErrCheckpoint) && name != "joint" {
			t.Errorf("%s, of another graph: %v", name, err)
		}
		failure := errors.New("disk full")
		if _, err := compute(ctx, g, embedding.Checkpoints{Every: time.Nanosecond, Save: func(func(io.Writer) error) error { return failure }}); !errors.Is(err, failure) {
			t.Errorf("%s, a save that failed: %v", name, err)
		}
	}
	if _, err := computings()["apart"](ctx, g, embedding.Checkpoints{Every: math.MaxInt64, Save: func(func(io.Writer) error) error {
		t.Error("saved although it was not time to")
		return nil
	}}); err != nil {
		t.Error(err)
	}
}
