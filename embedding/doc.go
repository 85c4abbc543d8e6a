// Package embedding computes vertex embeddings: functions of a graph and options
// that return a matrix with one row per vertex, and statistics.
//
// LaplacianEigenmaps and DPSpectral take rows from the leading eigenvectors of a
// normalised matrix of the graph. Both are a diagonal scaling around products
// with the adjacency matrix (type operator), for which package embedding/eigen
// finds the eigenpairs; what is done about components is in apart.go, and about
// weights of edges in adjacency.go and weighted.go. SolveSpectral returns the
// eigenpairs themselves, of which any scale and row scale is made at little cost.
//
// RefreshSpectral and RefreshWalks bring an embedding up to date with a graph that
// has changed a little, in a fraction of the time of a full run.
//
// Nothing here knows of the store or of the language; embedding/job joins them.
package embedding
