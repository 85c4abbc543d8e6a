// Package pairs finds all pairs of a set of vectors within a radius of each other: the ε-join that
// reconstructs a graph from an embedding.
//
//   - [Join] lists the pairs within one radius.
//   - [NewSweep] counts, for every vector, its neighbours within each of many radii, in one pass.
//   - [Moving] joins vectors that move a little between its joins.
//   - [SampleDistances] measures random pairs, to choose radii.
//
// A pair is within a radius by the rule of package index, bit for bit. Products of whole tiles of
// vectors decide most pairs, with the bound of package index/internal/screen on their rounding; the
// rest are measured by vec.L2Squared. Pairs are in ascending order, and no result depends on the
// number of workers. Errors are those of package index. A nil context never ends.
//
// It must not depend on searches: a search has one query, and a pass over pairs has none.
package pairs
