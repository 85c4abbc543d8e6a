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

// cliques returns two cliques of k vertices, joined by an edge.
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

// Each vertex of two cliques is nearer to the centre of its own clique than to that of
// the other, and no two vertices are at the same place. The places do not depend on the
// number of workers.
func TestPlace_Cliques(t *testing.T) {
	t.Parallel()
	const k = 20
	g := cliques(t, k)
	at, err := Place(t.Context(), g, Options{Workers: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var centres [2]Point
	for v, p := range at {
		centres[v/k].X, centres[v/k].Y = centres[v/k].X+p.X/k, centres[v/k].Y+p.Y/k
	}
	for u := range at {
		if own, other := far(at[u], centres[u/k]), far(at[u], centres[1-u/k]); own >= other {
			t.Errorf("%d is %v from the centre of its clique, and %v from the other", u, own, other)
		}
		for v := range u {
			if far(at[u], at[v]) == 0 {
				t.Errorf("%d and %d are at one place", u, v)
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

// The forces summed with the tree are close to those summed over all pairs.
func TestTree_Repel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]Point, 800)
	for i := range at {
		at[i] = Point{random.NormFloat64(), random.NormFloat64() * 10}
	}
	at[7] = at[8] // two points at the same place must not divide cells forever
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

// grid returns a square grid with side vertices on each side.
func grid(t *testing.T, side int) *csr.Graph {
	var edges []csr.Edge
	for i := range side {
		for j := range side {
			v := uint32(i*side + j)
			if i+1 < side {
				edges = append(edges, csr.Edge{U: v, V: v + uint32(side)})
			}
			if j+1 < side {
				edges = append(edges, csr.Edge{U: v, V: v + 1})
			}
		}
	}
	return graphOf(t, side*side, edges)
}

// A grid has the largest number of pivots, starts as a square and is not folded: the
// vertex nearest to each vertex is next to it in the grid, perhaps diagonally.
func TestPlace_Grid(t *testing.T) {
	t.Parallel()
	g := grid(t, 12)
	if rows := pivotDistances(g); len(rows) != pivots {
		t.Errorf("%d pivots", len(rows))
	}
	moments := func(at []Point) (xx, yy float64) {
		for _, p := range at {
			xx, yy = xx+p.X*p.X, yy+p.Y*p.Y
		}
		return xx, yy
	}
	if xx, yy := moments(start(g, 0)); min(xx, yy) < 0.5*max(xx, yy) {
		t.Errorf("the start is flat: %v and %v", xx, yy)
	}
	at, err := Place(t.Context(), g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if xx, yy := moments(at); xx < yy*(1-1e-9) {
		t.Errorf("it is higher than wide: %v and %v", xx, yy)
	}
	folded := 0
	for u := range at {
		near := 0
		for v := range at {
			if v != u && (near == u || far(at[u], at[v]) < far(at[u], at[near])) {
				near = v
			}
		}
		if du, dv := u/12-near/12, u%12-near%12; du*du+dv*dv > 2 {
			folded++
		}
	}
	if folded > 0 {
		t.Errorf("%d vertices are nearest to one that is far in the grid", folded)
	}
}

// Components are placed next to each other: their boxes do not overlap, and any number of
// workers gives the same places.
func TestPlace_Components(t *testing.T) {
	t.Parallel()
	var edges []csr.Edge
	n := uint32(0)
	for size := range uint32(9) {
		for v := range size {
			edges = append(edges, csr.Edge{U: n + v, V: n + v + 1})
		}
		n += size + 1
	}
	g := graphOf(t, int(n), edges)
	at, err := Place(t.Context(), g, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Place(t.Context(), g, Options{Workers: 3}); err != nil || !slices.Equal(at, again) {
		t.Errorf("three workers place the vertices elsewhere (%v)", err)
	}
	var boxes [][4]float64
	for _, list := range g.Components().Vertices() {
		b := [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for _, v := range list {
			b = [4]float64{min(b[0], at[v].X), min(b[1], at[v].Y), max(b[2], at[v].X), max(b[3], at[v].Y)}
		}
		for _, o := range boxes {
			if b[0] < o[2]+apart/2 && o[0] < b[2]+apart/2 && b[1] < o[3]+apart/2 && o[1] < b[3]+apart/2 {
				t.Errorf("components overlap: %v and %v", b, o)
			}
		}
		boxes = append(boxes, b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Place(ctx, g, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// Points of clusters in ten dimensions are among points of their cluster in the plane, also where two
// coordinates alone would mix them, and the same each time.
func TestPlaceNear_Clusters(t *testing.T) {
	t.Parallel()
	const clusters, each, dim, k = 6, 60, 10, 12
	r := rand.New(rand.NewPCG(1, 2))
	var at [][dim]float64
	for c := range clusters {
		for range each {
			var x [dim]float64
			for i := range x {
				x[i] = r.NormFloat64() / 3
			}
			x[2+c] += 2
			at = append(at, x)
		}
	}
	distance := func(a, b int) (sum float64) {
		for i := range dim {
			sum += (at[a][i] - at[b][i]) * (at[a][i] - at[b][i])
		}
		return math.Sqrt(sum)
	}
	var near []Near
	var begin []Point
	for v := range at {
		begin = append(begin, Point{at[v][0], at[v][1]})
		for _, u := range nearestBy(len(at), v, k, distance) {
			near = append(near, Near{uint32(v), uint32(u), distance(v, u)})
		}
	}
	places, err := PlaceNear(t.Context(), len(at), near, Options{Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	share := func(of []Point) float64 {
		same := 0
		for v := range of {
			for _, u := range nearestBy(len(of), v, 10, func(a, b int) float64 { return far(of[a], of[b]) }) {
				if u/each == v/each {
					same++
				}
			}
		}
		return float64(same) / float64(10*len(of))
	}
	if before, now := share(begin), share(places); before > 0.4 || now < 0.97 {
		t.Errorf("%.3f of the nearest are of the same cluster, at the beginning %.3f", now, before)
	}
	if again, _ := PlaceNear(t.Context(), len(at), near, Options{Seed: 1, Workers: 3}); !slices.Equal(again, places) {
		t.Error("other places the second time")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PlaceNear(ctx, len(at), near, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, few := range [][]Near{nil, {{0, 1, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 2, 0}, {1, 0, 5}}} {
		for n := range 4 {
			if len(few) > 0 && n < 3 {
				continue
			}
			places, err := PlaceNear(t.Context(), n, few, Options{})
			if err != nil || len(places) != n {
				t.Fatal(places, err)
			}
			for _, p := range places {
				if math.IsNaN(p.X) || math.IsInf(p.X, 0) || math.IsNaN(p.Y) {
					t.Errorf("%v of %v", places, few)
				}
			}
		}
	}
}

func nearestBy(n, v, k int, distance func(a, b int) float64) []int {
	var all []int
	for u := range n {
		if u != v {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b int) int {
		switch x, y := distance(v, a), distance(v, b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return a - b
	})
	return all[:min(k, len(all))]
}
