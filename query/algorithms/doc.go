// Package algorithms computes measures of the vertices of a graph: how central a vertex
// is, which group it belongs to, how far it is from others. Functions take a
// csr.Graph, which is simple and undirected, or a csr.Directed, along whose arcs they go: against
// them if they get its Reversed. They depend neither on the store nor on the language.
//
//	centrality   Degree, Strength, PageRank, Eigenvector, Katz, Harmonic, Closeness, Betweenness, Eccentricity
//	groups       Leiden, LabelPropagation, Modularity, Cores, csr.Graph.Components
//	paths        ShortestPath, ShortestPaths, Within
//	graphs       Exchange, Sample, ForestFire, SpanningForest
//	triangles    Triangles, LocalClustering, ClusteringCoefficients
//	directed     OutDegree, OutStrength, Reciprocity, DirectedPageRank, DirectedKatz, Hits, DirectedHarmonic,
//	             DirectedCloseness, DirectedBetweenness, DirectedEccentricity, DirectedLeiden,
//	             DirectedShortestPaths, csr.Directed.StrongComponents
//
// Weights have two meanings. In Strength, PageRank, Eigenvector, Katz, Leiden and
// LabelPropagation a large weight is a strong tie. In Harmonic and Betweenness a
// weight is the length of the edge, as in networkx, and is used only if the
// options ask for it. The other measures do not use weights. A weight that is
// negative, zero or not finite is ErrWeight wherever weights are used.
//
// A function that can take longer than some milliseconds takes a context, whose error
// it returns, and a Work with the number of workers and a callback for progress. The
// same graph, options and seed give the same bytes with any number of workers: floats
// are summed in fixed blocks, which are added in order.
package algorithms
