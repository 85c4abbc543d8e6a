// Package evaluate measures graphs, and how well an embedding preserves them.
//
//   - [Pearson], and Spearman's and Kendall's coefficients in the results below, correlate
//     the degrees of a graph with those of its reconstruction.
//   - [ReconstructAt] measures the reconstruction at one radius,
//     [ReconstructSweep] at many, and finds the best: degree correlations, the
//     power law of the degrees, precision, recall and F1 of the edges, and H3 of all.
//   - [ReconstructNull] measures how much of that is due to the lengths of the rows.
//
// A reconstruction joins two vertices whose edge probability 1/(1+e^distance)
// is at least ε, that is, whose distance is at most r = ln(1/ε − 1) (Feng et
// al., "Representation Learning for Scale-free Networks", AAAI 2018, section
// 2). The paper varies ε on a grid of 0.01. The distances of spectral
// embeddings fall into a few of those steps, so the default here is a grid of
// quantiles of the distances, refined around the best point; the paper's grid
// is an option.
//
// Statistics of a graph alone, which are compared with those of its
// reconstructions and of other graphs:
//
//   - [FitPowerLaw] fits a power law to the tail of its degrees.
//   - [Assortativity] correlates the degrees of neighbours.
//   - [PackingDimension] bounds the dimensions that an embedding needs for its
//     largest hub.
//
// How well links are predicted: [SplitLinks] holds out edges, [SplitDirected] those of a directed graph with
// their direction, and [LinkSplit.Score]
// compares scorers and learned models on them by [AUC], [AveragePrecision], hits and F1.
// The paper learns from the difference of two vectors (section 4, table 3), which
// changes its sign with the order of the pair, and reports F1 from 0.83 to 0.90 on
// ego-facebook. If the two vertices of each pair are in random order, the difference
// predicts nothing on this graph: F1 is 0.51 to 0.62 and AUC 0.50. The paper's figures can
// be reproduced if two things hold: the first vertex of every pair, edge or not, is the one
// that comes first in the file, and the embedding was computed from all edges, those of the
// test included. F1 is then 0.88 to 0.89, with a precision of 0.82 and a recall of 0.96 to
// 0.98. Vertices of that file are numbered circle by circle, so that the difference along
// an eigenvector is 0 within a circle and has the same sign for all pairs from two circles:
// the model learns the numbering. [SplitOptions].Ascending orders pairs like this, but
// keeps the edges of the test held out; F1 is then 0.78 to 0.88.
//
// How well classes of vertices can be predicted: [ClassifyLabels].
package evaluate
