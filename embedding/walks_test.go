package embedding

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// walksOf returns the walks of a method on a graph.
func walksOf(t *testing.T, g *csr.Graph, method string, o WalkOptions) Walks {
	t.Helper()
	w, err := NewWalks(context.Background(), g, method, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func sameWalks(a, b Walks) bool {
	for i := range a.Walks {
		each := make([][]uint32, min(a.Walks-i, 9))
		b.AppendEach(each, i)
		if walk := a.Append(nil, i); !slices.Equal(walk, b.Append(nil, i)) || !slices.Equal(walk, each[0]) ||
			!slices.Equal(a.Append(nil, i+len(each)-1), each[len(each)-1]) {
			return false
		}
	}
	return a.Walks == b.Walks
}

// Every round starts one walk at each vertex, in an order of its own.
func TestNewWalks_Rounds(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 97, 600} {
		g := hubGraph(t, n, 3*n, rand.New(rand.NewPCG(1, uint64(n))))
		w := walksOf(t, g, MethodDeepWalk, WalkOptions{Walks: 4})
		if w.Vertices != n || w.Walks != 4*n {
			t.Fatalf("n %d: %d walks over %d vertices", n, w.Walks, w.Vertices)
		}
		var last []uint32
		for round := range 4 {
			var starts []uint32
			for i := range n {
				starts = append(starts, w.Append(nil, round*n+i)[0])
			}
			if n > 3 && slices.Equal(starts, last) {
				t.Errorf("n %d: rounds %d and %d have the same order", n, round-1, round)
			}
			last = slices.Clone(starts)
			slices.Sort(starts)
			for v, s := range starts {
				if s != uint32(v) {
					t.Fatalf("n %d, round %d: begins at %v", n, round, starts)
				}
			}
		}
	}
}

// Weights are used if they differ and are not ignored.
func TestNewWalks_Weights(t *testing.T) {
	plain := hubGraph(t, 60, 200, rand.New(rand.NewPCG(3, 4)))
	equal := testgraph.Weighted(plain, func(u, v uint32) float32 { return 7 })
	heavy := testgraph.RandomWeights(plain, 3, 5)
	for _, method := range []string{MethodDeepWalk, MethodDPWalker, MethodNode2Vec} {
		o := WalkOptions{Walks: 2, Q: 2, Seed: 9}
		ignored := o
		ignored.IgnoreWeights = true
		want := walksOf(t, plain, method, o)
		for _, c := range []struct {
			name string
			g    *csr.Graph
			o    WalkOptions
			used bool
		}{{"equal", equal, o, false}, {"ignored", heavy, ignored, false}, {"used", heavy, o, true}} {
			if c.o.UsesWeights(c.g) != c.used {
				t.Errorf("%s, %s: weights used %v", method, c.name, !c.used)
			}
			if sameWalks(walksOf(t, c.g, method, c.o), want) == c.used {
				t.Errorf("%s, %s: walks as without weights: %v", method, c.name, !c.used)
			}
		}
	}
}

func TestNewWalks_Errors(t *testing.T) {
	g := hubGraph(t, 20, 40, rand.New(rand.NewPCG(5, 6)))
	extreme := testgraph.Weighted(g, func(u, v uint32) float32 { return []float32{1e-38, 1e38}[u%2] })
	for _, c := range []struct {
		name, method string
		g            *csr.Graph
		o            WalkOptions
	}{
		{"no walks", "dp_spectral", g, WalkOptions{}},
		{"option", MethodDeepWalk, g, WalkOptions{Walks: -1}},
		{"weights that β cannot take", MethodDPWalker, extreme, WalkOptions{Beta: new(8.0)}},
	} {
		if _, err := NewWalks(context.Background(), c.g, c.method, c.o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWalkMethods_SmallComponents has an isolated vertex and a star, and a pair, whose
// vertices have no other vertex two edges away. A vertex that shares no walk with another
// keeps its random start vector; all others move.
func TestWalkMethods_SmallComponents(t *testing.T) {
	g, err := csr.FromEdges(8, []csr.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 3, V: 5}, {U: 3, V: 6}, {U: 3, V: 7}})
	if err != nil {
		t.Fatal(err)
	}
	o := WalkOptions{Dim: 16, Seed: 2}
	for method, train := range map[string]func(context.Context, *csr.Graph, WalkOptions) (*vec.Matrix, WalkStats, error){
		MethodDeepWalk: DeepWalk, MethodDPWalker: DPWalker, MethodNode2Vec: Node2Vec,
	} {
		w := walksOf(t, g, method, o)
		visits := make([]int64, 8)
		for i := range w.Walks {
			path := w.Append(nil, i)
			for _, v := range path {
				visits[v]++
			}
			switch start := path[0]; {
			case start == 0 && len(path) != 1, start != 0 && len(path) != 40:
				t.Errorf("%s: walk from %d: %v", method, start, path)
			case start == 1 || start == 2:
				for j, v := range path {
					if v != 1+(start-1+uint32(j))%2 {
						t.Fatalf("%s: walk on a pair: %v", method, path)
					}
				}
			}
		}
		if visits[0] != 10 || visits[1]+visits[2] != 800 {
			t.Errorf("%s: visits %v", method, visits)
		}
		m, _, err := train(context.Background(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		for v := range 8 {
			largest := float32(0)
			for _, x := range m.Row(v) {
				largest = max(largest, x, -x)
			}
			if beginning := largest <= 0.5/16; beginning != (v == 0) {
				t.Errorf("%s: largest coordinate of %d is %v", method, v, largest)
			}
		}
	}
}
