package embedding

import "heavytail/embedding/internal/base"

// ErrCheckpoint is wrapped by the errors of a checkpoint that cannot be read, or that
// belongs to another computation.
var ErrCheckpoint = base.ErrCheckpoint

// Checkpoints let a computation stop and continue later, with the same bytes at the end.
// The zero value saves nothing and starts from the beginning.
type Checkpoints = base.Checkpoints

// ErrOptions is wrapped by every error of an option that cannot be used; the
// text names the option, its value and what is allowed.
var ErrOptions = base.ErrOptions

// ErrEntries is wrapped by the error of a method whose matrix would have more entries than
// its option entries allows.
var ErrEntries = base.ErrEntries

// RefreshStats describe a refresh.
type RefreshStats = base.RefreshStats
