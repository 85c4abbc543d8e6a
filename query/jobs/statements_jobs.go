package jobs

import "heavytail/query/internal/engine"

// jobsStatements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		refreshAll, cancelJob, resumeJob, waitJob, dropJob,
	}
}
