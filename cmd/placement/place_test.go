package placement

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

func graphOf(t *testing.T, n int, edges []csr.Edge) *csr.Graph {
	t.Helper()
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// cliques are two cliques of k vertices, joined by an edge.
func cliques(t *testing.T, k int) *csr.Graph {
	edges := []csr.Edge{{U: 0, V: uint32(k)}}
	for u := range k {
		for v := range u {
			edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)}, csr.Edge{U: uint32(u + k), V: uint32(v + k)})
		}
	}
	return graphOf(t, 2*k, edges)
}

func far(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// The vertices of two cliques are nearer to those of their own than to any of the other,
// and no two vertices are at one place; the places do not depend on the workers.
func TestPlace_Cliques(t *testing.T) {
	t.Parallel()
	const k = 20
	g := cliques(t, k)
	at, err := Place(t.Context(), g, Options{Workers: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for u := range at {
		for v := range u {
			d := far(at[u], at[v])
			if d == 0 {
				t.Errorf("%d and %d are at one place", u, v)
			}
			if same := u/k == v/k; u%k > 0 && v%k > 0 && same != (d < far(at[1], at[k+1])/2) {
				t.Errorf("%d and %d are %v apart, and the cliques %v", u, v, d, far(at[1], at[k+1]))
			}
		}
	}
	for _, workers := range []int{2, 5} {
		if again, err := Place(t.Context(), g, Options{Workers: workers, Seed: 3}); err != nil || !slices.Equal(at, again) {
			t.Errorf("%d workers place the vertices elsewhere (%v)", workers, err)
		}
	}
	if other, _ := Place(t.Context(), g, Options{Seed: 4}); slices.Equal(at, other) {
		t.Error("the seed has no effect")
	}
}

// Graphs without structure have finite places.
func TestPlace_Odd(t *testing.T) {
	t.Parallel()
	star := []csr.Edge{}
	for v := range 50 {
		star = append(star, csr.Edge{U: 0, V: uint32(v + 1)})
	}
	for name, g := range map[string]*csr.Graph{
		"empty": graphOf(t, 0, nil), "one vertex": graphOf(t, 1, nil), "no edges": graphOf(t, 9, nil),
		"one edge": graphOf(t, 2, []csr.Edge{{U: 0, V: 1}}), "star": graphOf(t, 51, star),
	} {
		at, err := Place(t.Context(), g, Options{Iterations: 50})
		if err != nil || len(at) != g.Vertices() {
			t.Errorf("%s: %d places, %v", name, len(at), err)
		}
		for v, p := range at {
			if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
				t.Errorf("%s: vertex %d is at %v", name, v, p)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Place(ctx, graphOf(t, 3, nil), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// The start has the vertices of a path in their order along a line.
func TestStart_Path(t *testing.T) {
	t.Parallel()
	var edges []csr.Edge
	for v := range 99 {
		edges = append(edges, csr.Edge{U: uint32(v), V: uint32(v + 1)})
	}
	at := start(graphOf(t, 100, edges), 0)
	sign := math.Copysign(1, at[99].X-at[0].X)
	for v := range 99 {
		if (at[v+1].X-at[v].X)*sign < -0.5 { // the noise is less
			t.Errorf("vertex %d is behind vertex %d: %v, %v", v, v+1, at[v], at[v+1])
		}
	}
}

// The sums of the tree are near those over all pairs.
func TestTree_Repel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]Point, 800)
	for i := range at {
		at[i] = Point{random.NormFloat64(), random.NormFloat64() * 10}
	}
	at[7] = at[8] // two at one place do not divide cells for ever
	mass := func(v int) float64 { return float64(1 + v%5) }
	var tr tree
	tr.build(at, mass)
	wrong, all := 0.0, 0.0
	for v, p := range at {
		var want Point
		for u, q := range at {
			if d := far(p, q); u != v && d > 0 {
				push := mass(u) / max(d*d, nearest*nearest)
				want.X, want.Y = want.X+push*(p.X-q.X), want.Y+push*(p.Y-q.Y)
			}
		}
		wrong, all = wrong+far(tr.repel(p), want), all+math.Hypot(want.X, want.Y)
	}
	if wrong > 0.08*all {
		t.Errorf("the error of the forces is %.3f of them", wrong/all)
	}
}
