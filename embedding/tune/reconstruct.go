package tune

import (
	"context"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// reconstruction judges how well the degrees and edges of a graph come back from
// an embedding of it.
type reconstruction struct {
	g    *csr.Graph
	opts evaluate.ReconstructOptions
}

// Reconstruction returns the objective of the ε-neighbourhood graph: the largest
// value of the criterion at any radius. The options are those of
// evaluate.ReconstructSweep; workers and progress mean nothing.
func Reconstruction(g *csr.Graph, opts evaluate.ReconstructOptions) (Objective, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts.Progress = nil
	return &reconstruction{g, opts}, nil
}

func (r *reconstruction) Graph() *csr.Graph { return r.g }

// Judge sweeps over the radii.
func (r *reconstruction) Judge(ctx context.Context, m *vec.Matrix, effort Effort) (Judgement, error) {
	opts := r.opts
	opts.Workers = effort.Workers
	best, points, err := evaluate.ReconstructSweep(ctx, r.g, m, opts)
	if err != nil {
		return Judgement{}, err
	}
	p := points[best]
	return Judgement{
		Score: r.opts.Criterion.Value(p),
		Measures: []Measure{
			{"pearson", p.Pearson}, {"spearman", p.Spearman}, {"kendall", p.Kendall},
			{"ks", p.KS()}, {"f1", p.F1()}, {"epsilon", p.Epsilon}, {"edges", float64(p.Edges)},
		},
	}, nil
}

// bytesOfSweep estimates what a sweep takes beside the vectors.
func (r *reconstruction) bytes(rows, dim int64) int64 {
	limit := r.opts.MaxBytes
	if limit == 0 {
		limit = math.MaxInt64
	}
	return 4*rows*dim + 56*rows + min(limit, 4*rows*int64(max(r.opts.Points, 128)))
}
