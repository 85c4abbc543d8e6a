package algorithms

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// TestNeighborhood_Sums compares the weights by group with those of a map, for one
// neighborhood after another in the same memory.
func TestNeighborhood_Sums(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	near := new(neighborhood)
	for range 200 {
		edges := rng.IntN(300)
		groups := 1 + rng.IntN(300)
		step := 1 + rng.Uint32()>>rng.IntN(32) // close together, or far apart
		near.begin(min(edges, groups))
		want, order := map[uint32]float64{}, []uint32(nil)
		for range edges {
			c, w := uint32(rng.IntN(groups))*step, rng.Float64()
			if _, met := want[c]; !met {
				order = append(order, c)
			}
			want[c] += w
			near.enter(c, w)
		}
		if len(near.groups) != len(want) {
			t.Fatalf("%d groups, want %d", len(near.groups), len(want))
		}
		if !slices.Equal(near.groups, order) {
			t.Fatalf("groups %v, want %v", near.groups, order)
		}
		for i, c := range near.groups {
			if near.weights[i] != want[c] || near.weight(c) != want[c] {
				t.Fatalf("group %d has %v and %v, want %v", c, near.weights[i], near.weight(c), want[c])
			}
		}
		if absent := ^step; want[absent] == 0 && near.weight(absent) != 0 {
			t.Fatalf("group %d has %v without an edge", absent, near.weight(absent))
		}
	}
}

// TestLeiden_ManyVertices has more vertices than the first run moves more than once: the
// communities are the cliques of a ring or several neighbouring ones, whatever the workers.
func TestLeiden_ManyVertices(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a second")
	}
	const size, cliques = 5, roughVertices/5 + 10
	var edges []csr.Edge
	for c := range uint32(cliques) {
		for i := range uint32(size) {
			for j := range i {
				edges = append(edges, csr.Edge{U: c*size + i, V: c*size + j})
			}
		}
		edges = append(edges, csr.Edge{U: c * size, V: (c+1)%cliques*size + 1})
	}
	// Neighbours must not have neighbouring numbers.
	number := rand.New(rand.NewPCG(5, 6)).Perm(size * cliques)
	for i, e := range edges {
		edges[i] = csr.Edge{U: uint32(number[e.U]), V: uint32(number[e.V])}
	}
	g, err := csr.FromEdges(size*cliques, edges)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Leiden(t.Context(), g, LeidenOptions{Work: Work{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	three, err := Leiden(t.Context(), g, LeidenOptions{Work: Work{Workers: 3}})
	if err != nil || !slices.Equal(one.Label, three.Label) {
		t.Fatalf("labels differ with three workers, or %v", err)
	}
	labels := make([]uint32, size*cliques)
	for v := range labels {
		labels[number[v]] = uint32(v / size)
		if first := v / size * size; one.Label[number[v]] != one.Label[number[first]] {
			t.Fatalf("vertices %d and %d of a clique have different labels", v, first)
		}
	}
	if least := modularity(g, labels, cliques, 1); one.Modularity < least {
		t.Fatalf("modularity %v, and %v of the cliques", one.Modularity, least)
	}
	if one.Iterations == 1 {
		t.Fatal("one run, though the first one moves each vertex only once")
	}
}
