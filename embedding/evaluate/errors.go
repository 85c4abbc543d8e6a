package evaluate

import "errors"

// Errors of the arguments. They are wrapped with the offending values.
var (
	ErrShape     = errors.New("graph and embedding do not match")           // numbers of vectors and vertices differ
	ErrOption    = errors.New("invalid option")                             // a field of an options struct
	ErrLinks     = errors.New("too few edges to hold any out")              // or too few non-edges
	ErrNegatives = errors.New("too few pairs without an edge of this kind") // see Negatives
	ErrTimes     = errors.New("the graph has no timestamps")                // to hold out the latest edges
	ErrLabels    = errors.New("labels cannot be predicted")                 // too few vertices or classes, or labels out of order
	ErrDegrees   = errors.New("degrees cannot be fitted")                   // negative, or too few different ones
)
