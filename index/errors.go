package index

import (
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
	ErrOption    = errors.New("option out of range")        // parameter of an HNSW
	ErrFormat    = errors.New("not a stored index")         // damaged, truncated or of another kind
	ErrMismatch  = errors.New("index of different vectors") // links made for another matrix
)

// damaged is [ErrFormat] with what was found.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrFormat)
}
