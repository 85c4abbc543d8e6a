// Package shard divides a long statement into shards, which any number of processes run, on
// any machines that share a folder and have a copy of the same file, or the data of the file as
// Parquet in the folder. It merges their output
// into one file with the same bytes as the file of the undivided statement, or stores it in the
// heavytail file as the same records, or returns the same rows.
//
// Seven statements can be divided, because each of their output rows depends on one row of
// their input, on the number of a walk, or on one vertex, or all are made of trials that do not
// depend on each other:
//
//	SCORE FILE 'pairs' [IN graph] WITH scorer, … INTO FILE 'scores.csv' or '.parquet'
//	NEAREST k FOR ALL | FILE 'keys' USING space … INTO FILE 'near.csv' or '.parquet'
//	EXPORT WALKS OF graph USING method INTO FILE 'walks.txt' or '.parquet'
//	RECONSTRUCT embedding RADIUS r | EPSILON e INTO FILE 'near.edges'
//	MATERIALIZE PREDICTIONS FROM scorer IN graph
//	EVALUATE LINKS IN graph [USING method, …] [INTO FILE 'links.csv']
//	EVALUATE PARAMETERS IN graph USING method [INTO FILE 'study.csv']
//
// TUNE cannot be divided: it chooses each trial by the scores of those before it, also within its
// survey.
//
// [Make] plans, [MakeWithData] also writes what the statement reads, and [Manifest.Restore] makes
// a file of it; [Manifest.Run] runs one shard and [Manifest.RunAll] several, [Manifest.Status] lists what is done, and
// [Manifest.Merge] merges into a file, or [Manifest.MergeInto] into the heavytail file, or
// [Manifest.Answer] returns rows. Shards need no server and do not communicate: a job array
// (Slurm, Kubernetes) starts them, and restarts those that were killed.
//
// # The folder
//
// A folder holds one plan. Its form is version 6:
//
//	manifest.json      the plan; never changed, and without it there is no plan
//	input/pairs.txt    the text of SCORE FILE, if it can be cut at line feeds: a second name of
//	                   the file, or a copy where that is impossible; each shard reads a piece
//	input/00007.csv    else what shard 7 reads: a pair in each row under source,target, or the
//	                   key of a vertex under key, in quotes unless plain; for the other
//	                   statements there is none
//	data/              with MakeWithData, what the statement reads; package dataset has its form
//	parts/00007.csv    the rows of shard 7 under the header of the statement; its ending is
//	                   that of the file of the statement; of predictions it is .links, and the
//	                   form is that of links.MaterializePartRequest; of trials it is .trials,
//	                   and the form is that of studies.TrialsRequest
//	parts/00007.json   written last: bytes and CRC-32C of the part, and the plan it is of
//	parts/00008-00015.csv, .json   the same for shards that one process ran as one statement
//
// The manifest has the statement, the rows of each shard, the CRC-32C of each input, and
// the objects that answers depend on: the graph with its version, the embeddings with their
// generations, the models, the indexes, each with the time when it was made, and the kind of
// kernels (vec.Kind), because kernels of different machines round differently. The graph and
// the embeddings also have digests of their content ([Content]): of the keys of the vertices in
// their order, the edges, the weights, the times and the vectors. The manifest also has its own
// checksum.
//
// A process computes the digests once for each file, however many shards it runs: 5 ms for the
// 75,879 vertices and 405,740 edges of soc-Epinions1, which takes 40 ms to load. Shards of one
// process each thus pay for them once each. Attributes, models and indexes have no digest;
// they are recognized by their versions and times.
//
// Parts in Parquet all have the columns and types of the statement, so that other programs read
// them as one table. Merge writes their rows again, in one file with the bytes of the undivided
// statement; that takes about as long as writing them.
//
// # What can be relied on
//
// A part has its name only when it is complete, and counts only when its .json is there. A
// shard that was killed is run again, and continues if the statement can continue. A
// finished shard is not run again. Two processes may run the same shard: they write the
// same bytes, or the second one gets an error (format.ErrPartInUse). A file of a different
// version or content, a machine with different kernels, and a changed input, part or manifest give an
// error. Merge reads and checks every part before the merged file gets its name. MergeInto
// stores all predictions in one step after it has checked every part, and Answer returns no row
// before.
//
// Shards with one part are finished together: until then a run that was stopped continues if it is
// asked for the same shards. Of parts that overlap only one counts; the shards that are then
// missing are run again.
package shard
