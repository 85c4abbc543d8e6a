package graphs

import "heavytail/query/internal/engine"

// Statements lists the statements of the family.
func Statements() []engine.Described {
	return []engine.Described{
		deriveGraph, createGraph, rename, dropGraph, dropAttribute, insertVertex, insertEdge, updateVertex,
		updateVertices, updateEdge, deleteVertex, deleteVertices, deleteEdge, deleteEdgesFile, importEdges,
		importVertices, exportGraph, exportVertices, generateGraph, describeGraph, describeVertex, showVertices,
		showEdges, showNeighbors, showPath, showAttributes, countVertices,
	}
}
