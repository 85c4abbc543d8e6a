// Package unitball places the vertices of a graph so that two of them are adjacent
// exactly if their distance is at most 1.
//
// # Definition
//
// A graph that has such a placement in k dimensions is a unit-ball graph, and the
// smallest such k is its sphericity (Maehara, "Space graphs and sphericity",
// Discrete Applied Mathematics 7, 1984). Every graph has a sphericity, which is
// at most n. [Embed] searches for a placement in k dimensions by minimising
//
//	Σ_{uv ∈ E} √(w_u·w_v)·φ(max(0, d_uv − (1−μ))) + Σ_{uv ∉ E} φ(max(0, (1+μ) − d_uv)) + λ·Σ_v ‖x_v − s_v‖²
//
// with d the Euclidean distance, φ(h) = 2·h^(p+1)/(p+1) and the power p = 1, which
// may fall (see Powers), μ the margin, w the weights of vertices, s the start rows
// of the run and λ the anchor. Weights of edges are not used.
//
// # What a pass does
//
// Only pairs that violate their bound have a gradient. Pairs are not sampled.
//
//  1. [pairs.Join] lists the pairs without an edge within 1+μ and a skin. The list
//     serves until the longest move since then takes two vertices nearer by more than
//     the skin; that is the neighbour list of molecular dynamics (Verlet, Physical
//     Review 159, 1967). In k dimensions two vertices are taken to come nearer by at most
//     min(1, 2/√k) of twice that move, because moves are nearly orthogonal to most pairs.
//     From k = 5 on, a few near pairs may therefore be missing for some passes: the list
//     is then not sure, and what the pass reports has a few false pairs too few. A run
//     never ends by such a count: where it would, all pairs are listed again first. An
//     anchor moves similar vertices together, so that more pairs come near than that: a
//     list that lacked many of the violated pairs makes the next ones shorter-lived, and
//     after 32 passes a list that is not sure is built again.
//     The skin grows where joins cost more than the pairs of the list, and shrinks
//     where these cost more.
//     With 32,768 vertices or more, see below.
//  2. The edges and the pairs of the list are measured, and those that violate
//     their bound are kept, sorted by vertex.
//  3. Every vertex adds up its gradient in the order of its neighbours and moves by
//     Adam (Kingma and Ba, ICLR 2015) with decay rates 0.9 and 0.9.
//  4. w_v is multiplied by exp(b·(missed − false)/(missed + false)), within 0.2 and
//     200, where missed is the number of edges of v that are too long, and false the
//     number of non-edges of v that are too short. So the degree of a vertex is
//     preserved even if the dimensions do not suffice for every pair.
//
// The step and the margin are constant for three tenths of the passes and then fall
// evenly to 0. The anchor falls with them, but by squares, and to 0 when a tenth of the
// passes is left: a vertex that is held rests where its violations and the anchor are
// equally strong, and some of its pairs stay on the wrong side of 1.
//
// The run ends once no more pairs are wrong than the tolerance, or with the last round, and
// returns the rows whose pairs within 1 have the largest F1 against the edges. (If the
// dimensions do not suffice, rows that are all far apart can have the fewest wrong pairs,
// so their number does not decide.) The wrong pairs of the returned rows are counted by a
// separate join at radius 1, with the comparison that reconstructions use:
// vec.L2Squared ≤ 1.
//
// # Many vertices
//
// In a fixed number of dimensions the near pairs of n vertices grow as n², and so does a join. From
// 32,768 vertices on lists are built by [pairs.Moving], which computes only blocks of pairs that may
// have come near, by the same rule of moves as above; so a list is sure only if all blocks were
// computed, which is done where the run would end. For blocks whose distances are alike the vertices
// are ordered by degree, and within a degree by a breadth-first search: hubs are near the
// centre, where false pairs are, and most others are far from all but their neighbours. If a sample
// shows that far more pairs are near than the list may have, as in one of the first passes, a random
// part of the blocks is computed. With 64 dimensions dblp (51,264 vertices) took 25 processor
// seconds with 29 joins of all pairs; 38 joins that compare 14 times all pairs take 13.
//
// # Rounds
//
// If the passes end with some pairs wrong, at most one for four edges, another round of as many
// passes begins with the best rows, with a quarter of the margin and of the step and without
// the anchor, and further rounds follow while each leaves at most three quarters of the wrong
// pairs, up to a number of rounds. A round costs less than the first one, because its steps
// are short and its lists of near pairs last. Wrong pairs after 300 passes, after 1,500 passes
// of one run, and after each of four rounds of 300, with a part of the step and the margin:
//
//	graph, dimensions     300   1,500   a half               a quarter            a tenth
//	CollegeMsg 32       1,179     341   610 516 423 391      541 293 182 44       690 314 45 33
//	ego-facebook 26     1,964   1,094   1,786 … 1,754        3,079 … 2,231        3,992 …
//	blogcatalog 128    34,517                                12,712 7,839 4,048
//
// A quarter is best where a placement seems to exist. On blogcatalog one run of 600 passes
// leaves 20,906. Where none is found (ego-facebook 26) one more round is lost.
//
// cora and ca-GrQc are placed in 8 dimensions by a random start in 555 and 894 passes, where
// 300 leave 193 and 87 pairs wrong.
//
// # Powers
//
// The force of a violation h is 2·h^p. With p = 1 the objective is a sum of squares,
// which finds an exact placement, if there is one, in the fewest passes. If there is
// none, squares distribute the unavoidable violations over many pairs that are each
// slightly wrong: the number of wrong pairs then grows while the margin falls. With a
// lower power a few pairs are very wrong, and more of the others are right. So p is 1 for
// a fifth of the passes, falls to 0 in the middle and to −0.5 at the end; but it stays at
// 1 or near it while few pairs are wrong: let f be the number of wrong pairs of the best
// rows per edge, and l the remaining fraction of the passes. Then p is 1 if f ≤ l/4, the
// value of the pass if f ≥ l, and between both for other f. The table shows the wrong
// pairs after at most 300 passes, and in brackets the number of passes if no pair is
// wrong; PA is a graph of preferential attachment with 2,000 vertices of 20 edges:
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
// the second column p fell with them. In the last column they fall after three tenths,
// which ends exact runs sooner.
//
// # Start
//
// All rows begin at length 1.2, where vertices without an edge are farther apart
// than 1+μ and edges pull in. In one dimension 1.2 is the root mean square of the rows.
// From rows of length 0.9 the first passes have a hundred times as many near pairs, and
// more pairs are wrong in the end.
//
// # Cost
//
// Memory is 29 bytes per vertex and dimension (33 with an anchor, 4 of them the result),
// 76 per vertex, 4 per near pair of the list and about 40 per pair that violates its
// bound; with many vertices at most 4 more per vertex and dimension, 16 per vertex and 8 per
// edge. The list has at most max(2²⁴, 2·n·k) pairs. If more than a quarter of that many pairs
// without an edge are within 1+μ, a pass takes a random part of them, with a weight that
// compensates for the rest, and the numbers that it reports are estimates.
//
// A pass takes k·(m + near pairs) multiply-adds, and n·(n−1)/2·k more if it builds
// the list, or a part of that with many vertices; see [pairs.Join] and [pairs.Moving].
//
// # Determinism
//
// The same graph, options and start give the same bytes at any number of workers,
// and from any checkpoint. Each vertex is moved by one worker, which adds in a fixed
// order.
package unitball
