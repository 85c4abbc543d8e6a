// Package index finds near vectors: the k best of one query or of many, and all within a radius of
// it. The package pairs below it finds all pairs of a set within a radius of each other.
//
// # What is here
//
//   - [Index] is the interface of exact and approximate search. [Exact] scans the
//     matrix, and is the oracle of [HNSW], which walks through a graph of links:
//     [NewHNSW] builds it, [HNSW.Apply] updates it after changes of vectors,
//     [HNSW.WriteTo] and [ReadHNSW] store it, [HNSW.Recall] measures what it finds.
//   - [Batches] answer many queries at a time, with the hits of [Exact.Search].
//   - [EpsilonToRadius] and [RadiusToEpsilon] translate the paper's edge
//     probability 1/(1+e^distance) into a distance and back.
//
// # What exact means
//
// A vector is within a radius of another exactly if
//
//	float64(vec.L2Squared(a, b)) <= radius*radius
//
// Exact.Within and package pairs apply this rule bit for bit, so their answers
// never disagree. Batches first decide most vectors by products of whole tiles, with proven bounds
// on their rounding (package internal/screen), and score only the rest. The results are the same.
//
// Ties are broken by vertex. No result depends on the number of workers.
//
// # Must not depend on
//
// Graphs, keys, the store and the language. A vertex is the row number of its vector.
// All types are safe for concurrent use as long as nobody writes the matrix.
package index
