package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// spectral is a method of package embedding that solves for eigenvectors.
func spectral(name, summary string) algorithm {
	complete := func(o embedding.SpectralOptions) embedding.SpectralOptions {
		full := o.WithDefaults(name)
		if name == embedding.MethodDPSpectral { // nil is what it chooses
			full.Common, full.Beta, full.RowScale = o.Common, o.Beta, o.RowScale
		}
		return full
	}
	return method(name, summary, SpectralSchema(name), embedding.SpectralOptions.Validate, complete, func(o embedding.SpectralOptions) prepared {
		return prepared{
			solved: &o,
			bytes: func(g *csr.Graph) int64 {
				bytes := embedding.SpectralBytes(g, name, o)
				if chooses(name, o) {
					bytes = max(bytes, tune.RowScaleBytes(g.Vertices(), min(o.Dim, g.Vertices()), g.Edges()))
				}
				return bytes
			},
			seconds: func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				o := o
				o.Workers = req.Workers
				return spectralSeconds(ctx, g, name, o)
			},
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
				o := o
				o.Workers, o.Progress, o.Checkpoints = req.Workers, req.Progress, req.Checkpoints
				o, tried, err := penaltyOf(ctx, g, name, o)
				if err != nil {
					return outcome{}, err
				}
				pairs, err := embedding.SolveSpectral(ctx, g, name, o)
				if err != nil {
					return outcome{}, err
				}
				delta, measured, err := rowScaleOf(ctx, g, name, o, pairs, req.Workers)
				if err != nil {
					return outcome{}, err
				}
				info := spectralRecord(g, o, pairs.Stats)
				info.Stats = slices.Concat(info.Stats, tried, measured)
				if name == embedding.MethodDPSpectral { // the results of automatic choices, which a refresh keeps
					o.Normalization, o.Beta, o.RowScale = pairs.Stats.Normalization, &pairs.Stats.Beta, &delta
					info.Options = SpectralSchema(name).Settings(o)
				}
				rows, state := pairs.Embed(*o.Scale, delta)
				return outcome{rows, info, state.Write}, nil
			},
			renew: func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error) {
				o := o
				o.Workers, o.Progress = workers, r.progress
				return renewSpectral(ctx, g, name, o, r)
			},
		}
	})
}

// spectralSeconds estimates the time of a spectral method with its choices.
func spectralSeconds(ctx context.Context, g *csr.Graph, method string, o embedding.SpectralOptions) (float64, error) {
	seconds, err := embedding.SpectralSeconds(ctx, g, method, o)
	if err == nil && chooses(method, o) {
		seconds += tune.RowScaleSeconds(g.Vertices(), o.Dim, o.Workers)
	}
	if err != nil || method != embedding.MethodDPSpectral || !tune.ChoosesPenalty(o) {
		return seconds, err
	}
	seconds += tune.PenaltySeconds(g.Vertices(), o)
	o.Dim = tune.PenaltyDim(g.Vertices(), o)
	each, err := embedding.SpectralSeconds(ctx, g, method, o)
	return seconds + float64(tune.PenaltySolves(o))*each, err
}

// penaltyOf returns the options with the penalty that a method chooses, and what each that it
// tried reached for the record.
func penaltyOf(ctx context.Context, g *csr.Graph, method string, o embedding.SpectralOptions) (embedding.SpectralOptions, []storage.Setting, error) {
	if method != embedding.MethodDPSpectral {
		return o, nil, nil
	}
	o, tried, err := tune.Penalty(ctx, g, o, o.Workers)
	var list []storage.Setting
	for _, x := range tried {
		if !math.IsNaN(x.H3) {
			list = append(list, storage.Setting{Name: fmt.Sprintf("h3 at common %v, beta %v", x.Common, x.Beta), Value: fmt.Sprintf("%.3f", x.H3)})
		}
	}
	return o, list, err
}

// chooses reports whether a method chooses its row scale after the solve.
func chooses(method string, o embedding.SpectralOptions) bool {
	return method == embedding.MethodDPSpectral && o.RowScale == nil
}

// rowScaleOf returns the row scale of the options, or chooses it, and then what each value
// reached for the record.
func rowScaleOf(ctx context.Context, g *csr.Graph, method string, o embedding.SpectralOptions, pairs *embedding.Eigenpairs, workers int) (float64, []storage.Setting, error) {
	if !chooses(method, o) {
		return *o.RowScale, nil, nil
	}
	delta, h3, err := tune.RowScale(ctx, g, pairs, *o.Scale, workers)
	var list []storage.Setting
	for i, x := range h3 {
		if !math.IsNaN(x) {
			list = append(list, storage.Setting{Name: fmt.Sprintf("h3 at row_scale %v", tune.RowScales()[i]), Value: fmt.Sprintf("%.3f", x)})
		}
	}
	return delta, list, err
}

// spectralRecord returns, for the record of an embedding, the settings of the
// solver and, for a graph with weights, whether the weights were used. They are
// not used if all are equal or the option weights is false.
func spectralRecord(g *csr.Graph, o embedding.SpectralOptions, stats embedding.SpectralStats) storage.EmbeddingInfo {
	info := storage.EmbeddingInfo{
		Seed:        o.Seed,
		Eigenvalues: stats.Eigenvalues, Residuals: stats.Residuals,
		Components: stats.Components, Iterations: stats.Iterations, Seconds: stats.Seconds,
		Stats: []storage.Setting{
			{Name: "products", Value: strconv.Itoa(stats.Products)},
			{Name: "converged", Value: strconv.FormatBool(stats.Converged)},
			{Name: "reason", Value: stats.Reason},
		},
	}
	info.Stats = slices.Concat(info.Stats, weighted(g, stats.Weighted), notesOf(stats.Notes))
	return info
}

// SpectralSchema returns the options of a spectral method of package embedding; without a name, those
// of both.
func SpectralSchema(method string) option.Schema[embedding.SpectralOptions] {
	type options = embedding.SpectralOptions
	penalty := option.Schema[options]{
		option.FloatOr("beta", "auto", "degree penalty, from 0 (none) to 8; auto is that of 0 and 0.5 for edges and of 1.5 (0.5 with degree) for common neighbours which reconstructs best with 128 coordinates (H3 of a sample of vertices)",
			func(o *options) **float64 { return &o.Beta }).Must("a number from 0 to 8, or 'auto'"),
		option.FloatOr("common", "auto", "weight of each common neighbour beside that of an edge; with 0 only edges count, and 1 is the matrix of the paper; auto chooses one of both with beta",
			func(o *options) **float64 { return &o.Common }).Must("a number from 0 to 1e6, or 'auto'"),
		option.Enum("normalization", "by degrees, as in the paper, or by the row sums of the penalised matrix (strength), as in the authors' code; auto is strength, or degree if too many eigenvalues of strength are too close to 1 to be separated",
			[]string{embedding.Auto.String(), embedding.Strength.String(), embedding.Degree.String()},
			func(o *options) *embedding.Normalization { return &o.Normalization }),
	}
	common := option.Schema[options]{
		float("scale", "power of the eigenvalue by which every coordinate is multiplied", "a number from 0 to 4",
			func(o *options) **float64 { return &o.Scale }),
		rowScale(func(o *options) **float64 { return &o.RowScale }),
		positive("tolerance", "largest residual of an eigenpair, relative to the largest eigenvalue",
			"a number above 0 and at most 0.1", func(o *options) *float64 { return &o.Tolerance }),
		seed("seed of the random start", func(o *options) *uint64 { return &o.Seed }),
		option.Enum("components", "solve connected components separately and keep them apart, or all as one matrix",
			[]string{embedding.ComponentMode(0).String(), embedding.ComponentMode(1).String()},
			func(o *options) *embedding.ComponentMode { return &o.Components }),
		weights(func(o *options) *bool { return &o.IgnoreWeights }),
	}
	if method != embedding.MethodLaplacianEigenmaps {
		common[1] = option.FloatOr("row_scale", "auto", "power of the degree by which every vector is divided; auto is that of 0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75 and 1 which reconstructs best (H3 of a sample of vertices)",
			func(o *options) **float64 { return &o.RowScale }).Must("a number from 0 to 4, or 'auto'")
	}
	list := option.Schema[options]{
		dim(", at most the number of vertices", func(o *options) *int { return &o.Dim }),
	}
	if method != embedding.MethodLaplacianEigenmaps {
		list = append(list, penalty...)
	}
	return append(list, common...)
}
