package query

import (
	"context"

	impl "heavytail/embedding"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func embedMethods() []Method {
	options := []OptionInfo{
		{Name: "dim", Type: "int", Default: "200", Doc: "coordinates per vertex"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the random start"},
	}
	return []Method{
		{Name: impl.MethodDPSpectral, Summary: "degree-penalty spectral embedding", Options: options},
		{Name: impl.MethodLaplacianEigenmaps, Summary: "Laplacian Eigenmaps", Options: options},
	}
}

func checkMethod(Method, []setting) error { return nil }

func (c *call) runMethod(e *embedding, req EmbedRequest, _ []setting) (storage.EmbeddingInfo, error) {
	run := map[string]func(context.Context, *csr.Graph, impl.SpectralOptions) (*vec.Matrix, impl.SpectralStats, error){
		impl.MethodDPSpectral: impl.DPSpectral, impl.MethodLaplacianEigenmaps: impl.LaplacianEigenmaps,
	}[req.Method]
	m, stats, err := run(c.ctx, e.graph.Graph, impl.SpectralOptions{
		Dim: int(e.settings.integer("dim")), Seed: uint64(e.settings.integer("seed")),
		Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if err != nil {
		return storage.EmbeddingInfo{}, err
	}
	return c.db.store.PutEmbedding(c.ctx, storage.EmbeddingInfo{
		Name: req.Name, Graph: req.Graph, GraphVersion: e.graph.Info.Version, Method: req.Method, Kernel: vec.Kind(),
		Eigenvalues: stats.Eigenvalues, Residuals: stats.Residuals, Components: stats.Components, Iterations: stats.Iterations, Seconds: stats.Seconds,
	}, m)
}
