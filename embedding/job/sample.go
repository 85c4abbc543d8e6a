package job

import (
	"context"
	"fmt"

	"heavytail/embedding"
	"heavytail/storage/csr"
)

// Walks returns the walks on a graph that a method with these options learns
// from, in its order. Errors are *MethodError, *OptionError, ErrNoWalks and those
// of embedding.NewWalks.
func Walks(ctx context.Context, g *csr.Graph, method string, options []Option, workers int) (embedding.Walks, error) {
	m, err := prepare(method, options)
	if err != nil {
		return embedding.Walks{}, err
	}
	if m.walk == nil {
		return embedding.Walks{}, fmt.Errorf("%w: %s", ErrNoWalks, method)
	}
	w, err := m.walk(ctx, g, workers)
	if err != nil {
		return embedding.Walks{}, fmt.Errorf("job: walks of %s: %w", method, err)
	}
	return w, nil
}

// HasWalks tells whether a method learns from walks.
func HasWalks(method string) bool {
	m, err := prepare(method, nil)
	return err == nil && m.walk != nil
}
