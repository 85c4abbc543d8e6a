package run

import (
	"context"
	"fmt"

	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Compute computes an embedding of a graph and stores nothing: the vectors, and
// the record that Embed would store with them, except names and versions.
// Errors are *MethodError, *option.Error and those of the algorithm.
func Compute(ctx context.Context, g *csr.Graph, req Request) (*vec.Matrix, storage.EmbeddingInfo, error) {
	method, err := prepare(req.Method, req.Options)
	if err != nil {
		return nil, storage.EmbeddingInfo{}, err
	}
	computed, err := method.run(ctx, g, req)
	if err != nil {
		return nil, storage.EmbeddingInfo{}, fmt.Errorf("%s: %w", req.Method, err)
	}
	return computed.vectors, computed.record(req, method), nil
}
