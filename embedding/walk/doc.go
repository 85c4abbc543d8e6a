// Package walk samples random walks on a graph: those of DeepWalk, of DP-Walker
// (Feng et al., AAAI 2018, section "DP-Walker") and of node2vec.
//
// A [Walker] is made once for a graph and is read-only afterwards. The walk with the number
// round from vertex v depends only on the graph, the options, v and round: any number of
// goroutines may request walks in any order, and walks need not be stored, because they can
// be generated again.
//
// # DP-Walker
//
// From vertex i, the walk moves to j with Pr(j | i) ∝ C'_ij / (d_i d_j)^β, where C'_ij =
// A_ij + c·Σ_m A_im A_mj for j ≠ i counts the edge and the common neighbours, c = 1 in the
// paper ([Options].Common). d_i cancels. C'
// has far more entries than the graph has edges, and is never computed: with s(m) = Σ_{j ∈
// N(m)} A_mj d_j^−β, the vertex j is reached from i
//
//	directly              with weight s(i) for all j together, or
//	by a middle vertex m  with weight c·A_im (s(m) − A_mi d_i^−β),
//
// and is then one of N(i), or of N(m) without i, with weight A d_j^−β. So a
// step is two draws from tables over the adjacency lists (Walker's alias
// method, each in constant time), and the second draw is repeated if it
// returns i. The tables take 16 bytes per arc, which is 32 per edge. With c = 0 there are no
// middle vertices, and a step is one draw from the table of N(i).
//
// # Weights
//
// In a graph with weights A_ij is the weight of the edge; [Uniform] and
// [Biased] choose among the edges of a vertex in proportion to it. For
// [Penalized], weights are divided by their mean, so that the balance of the
// two terms of C' does not depend on their unit, and d is the sum of the
// weights of a vertex: the walk avoids vertices with many or heavy edges.
//
// # Directed graphs
//
// [Uniform] and [Biased] also follow the arcs of a directed graph, by their own weights: from source to target
// in the rows of csr.Directed.Out, and the other way in those of In ([Options].Arcs). The distance of
// node2vec's paper from the previous vertex t of a walk to a candidate x is 1 if an arc leads from t to x in these rows.
// So does the program of its authors in SNAP; the one in Python asks for the arc from x to t. [Penalized] is
// defined for undirected graphs: C' has no direction.
//
// # Where a walk ends
//
// A walk ends at a vertex without neighbours, which is the only vertex of a walk from there. In an undirected
// graph every other walk has its full length: a vertex with a neighbour always has a next vertex, for DP-Walker at
// least the neighbour. Along arcs a walk ends at a vertex without arcs, as in both programs of
// node2vec's authors, and is not begun again.
package walk
