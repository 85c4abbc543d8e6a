package entries

import (
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// Embeddable returns the entry of a graph that has vertices.
func Embeddable(c *engine.Call, graph string) (storage.GraphInfo, error) {
	info, err := c.GraphInfo(graph, fault.Graph)
	if err == nil && info.Vertices == 0 {
		err = fault.New(fault.Graph, "graph %s has no vertices to embed", fault.Quote(graph))
	}
	return info, err
}
