package links

import "heavytail/query/internal/engine"

// Statements lists the statements of the family, in the order in which HELP shows them.
func Statements() []engine.Described {
	return []engine.Described{
		score, scoreFile, explainScore, predict, trainModel, describeModel, materialize,
		refreshPredictions, dropPredictions, dropModel, evaluateTest,
	}
}
