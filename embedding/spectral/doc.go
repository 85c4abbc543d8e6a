// Package spectral embeds the vertices of a graph by the leading eigenvectors of a
// normalised matrix of the graph: [LaplacianEigenmaps] (Belkin and Niyogi, Neural
// Computation 15, 2003) and [DPSpectral], the degree-penalty spectral method of Feng et
// al. (AAAI 2018).
//
// A method is a diagonal scaling around products with the adjacency matrix (type
// operator), for which package eigen finds the eigenpairs. From there:
//
//	options.go               parameters, and the measurements behind their defaults
//	adjacency.go, method.go  the matrix of a method; weighted.go for graphs with weights
//	operator.go, rows.go     products with the matrix
//	reader.go, lists.go      edges that are read from a file for each product
//	deflate.go               eigenvectors that are known in advance
//	spectral.go              the methods, and a solve from beginning to end
//	parts.go                 one matrix for the graph, or one for each component
//	solve.go, problem.go     the solve of one matrix
//	eigenpairs.go            from eigenpairs to vectors: scales
//	spacing.go               the distances by which components are moved apart
//	checkpoint.go            stop and continue
//	refresh*.go              update the vectors of a graph that has changed
//	angles.go                how much two embeddings of a graph differ
//	state.go                 what a refresh needs next to the vectors
//	estimate.go              estimates of the time
//
// [Solve] returns the eigenpairs themselves; from them [Eigenpairs.Rows] makes the
// embedding with any scale and row scale at little cost. [Embed] runs a method given by its
// name, and also returns the state that [Refresh] needs later.
//
// [SolveLists] and [EmbedLists] are Solve and Embed for edges that are not in memory, with
// the same bits. Edges take 8 bytes each in memory, 16 with weights; what depends on the
// vertices takes [Bytes], some 1,500 bytes per vertex for 64 coordinates, and stays there.
//
// Go programs use these functions and types under their names in package embedding.
package spectral
