package unitball

import (
	"errors"

	"heavytail/embedding/internal/base"
)

var (
	// ErrOptions is wrapped by every error of an option that cannot be used; the text
	// names the option, its value and what is allowed.
	ErrOptions = base.ErrOptions
	// ErrCheckpoint is wrapped by the errors of a checkpoint that cannot be read, or
	// that belongs to another computation.
	ErrCheckpoint = base.ErrCheckpoint
	// ErrStart is wrapped by the errors of rows that do not fit the graph or the
	// options: of another shape, or with a value that is not finite.
	ErrStart = errors.New("rows do not fit")
)

// Checkpoints let a run stop and continue later, with the same bytes at the end.
type Checkpoints = base.Checkpoints
