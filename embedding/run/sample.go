package run

import (
	"context"
	"fmt"

	"heavytail/embedding"
	"heavytail/storage/csr"
)

// Bytes estimates the memory of computing an embedding, including the result, in
// addition to the graph. Errors are *MethodError and *OptionError.
func Bytes(g *csr.Graph, method string, options []Option) (int64, error) {
	m, err := prepare(method, options)
	if err != nil {
		return 0, err
	}
	return m.bytes(g), nil
}

// Seconds estimates the time of computing an embedding on this machine, from
// measurements on the graph that take some tenths of a second; see
// embedding.SpectralSeconds and embedding.WalkSeconds. Errors are those of Compute.
func Seconds(ctx context.Context, g *csr.Graph, method string, options []Option, workers int) (float64, error) {
	m, err := prepare(method, options)
	if err != nil {
		return 0, err
	}
	return m.seconds(ctx, g, workers)
}

// WalkBytes estimates the memory of Walks in addition to the graph.
func WalkBytes(g *csr.Graph, method string, options []Option) (int64, error) {
	m, err := prepareWalks(method, options)
	if err != nil {
		return 0, err
	}
	return m.sampler(g), nil
}

// prepareWalks is prepare for a method that learns from walks.
func prepareWalks(method string, options []Option) (prepared, error) {
	m, err := prepare(method, options)
	if err == nil && m.walk == nil {
		err = fmt.Errorf("%w: %s", ErrNoWalks, method)
	}
	return m, err
}

// Walks returns the walks on a graph that a method with these options learns
// from, in its order. Errors are *MethodError, *OptionError, ErrNoWalks and those
// of embedding.NewWalks.
func Walks(ctx context.Context, g *csr.Graph, method string, options []Option, workers int) (embedding.Walks, error) {
	m, err := prepareWalks(method, options)
	if err != nil {
		return embedding.Walks{}, err
	}
	w, err := m.walk(ctx, g, workers)
	if err != nil {
		return embedding.Walks{}, fmt.Errorf("walks of %s: %w", method, err)
	}
	return w, nil
}

// HasWalks reports whether a method learns from walks.
func HasWalks(method string) bool {
	m, err := prepare(method, nil)
	return err == nil && m.walk != nil
}
