package classify

import "errors"

// Errors of the arguments. They are wrapped with the offending values.
var (
	ErrShape   = errors.New("rows and labels do not match")
	ErrClasses = errors.New("a classifier needs rows of both classes")
	ErrValue   = errors.New("features must be finite numbers")
	ErrOption  = errors.New("invalid option")
)
