// Package propagate has embeddings that pass vectors along the edges of a graph a few
// times: [FastRP] begins with random vectors, and [ProNE] with the factors of a sparse
// matrix. A run is a few products of a sparse matrix with blocks of columns, and takes
// seconds where a solve for eigenvectors takes minutes.
//
// Notation: A is the adjacency matrix, with weights where the graph has them and they are
// used, D the diagonal matrix of its row sums d, and S = D⁻¹A the matrix of the steps of
// a random walk. A row without edges is zero.
//
// The same graph and options give the same bytes at any number of workers: every row is
// summed in the order of its neighbours by one goroutine. The package knows neither files
// nor names.
package propagate
