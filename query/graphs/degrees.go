package graphs

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage/csr"
)

// DegreeCount is one point of a degree distribution.
type DegreeCount struct {
	Degree   int   `json:"degree"`
	Vertices int64 `json:"vertices"` // number of vertices with this degree; at least 1
}

// Degrees returns the number of vertices of each degree that occurs in a
// graph, by ascending degree. It takes O(n) after the graph is loaded.
func (s *Service) Degrees(ctx context.Context, graph string) ([]DegreeCount, error) {
	return engine.InCall(ctx, s.db, "DESCRIBE GRAPH", func(c *engine.Call) ([]DegreeCount, error) {
		view, err := c.Graph(graph, fault.Graph)
		if err != nil {
			return nil, err
		}
		return degreeCounts(view.Graph), nil
	})
}

func degreeCounts(g *csr.Graph) []DegreeCount {
	degrees := make([]uint32, g.Vertices())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(uint32(v)))
	}
	return CountDegrees(degrees)
}

// CountDegrees counts the vertices of each degree that occurs.
func CountDegrees(degrees []uint32) []DegreeCount {
	var vertices []int64 // of each degree
	for _, d := range degrees {
		if more := int(d) + 1 - len(vertices); more > 0 {
			vertices = append(vertices, make([]int64, more)...)
		}
		vertices[d]++
	}
	var counts []DegreeCount
	for d, n := range vertices {
		if n > 0 {
			counts = append(counts, DegreeCount{d, n})
		}
	}
	return counts
}
