// Package csr holds one version of a graph in memory, as compressed sparse
// rows, and the few operations on it that every algorithm needs: degrees,
// neighbours, components, induced subgraphs and common neighbours.
//
// Vertices are dense numbers from 0 to n-1. Keys, attributes and versions
// belong to the store, which makes a Graph from a snapshot; a Graph never
// changes after it was made, so any number of goroutines may read it.
package csr
