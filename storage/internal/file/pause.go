package file

import "time"

// Pause is the time between two attempts to get the lock, each of which takes
// about a microsecond.
const Pause = 2 * time.Millisecond
