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

// ErrEntries is wrapped by the errors of a matrix that would have more entries than an
// option allows; the text has both numbers and names methods that need no such matrix.
var ErrEntries = errors.New("the matrix has too many entries")
