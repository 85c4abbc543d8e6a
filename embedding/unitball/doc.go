// Package unitball places the vertices of a graph so that two of them are adjacent
// exactly where their distance is at most 1.
//
// # Definition
//
// A graph that can be placed so in k dimensions is a unit-ball graph, and the least
// such k is its sphericity (Maehara, "Space graphs and sphericity", Discrete Applied
// Mathematics 7, 1984). Every graph has one, at most n. [Embed] searches for a
// placement in k dimensions by minimising
//
//	Σ_{uv ∈ E} √(w_u·w_v)·φ(max(0, d_uv − (1−μ))) + Σ_{uv ∉ E} φ(max(0, (1+μ) − d_uv)) + λ·Σ_v ‖x_v − s_v‖²
//
// with d the Euclidean distance, φ(h) = 2·h^(p+1)/(p+1) and the power p = 1, which
// may fall (see Powers), μ the margin, w the weights of vertices, s the rows
// that the run began with and λ the anchor. Weights of edges are not used.
//
// # What a pass does
//
// Only pairs that violate their bound have a gradient, and nothing is sampled.
//
//  1. [index.Join] lists the pairs without an edge within 1+μ and a skin. The list
//     serves until the longest move since then takes two vertices nearer by more than
//     the skin; that is the neighbour list of molecular dynamics (Verlet, Physical
//     Review 159, 1967). In k dimensions two vertices are taken to come nearer by at most
//     min(1, 2/√k) of twice that move, because moves are nearly orthogonal to most pairs.
//     From k = 5 on, a few near pairs may therefore be missing for some passes: the list
//     is then not sure, and what the pass reports has a few false pairs too few. A run
//     never ends by such a count: where it would, all pairs are listed again first.
//     The skin grows where joins cost more than the pairs of the list, and shrinks
//     where these cost more.
//  2. The edges and the pairs of the list are measured, and those that violate
//     their bound are kept, sorted by vertex.
//  3. Every vertex adds up its gradient in the order of its neighbours and moves by
//     Adam (Kingma and Ba, ICLR 2015) with decay rates 0.9 and 0.9.
//  4. w_v is multiplied by exp(b·(missed − false)/(missed + false)), within 0.2 and
//     200, with the edges that v misses and the pairs that it has falsely. So a
//     vertex has its degree even where the dimensions do not suffice for every pair.
//
// The step and the margin are constant for three tenths of the passes and then fall
// evenly to 0. The run ends once no more pairs are wrong than the tolerance, or with the
// passes, and returns the rows whose pairs within 1 have the
// largest F1 against the edges. (The fewest wrong pairs can be those of rows that are all
// apart, where the dimensions do not suffice.) What is wrong in them is
// counted by a join of its own at radius 1, with the comparison that reconstructions
// use: vec.L2Squared ≤ 1.
//
// # Powers
//
// The force of a violation h is 2·h^p. With p = 1 the objective has squares, which find
// an exact placement in the fewest passes where there is one. Where there is none,
// squares spread what cannot be right over many pairs that are each a little wrong: the
// number of wrong pairs then grows while the margin falls. With a lower power a few pairs
// are very wrong, and more of the others are right. So p is 1 for a fifth of the passes,
// falls to 0 in the middle and to −0.5 at the end; and by the number of wrong pairs it is
// kept at 1 or near it: with f the wrong pairs of the best rows for each edge, and l the
// fraction of the passes that is left, p is 1 where f ≤ l/4, and what the pass gives it
// where f ≥ l, and between both for other f. Wrong pairs after at most 300 passes, in
// brackets those that were made where no pair is wrong; PA is a graph of preferential
// attachment with 2,000 vertices of 20 edges:
//
//	graph, dimensions    p = 1    p → −0.5   by wrong pairs
//	CollegeMsg 64        0 (215)        1    0 (188)
//	ego-facebook 64      0 (209)  0 (295)    0 (187)
//	CollegeMsg 40        0 (268)             0 (253)
//	ego-facebook 36      0 (267)             0 (250)
//	ca-GrQc 9            0 (243)             0 (220)
//	PA 72                0 (269)             0 (251)
//	PA 66                0 (286)             0 (276)
//	ego-facebook 22        7,185               3,932
//	CollegeMsg 28          5,059               2,246
//	CollegeMsg 16         14,061    7,818      7,048
//	cora 6                 5,527    1,689      1,540
//	ca-GrQc 6              6,966    2,095      2,591
//	PA 48                 29,083   14,155     13,071
//
// In the first two columns margin and step fell in the second half of the passes, and in
// the second column p fell with them. In the last they fall after three tenths, which
// ends exact runs sooner.
//
// # Start
//
// All rows begin at length 1.2, where vertices without an edge are farther apart
// than 1+μ and edges pull in. From rows of length 0.9 the first passes have a
// hundred times as many near pairs, and more pairs are wrong in the end.
//
// # Cost
//
// Memory is 28 bytes per vertex and dimension (32 with an anchor, 4 of them the
// result), 72 per vertex, 4 per near pair of the list and about 40 per pair that violates
// its bound. The list has at most max(2²⁴, 2·n·k) pairs. Where more pairs without an
// edge are within 1+μ than a quarter of that, a pass takes a random part of them,
// with the weight that makes up for it, and what it reports is an estimate.
//
// A pass takes k·(m + near pairs) multiply-adds, with the list n·(n−1)/2·k more; see
// [index.Join].
//
// # Determinism
//
// The same graph, options and start give the same bytes at any number of workers,
// and from any checkpoint. Each vertex is moved by one worker, which adds in a fixed
// order.
package unitball
