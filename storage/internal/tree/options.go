package tree

import (
	"heavytail/storage/internal/file"
	"time"
)

const (
	// heldFor is how long a file is kept after its use, so that the statements of a
	// script do not lock it one by one.
	HeldFor = 300 * time.Millisecond

	// breather is how long a store that released the file waits before it takes it
	// again. Others try every file.Pause; without the wait, a busy store would take the
	// file again before they could see that it is free.
	Breather = 5 * file.Pause
)
