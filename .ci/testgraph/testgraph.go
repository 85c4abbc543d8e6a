// Package testgraph makes the small graphs that the tests of several packages use. It is
// for tests only: wrong arguments fail the test.
package testgraph

import (
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/storage/csr"
)

// Of returns the graph of n vertices with these edges.
func Of(tb testing.TB, n int, edges ...csr.Edge) *csr.Graph {
	tb.Helper()
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// Star returns the graph in which vertex 0 is the only neighbour of all other vertices,
// the leaves.
func Star(tb testing.TB, leaves int) *csr.Graph {
	tb.Helper()
	return Of(tb, leaves+1, spokes(leaves)...)
}

// Wheel returns a star whose leaves, at least 3, form a ring.
func Wheel(tb testing.TB, leaves int) *csr.Graph {
	tb.Helper()
	edges := spokes(leaves)
	for i := range leaves {
		edges = append(edges, csr.Edge{U: uint32(i + 1), V: uint32((i+1)%leaves + 1)})
	}
	return Of(tb, leaves+1, edges...)
}

func spokes(leaves int) []csr.Edge {
	var edges []csr.Edge
	for i := range leaves {
		edges = append(edges, csr.Edge{U: 0, V: uint32(i + 1)})
	}
	return edges
}

// Complete returns the graph in which all n vertices are neighbours.
func Complete(tb testing.TB, n int) *csr.Graph {
	tb.Helper()
	return random(tb, n, func(uint32) bool { return true })
}

// Hubs returns a random graph in which a pair of vertices is an edge with probability
// density, or 0.5 if one of the vertices is among the first three.
func Hubs(tb testing.TB, n int, density float64, seed uint64) *csr.Graph {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	return random(tb, n, func(u uint32) bool {
		if u < 3 {
			return r.Float64() < 0.5
		}
		return r.Float64() < density
	})
}

// random returns the graph of the pairs that edge accepts. edge receives the smaller
// vertex of the pair.
func random(tb testing.TB, n int, edge func(u uint32) bool) *csr.Graph {
	tb.Helper()
	var edges []csr.Edge
	for v := range uint32(n) {
		for u := range v {
			if edge(u) {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	return Of(tb, n, edges...)
}

// Weighted returns the graph with weights on its edges. weight returns the weight for the
// smaller and the larger vertex of an edge.
func Weighted(g *csr.Graph, weight func(u, v uint32) float32) *csr.Graph {
	w := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, 0, len(g.Targets))}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			w.Weights = append(w.Weights, weight(min(u, v), max(u, v)))
		}
	}
	return w
}

// RandomWeights returns a graph with weights between 2^-spread and 2^spread, a quarter of
// them 1.
func RandomWeights(g *csr.Graph, spread float64, seed uint64) *csr.Graph {
	return Weighted(g, func(u, v uint32) float32 {
		r := rand.New(rand.NewPCG(seed, uint64(u)<<32|uint64(v)))
		if r.IntN(4) == 0 {
			return 1
		}
		return float32(math.Exp2((2*r.Float64() - 1) * spread))
	})
}
