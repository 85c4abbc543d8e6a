package run

import (
	"context"
	"fmt"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/propagate"
	"heavytail/storage/csr"
)

// Bytes estimates the memory of computing an embedding, including the result, in
// addition to the graph. Errors are *MethodError and *option.Error.
func Bytes(g *csr.Graph, method string, options []option.Given) (int64, error) {
	m, err := prepare(method, options)
	if err != nil {
		return 0, err
	}
	return m.bytes(g), nil
}

// Seconds estimates the time of computing an embedding on this machine, from
// measurements on the graph that take some tenths of a second; see
// embedding.SpectralSeconds and embedding.WalkSeconds. Errors are those of Compute.
func Seconds(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
	m, err := prepare(req.Method, req.Options)
	if err != nil {
		return 0, err
	}
	return m.seconds(ctx, g, req)
}

// Follows reports whether a method follows the direction of edges, so that it needs Request.Directed.
func Follows(method string, options []option.Given) bool {
	m, err := prepare(method, options)
	return err == nil && m.follows
}

// WalkBytes estimates the memory of Walks in addition to the graph.
func WalkBytes(g *csr.Graph, method string, options []option.Given) (int64, error) {
	m, err := prepareWalks(method, options)
	if err != nil {
		return 0, err
	}
	return m.sampler(g), nil
}

func prepareWalks(method string, options []option.Given) (prepared, error) {
	m, err := prepare(method, options)
	if err == nil && m.walk == nil {
		err = fmt.Errorf("%w: %s", ErrNoWalks, method)
	}
	return m, err
}

// Walks returns the walks on a graph that a method with these options learns
// from, in its order. Errors are *MethodError, *option.Error, ErrNoWalks and those
// of embedding.NewWalks.
func Walks(ctx context.Context, g *csr.Graph, req Request) (embedding.Walks, error) {
	m, err := prepareWalks(req.Method, req.Options)
	if err != nil {
		return embedding.Walks{}, err
	}
	w, err := m.walk(ctx, g, req)
	if err != nil {
		return embedding.Walks{}, fmt.Errorf("walks of %s: %w", req.Method, err)
	}
	return w, nil
}

// GivesBack reports whether a method, of a graph of n vertices, solves for eigenvectors with so large a
// basis that it leaves no garbage.
func GivesBack(n int, method string, options []option.Given) bool {
	m, err := prepare(method, options)
	return err == nil && m.solved != nil && embedding.SpectralGivesBack(n, *m.solved)
}

// solves reports whether a method solves for eigenvectors.
func solves(method string) bool {
	m, err := prepare(method, nil)
	return err == nil && m.solved != nil
}

// RefreshBytes estimates the memory of a refresh beside the graph and the stored vectors, from the memory
// of the vectors: a copy in the order of the present vertices, and the new vectors with the work of a full
// run or, of a spectral method, with an enriched basis and its products. A method that trains on walks has
// its vectors and the inner nodes of its tree twice.
func RefreshBytes(method string, vectors int64) int64 {
	tenths := int64(70)
	switch {
	case HasWalks(method):
		tenths = 40
	case solves(method):
		tenths = 62
	case method == propagate.MethodFastRP:
		tenths = 33
	case method == propagate.MethodProNE:
		tenths = 38
	}
	return tenths * vectors / 10
}

// HasWalks reports whether a method learns from walks.
func HasWalks(method string) bool {
	m, err := prepare(method, nil)
	return err == nil && m.walk != nil
}
