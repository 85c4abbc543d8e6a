package spectral

import "errors"

// errCrowded ends a solve whose normalisation may be replaced.
var errCrowded = errors.New("hardly any eigenpair converged")

// ErrState is wrapped by the errors of a State that cannot be read.
var ErrState = errors.New("invalid state")

// ErrLists is wrapped by the errors of [Lists] that are not those of a simple graph, or that
// differ from one reading to the next.
var ErrLists = errors.New("invalid adjacency lists")
