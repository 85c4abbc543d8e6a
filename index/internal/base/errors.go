package base

import (
	"context"
	"errors"
	"fmt"
)

// Errors of a query or an option. They are wrapped with the offending value.
var (
	ErrDimension = errors.New("wrong dimension")     // query or matrix of an unexpected shape
	ErrNotFinite = errors.New("not a finite number") // NaN or Inf in a query or a matrix
	ErrRadius    = errors.New("invalid radius")      // NaN, infinite, negative, or radii out of order
	ErrVertex    = errors.New("no such vertex")      // number beyond the last vector
	ErrOption    = errors.New("option out of range") // a number of things, or a parameter, out of its range
)

// NotNegative is [ErrOption] for a negative number.
func NotNegative(what string, n int) error {
	if n < 0 {
		return fmt.Errorf("%s: %d, and must not be negative: %w", what, n, ErrOption)
	}
	return nil
}

// OrBackground returns the context, or context.Background for nil: index and the packages below it take a nil
// context as one that never ends.
func OrBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
