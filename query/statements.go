package query

// statements lists the statements of the language, in the order in which HELP
// shows them.
func statements() []described {
	return []described{
		createGraph, deriveGraph, rename, dropGraph, dropAttribute, dropEmbedding,
		insertVertex, insertEdge, updateVertex, updateVertices, updateEdge, deleteVertex, deleteVertices, deleteEdge, deleteEdgesFile,
		importEdges, importVertices, importEmbedding, exportGraph, exportVertices, exportWalks, exportEmbedding, exportPairs, generateGraph,
		describeGraph, describeVertex, describeEmbedding, describeModel, show, showVertices, showEdges, showNeighbors, showPath, showAttributes, countVertices,
		computeStatement, estimateCompute, embed, estimateEmbed, createIndex, dropIndex, refresh, refreshMeasure, refreshPredictions, refreshAll, autoRefresh, verify, showGenerations, showVector, diff,
		nearest, nearestFor, withinRadius, reconstruct, evaluateReconstruction, evaluateParameters, evaluateLabels, evaluateLinks,
		tuneEmbedding, trainModel, materialize, dropPredictions, dropModel,
		score, scoreFile, predict, predictEach, predicted, predictedEach,
		cancelJob, resumeJob, waitJob, dropJob,
		check, compact, backup, recoverFile,
		intoFile, explain, explainScore, profile,
		help,
	}
}

// Helps describes every statement of the language, in the order in which a user
// needs them.
func Helps() []Help { return helpsOf(statements()) }

// HelpOn returns the rows of HELP for a topic, which needs no database; without words it
// returns the list of the statements. If there is no such topic, the error is an *Error that
// names the nearest one.
func HelpOn(words ...string) (*Rows, error) {
	t, err := helpOn(Helps(), words)
	if err != nil {
		return nil, err
	}
	return rowsOf(t.columns, t.rows), nil
}
