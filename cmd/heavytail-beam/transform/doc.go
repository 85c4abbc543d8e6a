// Package transform has the transforms of Apache Beam that run heavytail: a statement in
// ranges of its rows ([Ranges]), and scores of pairs that come from anywhere in a pipeline ([Score]).
//
// A runner of Beam (prism, Flink, Spark, Dataflow) starts the workers, divides the work
// among them, and repeats what failed. heavytail does in each worker what it does without
// Beam: a range is a statement with the options first and count, and scores are
// [links.Service.Score]. The answers are therefore the same from every runner, on workers with
// the same kind of kernels (vec.Kind); the environment variable HEAVYTAIL_KERNELS selects one.
//
// # Two ways
//
// Ranges runs a statement once for each range, and writes a part for each. The parts of text,
// one after the other, are the file of the statement, byte by byte.
//
// Score takes a collection of pairs and makes one of pairs with scores. A runner can divide the pairs as finely as it likes, add workers and take
// them away. [Top] keeps the best pairs of each source, and [WriteCSV] writes files whose
// rows are in the order of their keys, since a collection has no order of its own.
//
// In both, nothing is shared but the file of the graph, which every worker process opens once:
// from its own disk, or fetched through the file systems of Beam (gs:// and whatever else the
// program has registered).
//
// # Counters
//
// Under the name "heavytail": ranges, ranges_done_before, pairs, missing_pairs
// (that name a vertex which is not in the graph), and stores (times that a process opened
// the file).
package transform
