package vectors

import "heavytail/query/internal/engine"

// Statements lists the statements of the family, in the order in which HELP shows them.
func Statements() []engine.Described {
	return []engine.Described{
		embed, estimateEmbed, refresh, autoRefresh, verify, importEmbedding, exportEmbedding, exportWalks,
		nearest, withinRadius, reconstruct, evaluateReconstruction, createIndex, dropIndex,
		describeEmbedding, showVector, showGenerations, diff, dropEmbedding,
	}
}
