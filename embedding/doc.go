// Package embedding computes vertex embeddings: functions of a graph and options that
// return a matrix with the vector of vertex v in row v, and statistics.
//
// It is the entry point of two families of methods. [LaplacianEigenmaps] and [DPSpectral] take
// the vectors from the leading eigenvectors of a matrix of the graph (package spectral).
// [DeepWalk], [DPWalker] and [Node2Vec] learn them from random walks: walks.go joins the
// walks of package walk and the training of package skipgram.
//
// [RefreshSpectral] and [RefreshWalks] update an embedding for a graph that has changed a
// little, in a fraction of the time of a full run. [Project] draws an embedding in two
// dimensions.
//
// Nothing here knows of the store or of the language; package run joins them.
package embedding
