package evaluate

import "errors"

// Errors of the arguments. They are wrapped with the offending values.
var (
	ErrShape   = errors.New("graph and embedding do not match") // rows and vertices differ
	ErrOption  = errors.New("invalid option")                   // a field of an options struct
	ErrDegrees = errors.New("degrees cannot be fitted")         // negative, or too few different ones
)
