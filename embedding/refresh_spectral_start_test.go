package embedding_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
)

// refreshFound refreshes from one graph to another, which has all vertices of the first,
// and compares the eigenvalues of the largest component with those of a full run.
func refreshFound(t *testing.T, method string, opts embedding.SpectralOptions, before, after *csr.Graph, touched []uint32, tolerance float64) embedding.RefreshStats {
	t.Helper()
	ctx := context.Background()
	rows, state, _, err := embedding.Spectral(ctx, before, method, opts)
	if err != nil {
		t.Fatal(err)
	}
	from := make([]uint32, after.Vertices())
	for v := range from {
		from[v] = skipgram.Added
		if v < before.Vertices() {
			from[v] = uint32(v)
		}
	}
	rows, state = align(from, rows, state)
	_, _, stats, refresh, err := embedding.RefreshSpectral(ctx, after, method, opts, rows, state, touched, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	full, err := embedding.SolveSpectral(ctx, after, method, opts)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range full.Stats.Eigenvalues {
		if math.Abs(v-stats.Eigenvalues[j]) > max(tolerance/2, 0.01)*full.Stats.Eigenvalues[0] {
			t.Errorf("eigenvalue %d is %.4f, not %.4f: %+v", j, stats.Eigenvalues[j], v, refresh)
		}
	}
	return refresh
}

// sparseTown is a town whose eigenvalues fall fast enough for a new group to be
// among the leading ones.
func sparseTown() *town {
	w := newTown(1, 4, 150, rand.New(rand.NewPCG(5, 1)))
	for range 1500 {
		w.link(uint32(w.r.IntN(w.n)), uint32(w.r.IntN(w.n)))
	}
	return w
}

// New vertices around an old vertex get their eigenvector, although they have no edges
// among each other.
func TestRefreshSpectral_StarOfNewcomers(t *testing.T) {
	w := sparseTown()
	centre := uint32(w.n)
	w.n++
	w.link(7, centre)
	before := w.graph()
	touched := []uint32{centre}
	for range 40 {
		w.link(centre, uint32(w.n))
		touched = append(touched, uint32(w.n))
		w.n++
	}
	if refresh := refreshFound(t, embedding.MethodLaplacianEigenmaps, embedding.SpectralOptions{Dim: 12}, before, w.graph(), touched, 0.1); refresh.Refined != 1 {
		t.Errorf("%+v", refresh)
	}
}

// Vertices that had no edge get their eigenvectors if all components are solved as one
// matrix; their rows were zero before.
func TestRefreshSpectral_IsolatedJoin(t *testing.T) {
	w := sparseTown()
	first := uint32(w.n)
	w.n += 20
	before := w.graph()
	var touched []uint32
	for v := first; v < first+20; v++ {
		for u := first + (v-first)/10*10; u < v; u++ {
			w.link(u, v)
		}
		touched = append(touched, v)
	}
	w.link(first, first+10) // two cliques, as a separate component
	opts := embedding.SpectralOptions{Dim: 12, Components: embedding.Joint}
	refreshFound(t, embedding.MethodLaplacianEigenmaps, opts, before, w.graph(), touched, 0.1)
}

// One weight can change which eigenvectors are the leading ones; the previous ones stay
// eigenvectors, with the same bits.
func TestRefreshSpectral_WeightBack(t *testing.T) {
	w := sparseTown()
	first := uint32(w.n)
	w.n += 60
	for v := first; v < first+60; v += 2 {
		w.link(v, v+1)
	}
	list := w.list()
	graph := func(weight float32) *csr.Graph {
		g := w.graph()
		for u := range uint32(w.n) {
			for _, v := range g.Neighbors(u) {
				x := float32(1)
				if u >= first {
					x += float32((u-first)/2) / 500
				}
				if min(u, v) == list[0].U && max(u, v) == list[0].V {
					x = weight
				}
				g.Weights = append(g.Weights, x)
			}
		}
		return g
	}
	opts := embedding.SpectralOptions{Dim: 12, Normalization: embedding.Degree, Components: embedding.Joint}
	refreshFound(t, embedding.MethodDPSpectral, opts, graph(1e4), graph(2), []uint32{list[0].U, list[0].V}, 0)
}

// If an edge joins a component to another, all leading eigenvectors of the component are
// found.
func TestRefreshSpectral_Merged(t *testing.T) {
	w := sparseTown()
	first := uint32(w.n)
	w.n += 60 // six cliques, in a row
	for v := first; v < first+60; v++ {
		for u := first + (v-first)/10*10; u < v; u++ {
			w.link(u, v)
		}
		if (v-first)%10 == 0 && v > first {
			w.link(v-10, v)
		}
	}
	before := w.graph()
	w.link(7, first)
	for _, method := range []string{embedding.MethodLaplacianEigenmaps, embedding.MethodDPSpectral} {
		refreshFound(t, method, embedding.SpectralOptions{Dim: 12}, before, w.graph(), []uint32{7, first}, 0)
	}
}

// After each kind of change a refresh finds the leading eigenvalues of a full run: with
// components that join or fall apart, hubs, new vertices and vertices that lose all edges. It keeps
// the coordinates.
func TestRefreshSpectral_KindsOfChanges(t *testing.T) {
	base := func() *town { // two islands of 600 and 300 vertices
		w := sparseTown()
		island := uint32(w.n)
		w.n += 300
		for range 900 {
			w.link(island+uint32(w.r.IntN(300)), island+uint32(w.r.IntN(300)))
		}
		return w
	}
	// unlink removes all edges for which the condition holds, and returns their ends.
	unlink := func(w *town, condition func(u, v uint32) bool) (touched []uint32) {
		for _, e := range w.list() {
			if condition(e.U, e.V) {
				delete(w.edges, [2]uint32{min(e.U, e.V), max(e.U, e.V)})
				touched = append(touched, e.U, e.V)
			}
		}
		return touched
	}
	bridge := func(w *town) (touched []uint32) {
		for i := range uint32(4) {
			w.link(i, 600+i)
			touched = append(touched, i, 600+i)
		}
		return touched
	}
	for kind, c := range []struct {
		name           string
		prepare, apply func(w *town) (touched []uint32)
	}{
		{"joined", nil, bridge},
		{"fallen apart", bridge, func(w *town) []uint32 {
			return unlink(w, func(u, v uint32) bool { return min(u, v) < 600 && max(u, v) >= 600 })
		}},
		{"a hub", nil, func(w *town) (touched []uint32) {
			for v := uint32(0); v < 600; v += 12 {
				w.link(5, v)
				touched = append(touched, v)
			}
			return append(touched, 5)
		}},
		{"a new hub and newcomers", nil, func(w *town) (touched []uint32) {
			hub := uint32(w.n)
			w.n += 20
			for i := range uint32(20) {
				w.link(hub, 30*i)
				w.link(hub+i, 30*i+1)
				touched = append(touched, hub+i, 30*i, 30*i+1)
			}
			return touched
		}},
		{"isolated vertices", nil, func(w *town) []uint32 {
			return unlink(w, func(u, v uint32) bool { return u%100 == 7 || v%100 == 7 })
		}},
	} {
		for i, method := range []string{embedding.MethodLaplacianEigenmaps, embedding.MethodDPSpectral} {
			for j, o := range []embedding.SpectralOptions{{}, {Components: embedding.Joint}, {Normalization: embedding.Degree}} {
				if testing.Short() && (kind+i)%3 != j {
					t.Logf("-short: %s not by %s, %+v", c.name, method, o)
					continue
				}
				w := base()
				if c.prepare != nil {
					c.prepare(w)
				}
				before := w.graph()
				touched := c.apply(w)
				o.Dim = 16
				if refresh := refreshFound(t, method, o, before, w.graph(), touched, 0.01); t.Failed() || refresh.Full {
					t.Fatalf("%s, %s, %+v: %+v", c.name, method, o, refresh)
				}
			}
		}
	}
}

// A refresh after changes at many vertices returns the bytes of a full run and says so. One of
// a part that is too small for a step is solved in full, but in the old coordinates.
func TestRefreshSpectral_PlainFullRun(t *testing.T) {
	ctx := context.Background()
	for _, components := range []embedding.ComponentMode{embedding.Apart, embedding.Joint} {
		w := newTown(1, 4, 40, rand.New(rand.NewPCG(5, 3)))
		before := w.graph()
		w.link(1, 100)
		near := w.graph()
		var touched []uint32
		for v := range uint32(120) {
			w.link(v, (7*v+60)%160)
			touched = append(touched, v, (7*v+60)%160)
		}
		for _, c := range []struct {
			g       *csr.Graph
			touched []uint32
			dim     int
			full    bool
		}{{near, []uint32{1, 100}, 60, false}, {w.graph(), touched, 60, true}, {w.graph(), touched, 8, true}} {
			o := embedding.SpectralOptions{Dim: c.dim, Components: components}
			rows, state, _, err := embedding.Spectral(ctx, before, embedding.MethodLaplacianEigenmaps, o)
			if err != nil {
				t.Fatal(err)
			}
			got, next, _, refresh, err := embedding.RefreshSpectral(ctx, c.g, embedding.MethodLaplacianEigenmaps, o, rows, state, c.touched, 0)
			if err != nil {
				t.Fatal(err)
			}
			if refresh.Full != c.full || !refresh.Mostly() {
				t.Errorf("%v, dim %d: %+v", components, c.dim, refresh)
			}
			want, wantState, _, err := embedding.Spectral(ctx, c.g, embedding.MethodLaplacianEigenmaps, o)
			if err != nil {
				t.Fatal(err)
			}
			if same := slices.Equal(got.Data, want.Data) && slices.Equal(next.Places, wantState.Places); same != c.full {
				t.Errorf("%v, dim %d: the bytes of a full run: %t", components, c.dim, same)
			}
		}
	}
}
