package algorithms

import (
	"errors"
	"fmt"
)

// Errors of the arguments. They are wrapped with the offending values.
var (
	ErrOption   = errors.New("invalid option")             // a field of an options struct
	ErrWeight   = errors.New("invalid weight")             // not positive and finite
	ErrEdges    = errors.New("the graph has no edges")     // where the measure needs one
	ErrConverge = errors.New("iteration did not converge") // within the largest number of iterations
)

// OptionError reports an option whose value is out of range. It answers errors.Is for
// ErrOption.
type OptionError struct {
	Option  string // name of the option in lower case
	Value   any
	Allowed string // in words, such as "above 0"
}

// Error names the option, its value and what is allowed.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s is %v, and must be %s", e.Option, e.Value, e.Allowed)
}

// Unwrap returns ErrOption.
func (e *OptionError) Unwrap() error { return ErrOption }
