package index

import (
	"errors"
	"fmt"

	"heavytail/index/internal/base"
)

// Errors of a query or an option, also of the packages below. They are wrapped with the offending
// value.
var (
	ErrDimension = base.ErrDimension                        // query or matrix of an unexpected shape
	ErrNotFinite = base.ErrNotFinite                        // NaN or Inf in a query or a matrix
	ErrRadius    = base.ErrRadius                           // NaN, infinite, negative, or radii out of order
	ErrVertex    = base.ErrVertex                           // number beyond the last vector
	ErrOption    = base.ErrOption                           // parameter of an HNSW or a search, or a number of things
	ErrK         = errors.New("k must be at least 1")       // number of neighbours
	ErrEpsilon   = errors.New("epsilon must be in (0, ½]")  // edge probability out of range
	ErrMetric    = errors.New("unknown metric")             // name or number of a metric
	ErrFormat    = errors.New("not a stored index")         // damaged, truncated or of another kind
	ErrMismatch  = errors.New("index of different vectors") // links made for another matrix
)

// damaged is [ErrFormat] with what was found.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrFormat)
}
