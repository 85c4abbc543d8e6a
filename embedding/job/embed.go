package job

import (
	"context"
	"fmt"
	"strconv"

	"heavytail/embedding"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Request asks for an embedding of a snapshot of a graph.
type Request struct {
	Name     string // of the embedding
	Method   string // one of Methods
	Options  []Option
	Workers  int // goroutines; 0 is GOMAXPROCS
	Progress func(stage string, done, total int64)
}

// Embed computes an embedding of the snapshot and stores it under the name of
// the request, as the next generation if there is one on the same graph.
//
// The record of the embedding holds every option after defaults, in the order of
// Methods and in canonical text, so that the same method with the same options
// on the same version of the graph gives the same bytes on the same kind of
// processor. Errors are *MethodError, *OptionError, those of the algorithm and
// those of storage.PutEmbedding; on any of them nothing is stored.
func Embed(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req Request) (storage.EmbeddingInfo, error) {
	options, err := parse(req.Method, req.Options)
	if err != nil {
		return storage.EmbeddingInfo{}, err
	}
	options.Workers, options.Progress = req.Workers, req.Progress
	run := embedding.DPSpectral
	if req.Method == embedding.MethodLaplacianEigenmaps {
		run = embedding.LaplacianEigenmaps
	}
	m, stats, err := run(ctx, snap.Graph, options)
	if err != nil {
		return storage.EmbeddingInfo{}, fmt.Errorf("job: %s of graph %q: %w", req.Method, snap.Info.Name, err)
	}
	info, err := db.PutEmbedding(ctx, provenance(snap, req, options, stats), m)
	if err != nil {
		return storage.EmbeddingInfo{}, fmt.Errorf("job: %w", err)
	}
	return info, nil
}

// provenance describes a result before it is stored.
func provenance(snap *storage.Snapshot, req Request, o embedding.SpectralOptions, stats embedding.SpectralStats) storage.EmbeddingInfo {
	info := storage.EmbeddingInfo{
		Name: req.Name, Graph: snap.Info.Name, GraphVersion: snap.Info.Version,
		Method: req.Method, Seed: o.Seed, Kernel: vec.Kind(),
		Eigenvalues: stats.Eigenvalues, Residuals: stats.Residuals,
		Components: stats.Components, Iterations: stats.Iterations, Seconds: stats.Seconds,
		Stats: []storage.Setting{
			{Name: "products", Value: strconv.Itoa(stats.Products)},
			{Name: "converged", Value: strconv.FormatBool(stats.Converged)},
			{Name: "reason", Value: stats.Reason},
		},
	}
	for _, f := range fields(req.Method) {
		info.Options = append(info.Options, storage.Setting{Name: f.Name, Value: f.get(o)})
	}
	for _, note := range stats.Notes {
		info.Stats = append(info.Stats, storage.Setting{Name: "note", Value: note})
	}
	return info
}
