package studies

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		exportPairs, evaluateParameters, evaluateLabels, evaluateLinks, tuneEmbedding,
	}
}
