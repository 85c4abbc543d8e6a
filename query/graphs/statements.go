package graphs

import "heavytail/query/internal/engine"

// Statements lists the statements of the family, in the order in which HELP shows them.
func Statements() []engine.Described {
	return []engine.Described{
		createGraph, createDirected, deriveGraph, generateGraph, importEdges, importVertices, exportGraph, exportVertices,
		describeGraph, describeVertex, showVertices, showEdges, showNeighbors, showPath, showPaths, showAttributes,
		countVertices, countEdges, insertVertex, insertEdge, updateVertex, updateVertices, updateEdge, deleteVertex,
		deleteVertices, deleteEdge, deleteEdges, deleteEdgesFile, rename, dropGraph, dropAttribute, dropEdgeAttribute,
	}
}
