package jobs

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		refreshAll, cancelJob, resumeJob, waitJob, dropJob,
	}
}
