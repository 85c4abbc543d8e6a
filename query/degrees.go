package query

import (
	"context"
	"fmt"
	"heavytail/embedding/evaluate"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
	"heavytail/storage/csr"
)

// DegreeCount is one point of a degree distribution.
type DegreeCount struct {
	Degree   int   `json:"degree"`
	Vertices int64 `json:"vertices"` // number of vertices with this degree; at least 1
}

// Degrees returns the number of vertices of each degree that occurs in a
// graph, by ascending degree. It takes O(n) after the graph is loaded.
func (s *graphsService) Degrees(ctx context.Context, graph string) ([]DegreeCount, error) {
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
	return countDegrees(degrees)
}

// countDegrees counts the vertices of each degree that occurs.
func countDegrees(degrees []uint32) []DegreeCount {
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

// ReconstructedDegreesResult is the answer of ReconstructedDegrees.
type ReconstructedDegreesResult struct {
	Graph   string                       `json:"graph"` // the graph that was embedded
	Point   evaluate.ReconstructionPoint `json:"point"`
	Degrees []DegreeCount                `json:"degrees"` // degrees of the reconstruction, ascending
	Notices []rows.Notice                `json:"notices,omitempty"`
}

// ReconstructedDegrees returns the degrees of a reconstruction from an embedding,
// as Reconstruct finds it with Auto, without making its edges.
func (s *vectorsService) ReconstructedDegrees(ctx context.Context, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	return engine.InCall(ctx, s.db, "RECONSTRUCT", func(c *engine.Call) (ReconstructedDegreesResult, error) { return reconstructedDegrees(c, req) })
}

func reconstructedDegrees(c *engine.Call, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	found, err := resolveReconstruct(c, req.sweep())
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	swept, err := runEvaluateReconstruction(c, req, found)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	s, err := c.Space(req.Embedding, fault.Embedding)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	point := swept.Points[swept.Best]
	sweep, err := index.NewSweep(c.Ctx, s.Matrix, []float64{point.Radius}, index.JoinOptions{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update})
	if err != nil {
		return ReconstructedDegreesResult{}, fmt.Errorf("degrees: %w", err)
	}
	return ReconstructedDegreesResult{Graph: s.Info.Graph, Point: point, Degrees: countDegrees(sweep.Degrees(0, nil)), Notices: c.Notices}, nil
}
