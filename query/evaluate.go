package query

import (
	"context"

	"heavytail/embedding/evaluate"
)

// This file is EVALUATE RECONSTRUCTION: it measures what RECONSTRUCT … AUTO
// does, and the power law of the degrees besides.

// EvaluateReconstructionRequest asks how well an embedding gives back its graph.
type EvaluateReconstructionRequest struct {
	Embedding string
	Grid      evaluate.Grid      // which radii are tried
	Points    int                // how many; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // what makes one the best
	Laws      bool               // fit a power law to the degrees of every point, and not of the best alone
}

// EvaluateReconstructionResult is the answer of EvaluateReconstruction.
type EvaluateReconstructionResult struct {
	// Points are all that were measured, by ascending radius. The best has the power
	// law of its degrees, and with Laws or the criterion ByKS each has.
	Points  []evaluate.ReconstructionPoint
	Best    int // index in Points of the best by the criterion
	Notices []Notice
}

// EvaluateReconstruction measures the reconstructions of a graph from an
// embedding over a range of radii, as Reconstruct does with Auto, and fits a
// power law to the degrees. It stores nothing.
func (db *DB) EvaluateReconstruction(ctx context.Context, req EvaluateReconstructionRequest) (EvaluateReconstructionResult, error) {
	c, err := db.begin(ctx, "EVALUATE RECONSTRUCTION")
	if err != nil {
		return EvaluateReconstructionResult{}, err
	}
	defer c.end()
	result, err := c.evaluateReconstruction(req)
	return result, c.wrap(err)
}

// sweep is the request for the same measurements by RECONSTRUCT.
func (req EvaluateReconstructionRequest) sweep() ReconstructRequest {
	return ReconstructRequest{
		Embedding: req.Embedding, Auto: true, Grid: req.Grid, Points: req.Points, Criterion: req.Criterion,
		laws: req.Laws, bestLaw: true,
	}
}

func (c *call) evaluateReconstruction(req EvaluateReconstructionRequest) (EvaluateReconstructionResult, error) {
	r, err := c.reconstruct(req.sweep())
	return EvaluateReconstructionResult{Points: r.Points, Best: r.Best, Notices: r.Notices}, err
}
