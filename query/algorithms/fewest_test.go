package algorithms

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// naiveFewest follows distances to the end, from the beginning, by the smallest next vertex.
func naiveFewest(g *csr.Directed, from, to uint32) []uint32 {
	distance := map[uint32]int{to: 0}
	for queue := []uint32{to}; len(queue) > 0; queue = queue[1:] {
		for _, w := range g.In.Neighbors(queue[0]) {
			if _, there := distance[w]; !there {
				distance[w] = distance[queue[0]] + 1
				queue = append(queue, w)
			}
		}
	}
	if _, there := distance[from]; !there {
		return nil
	}
	path := []uint32{from}
	for v := from; v != to; {
		for _, w := range g.Out.Neighbors(v) {
			if d, there := distance[w]; there && d == distance[v]-1 {
				v = w
				break
			}
		}
		path = append(path, v)
	}
	return path
}

// oneWay keeps of each edge one direction or both.
func oneWay(g *csr.Graph, random *rand.Rand) *csr.Directed {
	var arcs []csr.Edge
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if u < v {
				ways := 1 + random.IntN(3)
				if ways&1 != 0 {
					arcs = append(arcs, csr.Edge{U: u, V: v})
				}
				if ways&2 != 0 {
					arcs = append(arcs, csr.Edge{U: v, V: u})
				}
			}
		}
	}
	return csr.NewDirected(csr.RowsOf(g.Vertices(), arcs))
}

// TestFewestEdges_Smallest compares all pairs of small graphs of many kinds with the naive search, and
// checks that only vertices that were read are asked for their neighbours.
func TestFewestEdges_Smallest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	graphs := samples(t)
	for _, mean := range []float64{0.8, 1.5, 3, 10} {
		n := uint32(20 + random.IntN(40))
		var edges []csr.Edge
		for range int(mean * float64(n) / 2) {
			if e := (csr.Edge{U: random.Uint32N(n), V: random.Uint32N(n)}); e.U != e.V {
				edges = append(edges, e)
			}
		}
		graphs = append(graphs, testgraph.Of(t, int(n), edges...))
	}
	// A grid has many shortest paths, a ring is long enough for bits in place of a map, and a star has a hub.
	var grid, ring, star []csr.Edge
	for i := range uint32(64) {
		if i%8 < 7 {
			grid = append(grid, csr.Edge{U: i, V: i + 1})
		}
		if i < 56 {
			grid = append(grid, csr.Edge{U: i, V: i + 8})
		}
	}
	for i := range uint32(900) {
		ring = append(ring, csr.Edge{U: i, V: (i + 1) % 900})
		star = append(star, csr.Edge{U: 450, V: i})
	}
	star = slices.DeleteFunc(star, func(e csr.Edge) bool { return e.U == e.V })
	graphs = append(graphs, testgraph.Of(t, 64, grid...), testgraph.Of(t, 900, ring...), testgraph.Of(t, 900, star...))
	var list []*csr.Directed // undirected graphs have the same rows twice
	for _, g := range graphs {
		list = append(list, &csr.Directed{Out: csr.Rows(*g), In: csr.Rows(*g)}, oneWay(g, random))
	}
	for at, g := range list {
		read := make([]bool, g.Vertices())
		rows := PathRows{Vertices: g.Vertices(), Read: func(vertices []uint32) error {
			for _, v := range vertices {
				read[v] = true
			}
			return nil
		}}
		row := func(of *csr.Rows) func(v uint32) []uint32 {
			return func(v uint32) []uint32 {
				if !read[v] {
					t.Errorf("graph %d: vertex %d was not read", at, v)
				}
				return of.Neighbors(v)
			}
		}
		if rows.Neighbors = row(&g.Out); at%2 == 1 {
			rows.Back = row(&g.In)
		}
		step := max(1, g.Vertices()/60)
		for from := 0; from < g.Vertices(); from += step {
			for to := 0; to < g.Vertices(); to += step {
				clear(read)
				got, err := FewestEdges(t.Context(), rows, uint32(from), uint32(to))
				if want := naiveFewest(g, uint32(from), uint32(to)); err != nil || !slices.Equal(got, want) {
					t.Fatalf("graph %d, %d to %d: %v, %v, want %v", at, from, to, got, err, want)
				}
			}
		}
	}
}

func TestFewestEdges_Errors(t *testing.T) {
	g := testgraph.Of(t, 3, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	failed := errors.New("a row cannot be read")
	fails := func([]uint32) error { return failed }
	for _, c := range []struct {
		ctx  context.Context
		read func([]uint32) error
		want error
	}{{ended, nil, context.Canceled}, {t.Context(), fails, failed}} {
		if path, err := FewestEdges(c.ctx, PathRows{3, c.read, g.Neighbors, nil}, 0, 2); !errors.Is(err, c.want) || path != nil {
			t.Errorf("%v, %v, want %v", path, err, c.want)
		}
	}
}
