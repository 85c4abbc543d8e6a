// Package index finds near vectors: the k best of one query, all within a
// radius of it, and all pairs of a set within a radius of each other (the
// ε-join that reconstructs a graph from an embedding).
//
// # What is here
//
//   - [Index] is the interface of exact and approximate search. [Exact] scans the
//     matrix, and is the oracle of [HNSW], which walks through a graph of links:
//     [NewHNSW] builds it, [HNSW.Apply] updates it after changes of vectors,
//     [HNSW.WriteTo] and [ReadHNSW] store it, [HNSW.Recall] measures what it finds.
//   - [Join] lists all pairs within one radius; [NewSweep] counts, for every
//     vertex, its neighbours within each of many radii, in one pass.
//   - [EpsilonToRadius] and [RadiusToEpsilon] translate the paper's edge
//     probability 1/(1+e^distance) into a distance and back.
//
// # What exact means
//
// A pair of vectors is within a radius exactly if
//
//	float64(vec.L2Squared(a, b)) <= radius*radius
//
// Exact.Within, Join and Sweep apply this rule bit for bit, so their answers
// never disagree. Join and NewSweep first compute products of whole tiles of
// vectors, which differ from L2Squared by a few units of rounding; a proven
// bound on that difference determines which pairs the product decides and
// which must be measured again (screen.go has the bound and its proof). Where
// a sample of the vectors shows that it saves time, a sieve first decides most
// pairs, with a bound of its own (sieve.go): projections on a few directions
// (projection.go), or products of vectors rounded to bytes (byteform.go). The
// results are the same. Batches of searches have sieves with the same bounds.
//
// Ties are broken by vertex. No result depends on the number of workers.
//
// # Must not depend on
//
// Graphs, keys, the store and the language. A vertex is the row number of its vector.
// All types are safe for concurrent use as long as nobody writes the matrix.
package index
