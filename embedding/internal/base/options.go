package base

import "errors"

// Limits of the options of all methods.
const (
	MaxBeta = 8 // beyond it the degrees of a real graph span more than float32
	MaxDim  = 4096
)

// ErrOptions is wrapped by every error of an option that cannot be used; the
// text names the option, its value and what is allowed.
var ErrOptions = errors.New("invalid options")
