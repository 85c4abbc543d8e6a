package tune

import (
	"context"
	"fmt"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Prices of the survey. Eigenvectors come in the order of their eigenvalues, so
// that the first of them are those of a full solve.
const (
	surveyDim       = 64
	surveyWalks     = 3
	surveyTolerance = 1e-2
)

// keptSolves is how many solves are kept: that of the best point so far and
// those that it is compared with.
const keptSolves = 2

// runner computes embeddings, and keeps the last solves.
type runner struct {
	g       *csr.Graph
	workers int
	solves  []solved // the last used first
}

// solveKey names a solve, at the full price or that of the survey.
type solveKey struct {
	branch *branch
	full   bool
	point  point
}

// solved is a solve that was made.
type solved struct {
	solveKey
	pairs *embedding.Eigenpairs
}

func newRunner(g *csr.Graph, workers int) *runner { return &runner{g: g, workers: workers} }

// embed computes the embedding of a point.
func (r *runner) embed(ctx context.Context, b *branch, p point, full bool) (*vec.Matrix, error) {
	if b.method.spectral() {
		e, err := r.solve(ctx, b, p, full)
		if err != nil {
			return nil, err
		}
		s, _ := b.at(p)
		s = s.WithDefaults(b.method.Name)
		m, err := e.Rows(*s.Scale, *s.RowScale)
		if err != nil {
			return nil, fmt.Errorf("tune: %w", err)
		}
		return m, nil
	}
	_, o := b.at(p)
	o = o.WithDefaults(b.method.Name)
	o.Workers = r.workers
	if !full {
		o.Dim, o.Walks = min(o.Dim, surveyDim), min(o.Walks, surveyWalks)
	}
	m, _, err := walker(b.method.Name)(ctx, r.g, o)
	if err != nil {
		return nil, fmt.Errorf("tune: %s: %w", b.method.Name, err)
	}
	return m, nil
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
func (r *runner) solve(ctx context.Context, b *branch, p point, full bool) (*embedding.Eigenpairs, error) {
	k := solveKey{b, full, b.solve(p)}
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
	o, _ := b.at(p)
	o = o.WithDefaults(b.method.Name)
	o.Workers = r.workers
	if !full {
		o.Dim, o.Tolerance = min(o.Dim, surveyDim), max(o.Tolerance, surveyTolerance)
	}
	e, err := embedding.SolveSpectral(ctx, r.g, b.method.Name, o)
	if err != nil {
		return nil, fmt.Errorf("tune: %s: %w", b.method.Name, err)
	}
	r.solves = append([]solved{{k, e}}, r.solves...)
	return e, nil
}

// Bytes estimates what a search takes beside the graph and the objective: the
// last solves, an embedding, and the work of the solver or of the training.
func Bytes(vertices, dim int64) int64 { return (keptSolves + 4) * 4 * vertices * dim }
