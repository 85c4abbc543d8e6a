package links

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		describeModel, refreshPredictions, trainModel, materialize, dropPredictions, dropModel, score, scoreFile,
		predict, explainScore,
	}
}
