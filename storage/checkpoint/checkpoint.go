// Package checkpoint has what long computations and those who keep their states agree on.
package checkpoint

import (
	"errors"
	"io"
	"time"
)

// Err is wrapped by the errors of a checkpoint that cannot be read, or that
// belongs to another computation.
var Err = errors.New("checkpoint cannot be used")

// Checkpoints let a computation stop and continue later, with the same bytes at the end.
// The zero value saves nothing and starts from the beginning.
type Checkpoints struct {
	// Save, if not nil, is called at intervals and when the context has ended, with a
	// function that writes what is needed to continue, which Save may call several times, or
	// only with a writer that refuses: it decides whether the state is saved. The computation
	// waits for Save; an error of Save ends it. Short computations save nothing.
	Save func(write func(w io.Writer) error) error
	// Every is the least time between two calls. The call at the end of the context does
	// not wait for it.
	Every time.Duration
	// From, if not nil, reads what Save has written in a computation of the same kind
	// with the same options on the same graph.
	From io.Reader
}
