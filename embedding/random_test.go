package embedding

import (
	"math/rand/v2"
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/storage/csr"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// hubGraph is a graph of n vertices and about m edges, half of them at few vertices.
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
