package query

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/index"
)

// ReconstructedDegreesResult is the answer of ReconstructedDegrees.
type ReconstructedDegreesResult struct {
	Graph   string // that was embedded
	Point   evaluate.ReconstructionPoint
	Degrees []DegreeCount // of the reconstruction, by ascending degree
	Notices []Notice
}

// ReconstructedDegrees returns the degrees of a reconstruction from an embedding,
// as Reconstruct finds it with Auto, without making its edges.
func (db *DB) ReconstructedDegrees(ctx context.Context, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	c, err := db.begin(ctx, "RECONSTRUCT")
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	defer c.end()
	result, err := c.reconstructedDegrees(req)
	return result, c.wrap(err)
}

func (c *call) reconstructedDegrees(req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	swept, err := c.evaluateReconstruction(req)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	s, err := c.space(req.Embedding, partEmbedding)
	if err != nil {
		return ReconstructedDegreesResult{}, err
	}
	point := swept.Points[swept.Best]
	sweep, err := index.NewSweep(c.ctx, s.matrix, []float64{point.Radius}, index.JoinOptions{Workers: c.db.opts.Workers, Progress: c.meter.update})
	if err != nil {
		return ReconstructedDegreesResult{}, fmt.Errorf("degrees: %w", err)
	}
	return ReconstructedDegreesResult{Graph: s.info.Graph, Point: point, Degrees: countDegrees(sweep.Degrees(0, nil)), Notices: c.notices}, nil
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
