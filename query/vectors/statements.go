package vectors

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		dropEmbedding, importEmbedding, exportWalks, exportEmbedding, describeEmbedding, embed, estimateEmbed,
		createIndex, dropIndex, refresh, autoRefresh, verify, showGenerations, showVector, diff, nearest, nearestFor,
		withinRadius, reconstruct, evaluateReconstruction,
	}
}
