// Package skipgram learns vectors of vertices from walks: skip-gram with
// hierarchical softmax over the Huffman tree of the visits, or with negative
// sampling (Mikolov et al., "Distributed representations of words and phrases
// and their compositionality", NIPS 2013), as DeepWalk and DP-Walker use them.
//
// # One pair
//
// A walk is a sentence. Each of its vertices is the centre of a window, whose
// half-width is drawn from 1 to Window. For each other vertex x of the window a
// step of stochastic gradient descent makes the centre more likely, given x:
// with the nodes y_1 … y_L on the way from the root of the tree to the centre
// and c_l the turn taken at y_l,
//
//	g_l = α (1 − c_l − σ(x·y_l)),  e = Σ g_l y_l,  y_l += g_l x,  x += e.
//
// All scalar products are computed first and all steps afterwards. The result is the same
// as step by step, because the nodes of a path are different rows ([vec.RowList]). Products
// beyond ±6 change nothing, as in the authors' program.
//
// # Many workers, one result
//
// Every pair changes the root of the tree. Workers that share it would spend their time
// on fetching its vector from each other, and the result would depend on their order.
// Here a batch of walks is divided into Partitions parts of equal size, and each part trains
// its walks with copies of all rows that other parts train in the same batch: the nodes near
// the root, hubs, and what else happens to be on walks of several parts. All other rows are
// trained in place. After the batch a row changes by a fraction of the sum of the changes of its
// copies.
//
// With negative sampling, where negative samples are drawn from all vertices, the centres are
// distributed instead. Each part trains the pairs with its own centres against negative
// samples of its own, and has copies of all vectors x of the batch.
//
// The result therefore depends on Partitions, but neither on the number of workers nor on
// GOMAXPROCS; up to Partitions workers help. They synchronise twice per batch of some ten
// milliseconds, and a worker that waits sleeps: workers that other processes keep from
// computing cost no processor time.
//
// # What partitions cost
//
// A part sees the changes of others only after the batch. If two parts train the pairs of a
// row one after the other, the first brings it near to where these pairs lead and the second
// has little left to do; if both start from the same row, the sum of their changes goes too
// far. How far follows from the number of pairs of the row, the learning rate and how alike
// the vectors are, and the fraction makes up for it (trainer.fraction). Results then differ
// from those of one part as those of different seeds do, measured with two parts. With the
// sum alone the AUC of hidden edges of ego-facebook falls from .986 to .981.
//
// On one core, two parts take about a tenth more processor time than one:
// for making the copies and merging them, and because they displace other rows from the cache.
// A graph with less than 512 vertices for each part has fewer parts.
//
// # Memory
//
// Two vectors of Dim values (rounded up to 16) for each vertex, 4 bytes for each node on a
// path (5 to 20 per vertex), 16 bytes for each vertex and part, and two batches of walks with
// each part's copies of their shared rows. Walks are not stored: they are generated twice, once to count visits and once to
// train.
package skipgram
