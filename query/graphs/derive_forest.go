package graphs

import (
	"heavytail/query/algorithms"
	"heavytail/query/internal/engine"
	"heavytail/storage/csr"
)

// forestOf returns all vertices of a graph, and its minimum spanning forest.
func forestOf(c *engine.Call, g *csr.Graph) ([]uint32, *csr.Graph, error) {
	chosen, err := algorithms.SpanningForest(c.Ctx, g)
	if err != nil {
		return nil, nil, err
	}
	number := -1
	forest, err := keptEdges(c.Ctx, g, func(edgePlace) bool {
		number++
		return chosen[number]
	})
	return algorithms.Sample(g.Vertices(), g.Vertices(), 0), forest, err
}
