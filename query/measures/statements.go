package measures

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		computeStatement, estimateCompute, refreshMeasure,
	}
}
