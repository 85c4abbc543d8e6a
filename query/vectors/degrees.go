package vectors

import (
	"context"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// ReconstructedDegreesResult is the answer of ReconstructedDegrees.
type ReconstructedDegreesResult struct {
	Graph string                       `json:"graph"` // the graph that was embedded
	Point evaluate.ReconstructionPoint `json:"point"`
	// Null is the null of the rows, as in EvaluateReconstructionResult.
	Null    *evaluate.ReconstructionPoint `json:"null,omitempty"`
	Degrees []graphs.DegreeCount          `json:"degrees"` // degrees of the reconstruction, ascending
	Notices []rows.Notice                 `json:"notices,omitempty"`
}

// ReconstructedDegrees returns the degrees of a reconstruction from an embedding,
// as Reconstruct finds it with Auto, without making its edges.
func (s *Service) ReconstructedDegrees(ctx context.Context, req EvaluateReconstructionRequest) (ReconstructedDegreesResult, error) {
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
	sweeper, err := index.NewSweep(c.Ctx, s.Matrix, []float64{point.Radius}, index.JoinOptions{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update})
	if err != nil {
		return ReconstructedDegreesResult{}, fmt.Errorf("degrees: %w", err)
	}
	return ReconstructedDegreesResult{Graph: s.Info.Graph, Point: point, Null: swept.Null, Degrees: graphs.CountDegrees(sweeper.Degrees(0, nil)), Notices: c.Notices}, nil
}
