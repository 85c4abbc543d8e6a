package query

import (
	"context"
)

// DegreeCount says how many vertices of a graph have a degree.
type DegreeCount struct {
	Degree   int
	Vertices int64
}

// Degrees returns the degree distribution of a graph: every degree that occurs,
// ascending, with the number of its vertices. It takes O(n).
func (db *DB) Degrees(ctx context.Context, graph string) ([]DegreeCount, error) {
	c, err := db.begin(ctx, "DEGREES")
	if err != nil {
		return nil, err
	}
	defer c.end()
	view, err := c.graph(graph, partGraph)
	if err != nil {
		return nil, c.wrap(err)
	}
	vertices := make([]int64, view.Graph.Vertices())
	for v := range vertices {
		vertices[view.Graph.Degree(uint32(v))]++
	}
	var counts []DegreeCount
	for degree, n := range vertices {
		if n > 0 {
			counts = append(counts, DegreeCount{Degree: degree, Vertices: n})
		}
	}
	return counts, nil
}
