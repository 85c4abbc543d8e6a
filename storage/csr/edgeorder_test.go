package csr

import (
	"math/rand/v2"
	"testing"
)

// The numbers are those of a list of all edges in order, undirected and directed.
func TestEdgeOrder(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		n := random.IntN(30)
		var edges []Edge
		for range random.IntN(3 * (n + 1)) {
			if n > 1 {
				u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
				if u != v {
					edges = append(edges, Edge{U: u, V: v})
				}
			}
		}
		g, err := FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		rows := &Rows{Offsets: g.Offsets, Targets: g.Targets}
		for _, directed := range []bool{false, true} {
			order := func() *EdgeOrder {
				if directed {
					return rows.Order()
				}
				return g.Order()
			}
			ends, numbers, few := order(), order(), order()
			i := int64(0)
			for u := range uint32(n) {
				for v := range uint32(n) {
					_, there := search(g.Neighbors(u), v)
					there = there && (directed || u < v)
					number, found := numbers.Number(u, v)
					if found != there || found && number != i {
						t.Fatalf("seed %d, directed %t: (%d, %d) is number %d, %t; want %d, %t", seed, directed, u, v, number, found, i, there)
					}
					if !there {
						continue
					}
					if a, b := ends.Ends(i); a != u || b != v {
						t.Fatalf("seed %d, directed %t: edge %d is (%d, %d), want (%d, %d)", seed, directed, i, a, b, u, v)
					}
					if random.IntN(4) == 0 {
						if number, found := few.Number(u, v); !found || number != i {
							t.Fatalf("seed %d: (%d, %d) is number %d, %t", seed, u, v, number, found)
						}
					}
					i++
				}
			}
			if _, found := numbers.Number(uint32(n), 0); found {
				t.Error("an edge of a vertex beyond the graph")
			}
		}
	}
}

func search(row []uint32, v uint32) (int, bool) {
	for i, u := range row {
		if u == v {
			return i, true
		}
	}
	return 0, false
}
