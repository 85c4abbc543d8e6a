// Package scoring has what scores, predictions and evaluations of links share: the sides of bipartite
// graphs, checks of graphs, and the names of scorers.
package scoring
