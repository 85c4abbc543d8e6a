package query

import (
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// statements lists the statements of the language, in the order in which HELP
// shows them.
func statements() []engine.Described {
	return []engine.Described{
		createGraph, deriveGraph, rename, dropGraph, dropAttribute, dropEmbedding,
		insertVertex, insertEdge, updateVertex, updateVertices, updateEdge, deleteVertex, deleteVertices, deleteEdge, deleteEdgesFile,
		importEdges, importVertices, importEmbedding, exportGraph, exportVertices, exportWalks, exportEmbedding, exportPairs, generateGraph,
		describeGraph, describeVertex, describeEmbedding, describeModel, show, showVertices, showEdges, showNeighbors, showPath, showAttributes, countVertices,
		computeStatement, estimateCompute, embed, estimateEmbed, createIndex, dropIndex, refresh, refreshMeasure, refreshPredictions, refreshAll, autoRefresh, verify, showGenerations, showVector, diff,
		nearest, nearestFor, withinRadius, reconstruct, evaluateReconstruction, evaluateParameters, evaluateLabels, evaluateLinks,
		tuneEmbedding, trainModel, materialize, dropPredictions, dropModel,
		score, scoreFile, predict, predictEach, predicted, predictedEach,
		cancelJob, resumeJob, waitJob, dropJob,
		check, compact, backup, migrate, recoverFile,
		engine.IntoFile, engine.Explain, explainScore, engine.Profile,
		helpStatement,
	}
}

// Helps describes every statement of the language, in the order in which a user
// needs them.
func Helps() []help.Statement { return helpsOf(statements()) }

// HelpOn returns the rows of HELP for a topic, which needs no database; without words it
// returns the list of the statements. If there is no such topic, the error is an *Error that
// names the nearest one.
func HelpOn(words ...string) (*rows.Rows, error) {
	t, err := helpOn(Helps(), words)
	if err != nil {
		return nil, err
	}
	return cells.RowsOf(t.columns, t.rows), nil
}
