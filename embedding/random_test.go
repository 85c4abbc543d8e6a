package embedding

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"

	"heavytail/storage/csr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hubGraph has n vertices and about m edges, half of them at few vertices.
func hubGraph(tb testing.TB, n, m int, r *rand.Rand) *csr.Graph {
	tb.Helper()
	edges := make([]csr.Edge, m)
	for i := range edges {
		edges[i] = csr.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
		if i%2 == 0 {
			edges[i].U = uint32(r.IntN(n/10 + 1))
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// weigh gives every edge of a graph a weight.
func weigh(g *csr.Graph, weight func(u, v uint32) float32) *csr.Graph {
	w := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, 0, len(g.Targets))}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			w.Weights = append(w.Weights, weight(min(u, v), max(u, v)))
		}
	}
	return w
}

// weighRandomly draws weights between 2^-spread and 2^spread, some of them equal.
func weighRandomly(g *csr.Graph, spread float64, seed uint64) *csr.Graph {
	return weigh(g, func(u, v uint32) float32 {
		r := rand.New(rand.NewPCG(seed, uint64(u)<<32|uint64(v)))
		if r.IntN(4) == 0 {
			return 1
		}
		return float32(math.Exp2((2*r.Float64() - 1) * spread))
	})
}
