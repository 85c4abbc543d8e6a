// Package netmf factorises the matrix that DeepWalk factorises implicitly (Qiu, Dong, Ma,
// Li, Wang and Tang, "Network Embedding as Matrix Factorization: Unifying DeepWalk, LINE,
// PTE, and node2vec", WSDM 2018). It is the exact reference for the methods that sample
// walks, on graphs of some ten thousand vertices: [NetMF] computes all entries of the
// matrix, without sampling and without training, and its eigenpairs of largest magnitude.
//
// Notation: A is the adjacency matrix, with weights where the graph has them and they are
// used, D the diagonal matrix of its row sums d, P = D⁻¹A the matrix of the steps of a
// random walk, and vol(G) the sum of d.
//
// A run has two phases. The first (rows.go) takes the vertices in groups of 16, multiplies
// their 16 unit vectors T times by P, and keeps the logarithms of the entries above 1 in a
// sparse matrix, 8 bytes each. The second (ends.go) finds the largest and the smallest
// eigenvalues by package eigen. No dense matrix of the graph's order is formed, except by
// the solver for graphs of some hundred vertices.
//
// The same graph and options give the same bytes at any number of workers: each row is
// computed by one goroutine in the order of its neighbours. The package knows neither
// files nor names.
package netmf
