// Package link scores pairs of vertices by how likely a link between them is:
// from the neighbourhoods of a graph, or from the vectors of an embedding.
// [Scorers] is the table of all scorers; [New] binds one by name to a graph and
// an embedding. A [Predictor] finds the likeliest links that a graph does not have.
// [Features] are functions of two vectors. [Fit] makes a [Model] of all scorers together from the
// pairs that [Draw] has drawn.
package link
