// Package link scores pairs of vertices by how likely a link between them is:
// from the neighbourhoods of a graph, or from the vectors of an embedding.
// [Scorers] is the table of all scorers; [New] binds one by name to a graph and
// an embedding. Learned models, which need training pairs, will be one more
// function of a pair and a row of the table.
package link
