package query

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/index"
	"heavytail/query/internal/fault"
)

// ReconstructedDegreesResult is the answer of ReconstructedDegrees.
type ReconstructedDegreesResult struct {
	Graph   string                       `json:"graph"` // the graph that was embedded
	Point   evaluate.ReconstructionPoint `json:"point"`
	Degrees []DegreeCount                `json:"degrees"` // degrees of the reconstruction, ascending
	Notices []Notice                     `json:"notices,omitempty"`
}

// ReconstructedDegrees returns the degrees of a reconstruction from an embedding,
// as Reconstruct finds it with Auto, without making its edges.
func (db *DB) ReconstructedDegrees(ctx context.Context, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
	return inCall(ctx, db, "RECONSTRUCT", func(c *call) (ReconstructedDegreesResult, error) { return c.reconstructedDegrees(req) })
}

func (c *call) reconstructedDegrees(req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
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
	sweep, err := index.NewSweep(c.Ctx, s.Matrix, []float64{point.Radius}, index.JoinOptions{Workers: c.db.opts.Workers, Progress: c.Meter.Update})
	if err != nil {
		return ReconstructedDegreesResult{}, fmt.Errorf("degrees: %w", err)
	}
	return ReconstructedDegreesResult{Graph: s.Info.Graph, Point: point, Degrees: countDegrees(sweep.Degrees(0, nil)), Notices: c.Notices}, nil
}
