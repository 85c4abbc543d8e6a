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
// Here the nodes of the tree are distributed over Partitions parts: the gradient of a pair
// is a sum over the steps of its path, and each part takes the steps at its own nodes. So
// all parts train all pairs, in the order of the walks, and every node is always up to
// date. The parts share only x. For a batch of walks each part has copies of the vectors
// that it needs and updates them by its own nodes; after the batch a vector changes by the
// sum of the changes of its copies. With negative sampling the centres are distributed,
// and each part trains the pairs with its own centres against negative samples of its own.
//
// The result therefore depends on Partitions, but neither on the number of workers nor on
// GOMAXPROCS; up to Partitions workers help. They synchronise twice per batch of some
// milliseconds, and a worker that waits sleeps: workers that other processes keep from
// computing cost no processor time.
//
// # What partitions cost
//
// A part sees the changes of other parts to a vector only after the batch. There are many
// vectors, so that each occurs in only about one window of a batch. Even on graphs with
// hubs and on a star, the result differs from that of one part by no more than results of
// different seeds differ (batchPairs). A graph with less than 512 vertices for each part
// has fewer parts.
//
// The alternative is to copy the nodes at the top of the tree, which are on the path of
// every pair. These copies would have to be merged after some hundred pairs, because the
// sum of two equal updates is too large a step, and their mean is too small. Workers that
// synchronise every ten microseconds have no time to sleep.
//
// On one core, two parts take about a tenth more processor time than one: for the copies,
// and because both load the x of a pair. More than four parts gain little, because a path
// has only about ten steps.
//
// # Memory
//
// Two vectors of Dim values (rounded up to 16) for each vertex, 4 bytes for each node on a
// path (5 to 20 per vertex), and some batches of walks with each part's copies of their
// vectors. Walks are not stored: they are generated twice, once to count visits and once to
// train.
package skipgram
