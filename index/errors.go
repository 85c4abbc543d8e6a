package index

import (
	"context"
	"errors"
	"fmt"
)

// Errors of a query or an option. They are wrapped with the offending value.
var (
	ErrDimension = errors.New("wrong dimension")            // query or matrix of an unexpected shape
	ErrNotFinite = errors.New("not a finite number")        // NaN or Inf in a query or a matrix
	ErrK         = errors.New("k must be at least 1")       // number of neighbours
	ErrRadius    = errors.New("invalid radius")             // NaN, infinite, negative, or radii out of order
	ErrEpsilon   = errors.New("epsilon must be in (0, ½]")  // edge probability out of range
	ErrMetric    = errors.New("unknown metric")             // name or number of a metric
	ErrVertex    = errors.New("no such vertex")             // number beyond the last vector
	ErrOption    = errors.New("option out of range")        // parameter of an HNSW or a search, or a number of things
	ErrFormat    = errors.New("not a stored index")         // damaged, truncated or of another kind
	ErrMismatch  = errors.New("index of different vectors") // links made for another matrix
)

// notNegative is [ErrOption] for a negative number.
func notNegative(what string, n int) error {
	if n < 0 {
		return fmt.Errorf("%s: %d, and must not be negative: %w", what, n, ErrOption)
	}
	return nil
}

// orBackground returns the context, or context.Background for nil: the package takes a nil
// context as one that never ends.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// damaged is [ErrFormat] with what was found.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrFormat)
}
