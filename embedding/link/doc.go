// Package link scores pairs of vertices by how likely a link between them is:
// from the neighbourhoods of a graph, or from the vectors of an embedding.
// [Scorers] is the table of all scorers; [New] binds one by name to a graph and
// an embedding. A [Predictor] finds the likeliest links that a graph does not have.
// [Features] are what a model sees of two vectors, and [Train] makes a calibrated
// [Model] of scorers and features together, by the regression of package classify.
package link
