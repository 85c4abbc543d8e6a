package algorithms

import (
	"math"
	"testing"

	"heavytail/storage/csr"
)

// TestSpanningForest_Cycles holds a forest to its definition: it joins what the graph joins, without a
// cycle, and each other edge is at least as heavy as all of the way between its ends in the forest, and
// after those of the same weight.
func TestSpanningForest_Cycles(t *testing.T) {
	for i, g := range append(samples(t), &csr.Graph{}, &csr.Graph{Offsets: []int64{0, 0}}) {
		kept, err := SpanningForest(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		type edge struct {
			u, v   uint32
			weight float64
			kept   bool
		}
		var edges []edge
		for u := range uint32(g.Vertices()) {
			for j, v := range g.Neighbors(u) {
				if u < v {
					edges = append(edges, edge{u, v, lengthOf(g.WeightsOf(u), j), kept[len(edges)]})
				}
			}
		}
		// way is the last of the heaviest edges on the way in the forest.
		var way func(from, to, before uint32) (last int, found bool)
		way = func(from, to, before uint32) (last int, found bool) {
			if from == to {
				return -1, true
			}
			for j, e := range edges {
				if !e.kept || e.u != from && e.v != from || e.u+e.v-from == before {
					continue
				}
				if last, found = way(e.u+e.v-from, to, from); found {
					if last < 0 || e.weight > edges[last].weight || e.weight == edges[last].weight && j > last {
						last = j
					}
					return last, true
				}
			}
			return -1, false
		}
		count := 0
		for j, e := range edges {
			if e.kept {
				count++
				continue
			}
			last, found := way(e.u, e.v, math.MaxUint32)
			if !found || edges[last].weight > e.weight || edges[last].weight == e.weight && last > j {
				t.Fatalf("graph %d: edge %v is not in the forest, and the heaviest on the way is %d: %v", i, e, last, found)
			}
		}
		if want := g.Vertices() - g.Components().Count(); count != want {
			t.Fatalf("graph %d: %d edges, want %d", i, count, want)
		}
	}
}
