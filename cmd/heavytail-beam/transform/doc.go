// Package transform has the transforms of Apache Beam that run heavytail: the shards of a
// plan ([Shards]), and scores of pairs that come from anywhere in a pipeline ([Score]).
//
// A runner of Beam (prism, Flink, Spark, Dataflow) starts the workers, divides the work
// among them, and repeats what failed. heavytail does in each worker what it does without
// Beam: a shard is [shard.Manifest.Run], and scores are [links.Service.Score]. The answers are
// therefore the same from every runner, on workers with the same kind of kernels
// (vec.Kind): Shards refuses other ones.
//
// # Two ways
//
// Shards runs a statement that [shard.Make] has divided. Plan, inputs and parts are in a
// folder that all workers mount. [shard.Manifest.Merge] writes the file that the statement
// would have written alone, byte by byte.
//
// Score takes a collection of pairs and makes one of pairs with scores. Nothing is shared
// but the file of the graph, which every worker process opens once: from its own disk, or
// fetched through the file systems of Beam (gs:// and whatever else the program has
// registered). A runner can divide the pairs as finely as it likes, add workers and take
// them away. [Top] keeps the best pairs of each source, and [WriteCSV] writes files whose
// rows are in the order of their keys, since a collection has no order of its own.
//
// # Counters
//
// Under the name "heavytail": shards, rows (that the shards read), pairs, missing_pairs
// (that name a vertex which is not in the graph), and stores (times that a process opened
// the file).
package transform
