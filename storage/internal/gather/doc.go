// Package gather collects the edges and vertices that an import reads, in bounded
// memory, and merges them into the rows and columns of a graph. It knows neither a
// transaction nor the catalogue: package storage hands in what the graph holds, and
// stores the result.
//
// # From the input to a graph
//
//	NewList      an empty List; its Handler takes what package format reads
//	List.End     the input has ended: takes back a header that was read as an edge
//	List.Merge   the keys and the rows of the graph, as a Merged
//	Merged.Fill  the values of one attribute
//	List.Close   removes temporary files; always to be called
//
// A List numbers vertices in the order of their first appearance. Vertices of the
// graph keep their numbers, and new ones follow.
//
// # Memory
//
// Edges lie in a buffer of at most a quarter of Options.Limit (edgebuffer.go). A full buffer
// is sorted, and repeated edges become one; if that frees too little space, its
// content is written to a temporary file as a sorted run (run.go). At the end the runs
// are merged. Keys (about 60 bytes per vertex), values of attributes (column.go) and
// the new graph must fit into the limit; otherwise the error is a MemoryError
// (budget.go). The result is the same for every limit.
//
// # Files, from the lowest to the highest
//
//	fold.go         Repeated: how the occurrences of an edge become one edge
//	sort.go         radix sort of edges
//	file.go         temporary files
//	source.go       sorted lists of edges, and merging them
//	run.go          a sorted list of edges in a temporary file
//	edgebuffer.go   the edges of an import, in memory and in runs
//	rows.go         the rows of a graph from sorted edges
//	column.go       the values of an attribute, as texts
//	name.go         the names of attributes
//	budget.go       bytes in use, and the limit
//	list.go         all that an import reads
//	merge.go        a graph and a list become one graph
package gather
