package graphs

import (
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// forestOf returns all vertices of a graph, and its minimum spanning forest.
func forestOf(c *engine.Call, info storage.GraphInfo, g *csr.Graph) ([]uint32, *csr.Graph, error) {
	if info.Directed {
		c.Notice("graph %s is directed: a spanning forest is one of its undirected view", fault.Name(info.Name))
	}
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
