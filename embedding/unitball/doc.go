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
//	Σ_{uv ∈ E} √(w_u·w_v)·max(0, d_uv − (1−μ))² + Σ_{uv ∉ E} max(0, (1+μ) − d_uv)² + λ·Σ_v ‖x_v − s_v‖²
//
// with d the Euclidean distance, μ the margin, w the weights of vertices, s the rows
// that the run began with and λ the anchor. Weights of edges are not used.
//
// # What a pass does
//
// Only pairs that violate their bound have a gradient, and nothing is sampled.
//
//  1. [index.Join] lists the pairs without an edge within 1+μ and a skin. The list
//     serves until two vertices may have come nearer by more than the skin; that is
//     the neighbour list of molecular dynamics (Verlet, Physical Review 159, 1967).
//     The skin grows where joins cost more than the pairs of the list, and shrinks
//     where these cost more. It does not shape the result.
//  2. The edges and the pairs of the list are measured, and those that violate
//     their bound are kept, sorted by vertex.
//  3. Every vertex adds up its gradient in the order of its neighbours and moves by
//     Adam (Kingma and Ba, ICLR 2015) with decay rates 0.9 and 0.9.
//  4. w_v is multiplied by exp(b·(missed − false)/(missed + false)), within 0.2 and
//     200, with the edges that v misses and the pairs that it has falsely. So a
//     vertex has its degree even where the dimensions do not suffice for every pair.
//
// The step and the margin are constant for half of the passes and then fall evenly
// to 0. The run ends once no more pairs are wrong than the tolerance, or with the
// passes, and returns the rows whose pairs within 1 have the
// largest F1 against the edges. (The fewest wrong pairs can be those of rows that are all
// apart, where the dimensions do not suffice.) What is wrong in them is
// counted by a join of its own at radius 1, with the comparison that reconstructions
// use: vec.L2Squared ≤ 1.
//
// # Start
//
// All rows begin at length 1.2, where vertices without an edge are farther apart
// than 1+μ and edges pull in. From rows of length 0.9 the first passes have a
// hundred times as many near pairs, and more pairs are wrong in the end.
//
// # Cost
//
// Memory is 24 bytes per vertex and dimension (28 with an anchor, 4 of them the
// result), 40 per vertex, 4 per near pair of the list and 32 per pair that violates
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
