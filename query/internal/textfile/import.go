package textfile

import (
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
)

// NoteComments reports lines of a list of edges that were taken as comments although they are
// not above it.
func NoteComments(c *engine.Call, late int64) {
	if late > 0 {
		c.Notice("%s left out as a comment that could be an edge: keys that begin with # or %% need quotes, in a file with commas or tabs",
			fault.Count(late, "line"))
	}
}
