package generate

import (
	"math"
	"slices"
	"testing"
)

// TestStochasticBlock_Exact compares all graphs of four vertices in three blocks
// with their probabilities.
func TestStochasticBlock_Exact(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: generates each graph of four vertices thousands of times")
	}
	matrix := [][]float64{{0.5, 0.2, 0.7}, {0.2, 0.9, 0.2}, {0.7, 0.2, 0}}
	m := StochasticBlock{Sizes: []int{1, 2, 1}, Matrix: matrix}
	blocks := m.Blocks()
	if !slices.Equal(blocks, []uint32{0, 1, 1, 2}) {
		t.Fatalf("blocks %v", blocks)
	}
	exact := map[uint64]float64{}
	for key := range uint64(1 << 6) {
		exact[key] = 1
		for v := range 4 {
			for u := range v {
				p := matrix[blocks[u]][blocks[v]]
				if key&pairBit(u, v) == 0 {
					p = 1 - p
				}
				exact[key] *= p
			}
		}
	}
	expectGraphs(t, 4, exact, func(seed uint64) Model { m.Seed = seed; return m })
}

// TestStochasticBlock_Counts expects the edges between each two blocks within
// five standard deviations, whether or not the probabilities come as a matrix.
func TestStochasticBlock_Counts(t *testing.T) {
	sizes := []int{300, 1, 700, 200}
	const in, out = 0.05, 0.01
	matrix := make([][]float64, len(sizes))
	for a := range matrix {
		matrix[a] = slices.Repeat([]float64{out}, len(sizes))
		matrix[a][a] = in
	}
	plain := generated(t, StochasticBlock{Sizes: sizes, In: in, Out: out, Seed: 3})
	m := StochasticBlock{Sizes: sizes, Matrix: matrix, Seed: 3}
	g := generated(t, m)
	if hash(t, g) != hash(t, plain) {
		t.Error("the matrix of two probabilities gives another graph")
	}
	blocks := m.Blocks()
	count := map[[2]uint32]float64{}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if u < v {
				count[[2]uint32{blocks[u], blocks[v]}]++
			}
		}
	}
	for a := range uint32(len(sizes)) {
		for b := a; b < uint32(len(sizes)); b++ {
			p, all := out, float64(sizes[a]*sizes[b])
			if a == b {
				p, all = in, pairs(sizes[a])
			}
			if got := count[[2]uint32{a, b}]; math.Abs(got-all*p) > 5*math.Sqrt(all*p*(1-p)) {
				t.Errorf("blocks %d and %d: %.0f edges, expected %.0f", a, b, got, all*p)
			}
		}
	}
}

// TestStochasticBlock_Extremes makes what probabilities of 0 and 1 leave no
// choice about: disjoint cliques and the complete bipartite graph.
func TestStochasticBlock_Extremes(t *testing.T) {
	cliques := generated(t, StochasticBlock{Sizes: []int{4, 1, 3}, In: 1})
	if c := cliques.Components(); cliques.Edges() != 6+3 || !slices.Equal(c.Sizes, []int{4, 3, 1}) {
		t.Errorf("cliques: %d edges, components %v", cliques.Edges(), c.Sizes)
	}
	bipartite := generated(t, StochasticBlock{Sizes: []int{3, 5}, Out: 1})
	for u := range uint32(3) {
		if !slices.Equal(bipartite.Neighbors(u), []uint32{3, 4, 5, 6, 7}) {
			t.Errorf("vertex %d of the smaller side has %v", u, bipartite.Neighbors(u))
		}
	}
	if bipartite.Edges() != 15 {
		t.Errorf("bipartite: %d edges", bipartite.Edges())
	}
}
