package tune

import (
	"context"

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

// Rows that estimates are from. Hubs decide Pearson's correlation and are among
// them; how far off the figures are then, ReconstructSample says. The survey only
// chooses several points of several solves by them.
const (
	roughRows = 1024
	closeRows = 4096
)

// Judge sweeps over the radii, of a sample of rows where an estimate will do.
func (r *reconstruction) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	opts := r.opts
	opts.Workers, opts.BestLaw = workers, true
	rows := r.g.Vertices() // as many are no sample
	switch effort {
	case Rough:
		rows = roughRows
	case Close:
		rows = closeRows
	}
	best, points, err := evaluate.ReconstructSample(ctx, r.g, m, rows, opts)
	if err != nil {
		return Judgement{}, err
	}
	p := points[best]
	return Judgement{
		Score: r.opts.Criterion.Value(p),
		Exact: evaluate.SampleIsAll(r.g, rows, r.opts.Criterion),
		Measures: []Measure{
			{"pearson", p.Pearson}, {"spearman", p.Spearman}, {"kendall", p.Kendall},
			{"ks", p.KS()}, {"f1", p.F1()}, {"epsilon", p.Epsilon}, {"edges", float64(p.Edges)},
		},
	}, nil
}
