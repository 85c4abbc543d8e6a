package base

import (
	"errors"
	"fmt"
	"io"
	"time"

	"heavytail/storage/vec"
)

// ErrCheckpoint is wrapped by the errors of a checkpoint that cannot be read, or that
// belongs to another computation.
var ErrCheckpoint = errors.New("checkpoint cannot be used")

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
	// From, if not nil, reads what Save has written in a computation of the same method
	// with the same options on the same graph.
	From io.Reader
}

// CheckpointError wraps ErrCheckpoint around an error of reading a checkpoint: one that
// is state, or of bytes that end too early or are not finite numbers. It returns other
// errors as they are.
func CheckpointError(err, state error) error {
	if errors.Is(err, state) {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return vec.StreamError(err, ErrCheckpoint)
}
