package base

import (
	"errors"
	"fmt"

	"heavytail/storage/checkpoint"
	"heavytail/storage/vec"
)

// ErrCheckpoint is wrapped by the errors of a checkpoint that cannot be read, or that
// belongs to another computation.
var ErrCheckpoint = checkpoint.Err

// Checkpoints are those of embeddings.
type Checkpoints = checkpoint.Checkpoints

// CheckpointError wraps ErrCheckpoint around an error of reading a checkpoint: one that
// is state, or of bytes that end too early or are not finite numbers. It returns other
// errors as they are.
func CheckpointError(err, state error) error {
	if errors.Is(err, state) {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return vec.StreamError(err, ErrCheckpoint)
}
