package csr

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// adjacency is the oracle: a set of neighbours per vertex.
func adjacency(n int, edges []Edge) []map[uint32]bool {
	sets := make([]map[uint32]bool, n)
	for v := range sets {
		sets[v] = map[uint32]bool{}
	}
	for _, e := range edges {
		if e.U != e.V {
			sets[e.U][e.V], sets[e.V][e.U] = true, true
		}
	}
	return sets
}

func randomEdges(rng *rand.Rand, n, m int) []Edge {
	edges := make([]Edge, m)
	for i := range edges {
		edges[i] = Edge{uint32(rng.IntN(n)), uint32(rng.IntN(n))}
	}
	return edges
}

func TestFromEdges_EqualsSetsOfNeighbours(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(30)
		edges := randomEdges(rng, n, rng.IntN(120))
		g, err := FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		arcs := 0
		for v, set := range adjacency(n, edges) {
			arcs += len(set)
			if g.Degree(uint32(v)) != len(set) {
				t.Fatalf("seed %d: degree of %d is %d, want %d", seed, v, g.Degree(uint32(v)), len(set))
			}
			for u := range uint32(n) {
				if g.HasEdge(uint32(v), u) != set[u] {
					t.Fatalf("seed %d: HasEdge(%d, %d) is %v", seed, v, u, !set[u])
				}
			}
		}
		if g.Edges() != int64(arcs/2) || g.Vertices() != n {
			t.Fatalf("seed %d: %d vertices and %d edges, want %d and %d", seed, g.Vertices(), g.Edges(), n, arcs/2)
		}
	}
}

func TestFromEdges_OrderOfEdgesDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	edges := randomEdges(rng, 50, 300)
	want, _ := FromEdges(50, edges)
	for range 5 {
		rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		edges[0].U, edges[0].V = edges[0].V, edges[0].U
		got, _ := FromEdges(50, edges)
		if !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Targets, want.Targets) {
			t.Fatal("another order of the edges gave another graph")
		}
	}
}

func TestFromSorted_IsTheGraphOfItsEdges(t *testing.T) {
	edges := []Edge{{0, 2}, {0, 4}, {1, 2}, {2, 3}, {2, 4}}
	weights, times := []float32{1, 2, 3, 4, 5}, []int64{10, 20, NoTime, 40, 50}
	g := FromSorted(6, edges, weights, times)
	want, _ := FromEdges(6, edges)
	if err := g.Validate(); err != nil || !slices.Equal(g.Offsets, want.Offsets) || !slices.Equal(g.Targets, want.Targets) {
		t.Errorf("%+v, want %+v; %v", g, want, err)
	}
	if row := g.WeightsOf(2); !slices.Equal(row, []float32{1, 3, 4, 5}) || !slices.Equal(g.Times[:2], times[:2]) {
		t.Errorf("weights %v, times %v", g.Weights, g.Times)
	}
	if g := FromSorted(6, edges, nil, nil); g.Weights != nil || g.Times != nil || !slices.Equal(g.Targets, want.Targets) {
		t.Errorf("%+v without values, want %+v", g, want)
	}
}

func TestFromEdges_EndPointOutOfRange(t *testing.T) {
	if _, err := FromEdges(3, []Edge{{0, 3}}); !errors.Is(err, ErrInvalid) {
		t.Fatalf("got %v, want ErrInvalid", err)
	}
}

func TestGraph_Empty(t *testing.T) {
	for _, g := range []*Graph{{}, {Offsets: []int64{0}}} {
		if g.Vertices() != 0 || g.Edges() != 0 || g.Validate() != nil || g.Components().Count() != 0 {
			t.Fatal("an empty graph is not empty")
		}
	}
}

func TestValidate_FindsEveryFault(t *testing.T) {
	inf := float32(math.Inf(1))
	faults := map[string]*Graph{
		"targets without vertices": {Targets: []uint32{0}},
		"offsets do not start at 0": {
			Offsets: []int64{1, 2}, Targets: []uint32{0, 0}},
		"offsets descend":      {Offsets: []int64{0, 2, 1, 2}, Targets: []uint32{1, 2}},
		"offset out of range":  {Offsets: []int64{0, 9, 2}, Targets: []uint32{1, 0}},
		"target out of range":  {Offsets: []int64{0, 1}, Targets: []uint32{5}},
		"self-loop":            {Offsets: []int64{0, 1}, Targets: []uint32{0}},
		"unsorted row":         {Offsets: []int64{0, 2, 3, 4}, Targets: []uint32{2, 1, 0, 0}},
		"parallel edge":        {Offsets: []int64{0, 2, 4}, Targets: []uint32{1, 1, 0, 0}},
		"edge without reverse": {Offsets: []int64{0, 1, 1}, Targets: []uint32{1}},
		"too few weights":      {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{1}},
		"too few timestamps":   {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Times: []int64{1}},
		"two weights":          {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{1, 2}},
		"two timestamps":       {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Times: []int64{1, NoTime}},
		"no weight":            {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{0, 0}},
		"infinite weight":      {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{inf, inf}},
		"NaN for a weight":     {Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{inf - inf, inf - inf}},
	}
	for name, g := range faults {
		if err := g.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", name, err)
		}
	}
}

func TestComponents_NumberedBySizeThenVertex(t *testing.T) {
	// Sizes 1 (vertex 0), 2 (1, 4), 3 (2, 3, 5), 1 (6), 2 (7, 8).
	g, err := FromEdges(9, []Edge{{1, 4}, {2, 3}, {3, 5}, {7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	c := g.Components()
	if want := []int{3, 2, 2, 1, 1}; !slices.Equal(c.Sizes, want) {
		t.Fatalf("sizes %v, want %v", c.Sizes, want)
	}
	if want := []uint32{3, 1, 0, 0, 1, 0, 4, 2, 2}; !slices.Equal(c.Label, want) {
		t.Fatalf("labels %v, want %v", c.Label, want)
	}
	want := [][]uint32{{2, 3, 5}, {1, 4}, {7, 8}, {0}, {6}}
	if got := c.Vertices(); !slices.EqualFunc(got, want, slices.Equal[[]uint32]) {
		t.Fatalf("vertices %v, want %v", got, want)
	}
}

func TestInduced_KeepsTheEdgesInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	g, _ := FromEdges(40, randomEdges(rng, 40, 200))
	g.Weights = make([]float32, len(g.Targets))
	g.Times = make([]int64, len(g.Targets))
	for v := range uint32(40) {
		for at := g.Offsets[v]; at < g.Offsets[v+1]; at++ {
			g.Weights[at] = float32(v + g.Targets[at])
			g.Times[at] = -int64(v + g.Targets[at])
		}
	}
	vertices := []uint32{1, 5, 6, 17, 30, 39}
	sub := g.Induced(vertices)
	if err := sub.Validate(); err != nil {
		t.Fatal(err)
	}
	for i, v := range vertices {
		for j, u := range vertices {
			if sub.HasEdge(uint32(i), uint32(j)) != g.HasEdge(v, u) {
				t.Fatalf("edge (%d, %d) differs", v, u)
			}
		}
		for at := sub.Offsets[i]; at < sub.Offsets[i+1]; at++ {
			if want := float32(v + vertices[sub.Targets[at]]); sub.Weights[at] != want || sub.Times[at] != -int64(want) {
				t.Fatalf("weight of an edge of %d is %g, want %g", v, sub.Weights[at], want)
			}
		}
	}
}

func BenchmarkFromEdges(b *testing.B) {
	const n = 100_000
	for _, m := range []int{100_000, 1_000_000} {
		b.Run("m="+strconv.Itoa(m), func(b *testing.B) {
			edges := randomEdges(rand.New(rand.NewPCG(1, 1)), n, m)
			b.ReportAllocs()
			for b.Loop() {
				if g, err := FromEdges(n, edges); err != nil || g.Vertices() != n {
					b.Fatal("wrong graph")
				}
			}
			b.ReportMetric(float64(m)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
		})
	}
}

// bySearch finds the components by a search of each.
func bySearch(g *Graph) *Components {
	label := make([]uint32, g.Vertices())
	var sizes []int
	for start := range uint32(len(label)) {
		if label[start] > 0 {
			continue
		}
		sizes = append(sizes, 0)
		label[start] = uint32(len(sizes))
		for list := []uint32{start}; len(list) > 0; {
			v := list[len(list)-1]
			list = list[:len(list)-1]
			sizes[label[v]-1]++
			for _, u := range g.Neighbors(v) {
				if label[u] == 0 {
					label[u] = label[v]
					list = append(list, u)
				}
			}
		}
	}
	for v := range label {
		label[v]--
	}
	return byDescendingSize(label, sizes)
}

// The components of a graph, and the sets of joined vertices, are what a search finds, in the same
// order.
func TestSets_Components(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, n := range []int{0, 1, 2, 30, 300, 3000} {
		for _, m := range []int{0, n / 3, n, 3 * n} {
			edges := make([]Edge, m)
			sets := NewSets(n)
			for i := range edges {
				edges[i] = Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
				sets.Join(edges[i].U, edges[i].V)
			}
			g, err := FromEdges(n, edges)
			if err != nil {
				t.Fatal(err)
			}
			want := bySearch(g)
			for _, got := range []*Components{g.Components(), sets.Components()} {
				if !slices.Equal(want.Label, got.Label) || !slices.Equal(want.Sizes, got.Sizes) {
					t.Fatalf("%d vertices, %d edges: %v, want %v", n, m, got, want)
				}
			}
		}
	}
}

// A set that is full at times has the edges that a map has.
func TestEdgeSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int64{0, 1, 2, 3, 50} {
		set, arcs, want, wantArcs := NewEdgeSet(most, false), NewEdgeSet(most, true), map[Edge]bool{}, map[Edge]bool{}
		for range 20_000 {
			u, v := r.Uint32N(12), r.Uint32N(12)
			if u == v {
				continue
			}
			e := Edge{U: min(u, v), V: max(u, v)}
			if got := set.Has(Edge{U: v, V: u}); got != want[e] {
				t.Fatalf("of %d: %v is there: %v", most, e, got)
			}
			switch {
			case r.IntN(5) > 1 && int64(len(want)) < most:
				if added := set.Add(Edge{U: u, V: v}); added == want[e] {
					t.Fatalf("of %d: %v was added: %v", most, e, added)
				}
				want[e] = true
			default:
				set.Remove(Edge{U: u, V: v})
				delete(want, e)
			}
			e = Edge{U: u, V: v}
			if arcs.Has(e) != wantArcs[e] {
				t.Fatalf("of %d: arc %v is there: %v", most, e, arcs.Has(e))
			}
			if int64(len(wantArcs)) < most && r.IntN(3) > 0 {
				if added := arcs.Add(e); added == wantArcs[e] {
					t.Fatalf("of %d: arc %v was added: %v", most, e, added)
				}
				wantArcs[e] = true
			} else {
				arcs.Remove(e)
				delete(wantArcs, e)
			}
		}
	}
}
