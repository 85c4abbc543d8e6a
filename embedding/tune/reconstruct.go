package tune

import (
	"context"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// reconstruction judges how well an embedding reconstructs the degrees and
// edges of a graph.
type reconstruction struct {
	g    *csr.Graph
	opts evaluate.ReconstructOptions
}

// Reconstruction returns the objective of the ε-neighbourhood graph: the
// largest value of the criterion at any radius with a plausible number of
// edges, NaN if there is none. The options are those of
// evaluate.ReconstructSweep; workers and progress are ignored.
func Reconstruction(g *csr.Graph, opts evaluate.ReconstructOptions) (Objective, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts.Progress = nil
	return &reconstruction{g, opts}, nil
}

func (r *reconstruction) Graph(Effort) *csr.Graph { return r.g }

func (r *reconstruction) CloseIs() Closeness {
	if evaluate.SampleIsAll(r.g, closeRows, r.opts.Criterion) {
		return Same
	}
	return Estimate
}

// The number of sampled vertices of an estimate. Hubs determine Pearson's
// correlation and are among them; ReconstructSample reports the resulting
// error. The survey uses estimates only to choose several points of several
// solves.
const (
	roughRows = 1024
	closeRows = 4096
)

// ReconstructionBytes estimates the memory in which [Reconstruction] judges an embedding.
func ReconstructionBytes(vertices, dim int, edges int64, opts evaluate.ReconstructOptions) int64 {
	return max(evaluate.RandomDirectionsBytes(vertices, dim)+evaluate.ReconstructBytes(vertices, dim, edges, opts), evaluate.ReconstructSampleBytes(vertices, dim, edges, closeRows, opts))
}

// Judge sweeps over the radii, for a sample of vertices if an estimate
// suffices. An exact judgement has the null of the rows too.
func (r *reconstruction) Judge(ctx context.Context, m *vec.Matrix, effort Effort, workers int) (Judgement, error) {
	opts := r.opts
	opts.Workers, opts.BestLaw = workers, true
	rows := r.g.Vertices() // all vertices: no sample
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
	wrong := float64(p.Edges + r.g.Edges()) // pairs that are edges of one of the two graphs only
	if p.Edges > 0 {
		wrong -= 2 * math.Round(float64(p.Edges)*p.Precision)
	}
	nan := math.NaN()
	null := evaluate.ReconstructionPoint{Pearson: nan, Spearman: nan, F1: nan, H3: nan}
	if effort == Exact {
		opts.BestLaw = false
		if null, err = evaluate.ReconstructNull(ctx, r.g, m, opts); err != nil {
			return Judgement{}, err
		}
	}
	score := r.opts.Criterion.Value(p)
	if !evaluate.Plausible(r.g, p.Edges) {
		score = math.NaN()
	}
	return Judgement{
		Score: score,
		Measures: []Measure{
			{"pearson", p.Pearson}, {"spearman", p.Spearman}, {"kendall", p.Kendall},
			{"ks", p.KS()}, {"precision", p.Precision}, {"recall", p.Recall}, {"f1", p.F1}, {"h3", p.H3},
			{"null_pearson", null.Pearson}, {"null_spearman", null.Spearman}, {"null_f1", null.F1}, {"null_h3", null.H3},
			{"epsilon", p.Epsilon}, {"edges", float64(p.Edges)}, {"wrong_pairs", wrong},
		},
	}, nil
}
