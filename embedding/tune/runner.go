package tune

import (
	"context"
	"fmt"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Prices of the survey. Eigenvectors are ordered by their eigenvalues, so the
// first ones are those of a full solve.
const (
	surveyDim       = 64
	surveyWalks     = 3
	surveyTolerance = 1e-2
)

// keptSolves is how many solves are kept: that of the best point so far and
// those that it is compared with.
const keptSolves = 2

// runner computes embeddings, and keeps the last solves and the last
// embedding, since a point that was judged closely may be judged exactly next.
type runner struct {
	workers int
	report  func(about string) // receives how far the embedding of a Placing is
	solves  []solved           // the last used first
	last    solveKey           // its point includes the scales
	matrix  *vec.Matrix
}

// solveKey identifies a solve of a graph, at the full price or that of the
// survey.
type solveKey struct {
	graph  *csr.Graph
	branch *branch
	full   bool
	point  point
}

// solved is a solve that was made.
type solved struct {
	solveKey
	pairs *embedding.Eigenpairs
}

// embed computes the embedding of a point.
func (r *runner) embed(ctx context.Context, k solveKey) (*vec.Matrix, error) {
	if r.matrix != nil && r.last == k {
		return r.matrix, nil
	}
	r.matrix = nil // the new one takes its memory
	m, err := r.compute(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.branch.method.Name, err)
	}
	r.last, r.matrix = k, m
	return m, nil
}

func (r *runner) compute(ctx context.Context, k solveKey) (*vec.Matrix, error) {
	name := k.branch.method.Name
	if placing := k.branch.method.Placing; placing != nil {
		return placing.Embed(ctx, k.graph, k.branch.margin(k.point), k.full, r.workers, r.report)
	}
	s, o := k.branch.at(k.point)
	if k.branch.method.spectral() {
		e, err := r.solve(ctx, k)
		if err != nil {
			return nil, err
		}
		s = s.WithDefaults(name)
		return e.Rows(*s.Scale, *s.RowScale)
	}
	o = o.WithDefaults(name)
	o.Workers = r.workers
	if !k.full {
		o.Dim, o.Walks = min(o.Dim, surveyDim), min(o.Walks, surveyWalks)
	}
	m, _, err := walker(name)(ctx, k.graph, o)
	return m, err
}

// walker is the method of a name.
func walker(name string) func(context.Context, *csr.Graph, embedding.WalkOptions) (*vec.Matrix, embedding.WalkStats, error) {
	switch name {
	case embedding.MethodDPWalker:
		return embedding.DPWalker
	case embedding.MethodNode2Vec:
		return embedding.Node2Vec
	}
	return embedding.DeepWalk
}

// solve returns the eigenpairs of a point.
func (r *runner) solve(ctx context.Context, k solveKey) (*embedding.Eigenpairs, error) {
	name := k.branch.method.Name
	o, _ := k.branch.at(k.point)
	k.point = k.branch.solve(k.point)
	for i, s := range r.solves {
		if s.solveKey == k {
			copy(r.solves[1:], r.solves[:i])
			r.solves[0] = s
			return s.pairs, nil
		}
	}
	if len(r.solves) >= keptSolves { // the new one takes its memory
		r.solves = r.solves[:keptSolves-1]
	}
	o = o.WithDefaults(name)
	o.Workers = r.workers
	if !k.full {
		o.Dim, o.Tolerance = min(o.Dim, surveyDim), max(o.Tolerance, surveyTolerance)
	}
	e, err := embedding.SolveSpectral(ctx, k.graph, name, o)
	if err != nil {
		return nil, err
	}
	r.solves = append([]solved{{k, e}}, r.solves...)
	return e, nil
}

// Bytes estimates what a search takes beside the graph and the objective: the
// last solves, the last embedding, a new one, and the work of the solver or of the
// training.
func Bytes(vertices, dim int64) int64 { return (keptSolves + 5) * 4 * vertices * dim }
