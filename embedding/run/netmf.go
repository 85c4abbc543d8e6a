package run

import (
	"context"
	"slices"
	"strconv"

	"heavytail/embedding/netmf"
	"heavytail/embedding/option"
	"heavytail/storage"
	"heavytail/storage/csr"
)

func netMF() algorithm {
	type options = netmf.Options
	summary := "exact factorisation of the matrix that deepwalk samples, for small graphs"
	a := method(netmf.Method, summary, NetMFSchema(), options.Validate, options.WithDefaults, func(o options) prepared {
		return prepared{
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
				o := o
				o.Workers, o.Progress = req.Workers, req.Progress
				rows, stats, err := netmf.NetMF(ctx, g, o)
				if err != nil {
					return outcome{}, err
				}
				return outcome{vectors: rows, info: netMFRecord(g, o.Seed, stats)}, nil
			},
			bytes: func(g *csr.Graph) int64 { return netmf.Bytes(g, o) },
			seconds: func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				o := o
				o.Workers = req.Workers
				return netmf.Seconds(ctx, g, o)
			},
		}
	})
	a.Instead = "fastrp and deepwalk"
	return a
}

func netMFRecord(g *csr.Graph, seed uint64, stats netmf.Stats) storage.EmbeddingInfo {
	info := storage.EmbeddingInfo{
		Seed: seed, Eigenvalues: stats.Eigenvalues, Residuals: stats.Residuals, Iterations: stats.Iterations, Seconds: stats.Seconds,
		Stats: []storage.Setting{
			{Name: "entries", Value: strconv.FormatInt(stats.Entries, 10)},
			{Name: "products", Value: strconv.Itoa(stats.Products)},
			{Name: "converged", Value: strconv.FormatBool(stats.Converged)},
			{Name: "reason", Value: stats.Reason},
		},
	}
	info.Stats = slices.Concat(info.Stats, weighted(g, stats.Weighted), notesOf(stats.Notes))
	return info
}

// NetMFSchema returns the options of netmf.
func NetMFSchema() option.Schema[netmf.Options] {
	type options = netmf.Options
	return option.Schema[options]{
		dim("", func(o *options) *int { return &o.Dim }),
		count("window", "steps of the random walk", 1, netmf.MaxWindow, func(o *options) *int { return &o.Window }),
		count("negative", "negative samples of each pair that the matrix corresponds to; more of them leave fewer entries",
			1, netmf.MaxNegative, func(o *options) *int { return &o.Negative }),
		count("entries", "largest number of entries of the matrix, 8 bytes each", 1, netmf.MaxEntries, func(o *options) *int { return &o.Entries }),
		rowNorm(func(o *options) **float64 { return &o.RowNorm }),
		rowScale(func(o *options) **float64 { return &o.RowScale }),
		weights(func(o *options) *bool { return &o.IgnoreWeights }),
		seed("seed of the random start of the solver", func(o *options) *uint64 { return &o.Seed }),
	}
}
