package query

import (
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/parser"
)

// This file is EVALUATE RECONSTRUCTION: it measures what RECONSTRUCT … AUTO
// does, and the power law of the degrees besides.

// EvaluateReconstructionRequest asks how well an embedding gives back its graph.
type EvaluateReconstructionRequest struct {
	Embedding string
	Grid      evaluate.Grid      // which radii are tried
	Points    int                // how many; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // what makes one the best
}

// EvaluateReconstructionResult is the answer of EvaluateReconstruction.
type EvaluateReconstructionResult struct {
	// Points are all that were measured, by ascending radius, each with the power
	// law of its degrees.
	Points  []evaluate.ReconstructionPoint
	Best    int // index in Points of the best by the criterion
	Notices []Notice
}

// EvaluateReconstruction measures the reconstructions of a graph from an
// embedding over a range of radii, as Reconstruct does with Auto, and fits a
// power law to the degrees of each. It stores nothing.
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
		powerLaw: true,
	}
}

func (c *call) evaluateReconstruction(req EvaluateReconstructionRequest) (EvaluateReconstructionResult, error) {
	r, err := c.reconstruct(req.sweep())
	return EvaluateReconstructionResult{Points: r.Points, Best: r.Best, Notices: r.Notices}, err
}

// sweepOptions are the options of statements that try many radii; subject is
// what tries them.
func sweepOptions(subject string) []OptionInfo {
	return []OptionInfo{
		{Name: "grid", Type: "text", Default: "'quantiles'", Choices: []string{"quantiles", "paper"}, Doc: "which radii " + subject + " tries: quantiles of the distances, or epsilon from 0.01 to 0.50"},
		{Name: "points", Type: "int", Default: "128", Doc: "how many quantiles " + subject + " tries at first"},
		{Name: "criterion", Type: "text", Default: "'pearson'", Choices: criteria(), Doc: "what is best: the largest correlation of the degrees or f1 of the edges, or the smallest distance ks of the degrees from a power law of their own"},
		{Name: "sweep", Type: "bool", Default: "FALSE", Doc: "show every point that " + subject + " tried, not only the best"},
	}
}

// criteria are the names of evaluate.Criterion, by its numbers.
func criteria() []string { return []string{"pearson", "spearman", "kendall", "f1", "ks"} }

// sweepSettings puts checked options of sweepOptions into a request.
func sweepSettings(req *ReconstructRequest, set settings) error {
	if set.text("grid") == "paper" {
		req.Grid = evaluate.Paper
	}
	req.Criterion = evaluate.Criterion(max(0, slices.Index(criteria(), set.text("criterion"))))
	points, err := set.within("points", 2, maxPoints)
	req.Points = int(points)
	return err
}

func (b *binder) evaluateReconstructionStatement(s *parser.EvaluateReconstruction) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	set, err := b.settings("EVALUATE RECONSTRUCTION", sweepOptions("it"), s.Options)
	if err != nil {
		return nil, err
	}
	sweep := ReconstructRequest{}
	if err := sweepSettings(&sweep, set); err != nil {
		return nil, err
	}
	op := &evaluateReconstructionOp{sweep: set.boolean("sweep")}
	op.req = EvaluateReconstructionRequest{Embedding: s.Embedding.Name, Grid: sweep.Grid, Points: sweep.Points, Criterion: sweep.Criterion}
	op.found, err = b.resolveReconstruct(op.req.sweep())
	return op, err
}

type evaluateReconstructionOp struct {
	req   EvaluateReconstructionRequest
	found *reconstruction
	sweep bool // show all points
}

func (o *evaluateReconstructionOp) plan() *Plan {
	s := o.found.space
	return result("evaluation", "degree correlations, power law, precision and recall",
		measuredStep(stepJoin, "exact join", radiiText(o.req.Grid, o.req.Criterion), s.plan(), s.graph.plan()))
}

// radiiText says which radii a sweep tries.
func radiiText(grid evaluate.Grid, criterion evaluate.Criterion) string {
	text := "quantiles of the distances"
	if grid == evaluate.Paper {
		text = "epsilon from 0.01 to 0.50"
	}
	return fmt.Sprintf("%s, the best by %s", text, criteria()[criterion])
}

func (o *evaluateReconstructionOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateReconstruction(o.req)
	if err != nil {
		return nil, err
	}
	points := r.Points
	if !o.sweep {
		points = points[r.Best : r.Best+1]
	}
	table := make([][]Value, len(points))
	for i, p := range points {
		table[i] = evaluationRow(p)
	}
	return rowsOf([]string{"epsilon", "radius", "edges", "pearson", "spearman", "kendall", "alpha", "xmin", "ks", "precision", "recall"}, table), nil
}

// evaluationRow is a point with the power law of its degrees.
func evaluationRow(p evaluate.ReconstructionPoint) []Value {
	var xmin Value
	alpha := math.NaN()
	if p.Law.Xmin > 0 {
		alpha, xmin = p.Law.Alpha, int64(p.Law.Xmin)
	}
	row := pointRow(p)
	return slices.Insert(row, len(row)-2, number(alpha), xmin, number(p.KS()))
}
