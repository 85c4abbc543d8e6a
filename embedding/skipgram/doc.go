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
// All scalar products are taken first and all steps after them, which gives the
// same as one after the other, because the nodes of a path are different rows
// ([vec.RowList]). Products beyond ±6 move nothing, as in the
// authors' program.
//
// # Many workers, one result
//
// Every pair changes the root of the tree, so workers that share it spend their
// time on fetching its row from each other, and the result depends on who came
// first. Here the work is cut into blocks that have no row in common (Gemulla et
// al., "Large-scale matrix factorization with distributed stochastic gradient
// descent", KDD 2011): vertices belong to one of Partitions parts as x, and the
// subtrees below the top of the tree to one of Partitions parts as centres. A
// section of some hundred pairs is trained in as many rounds, in each of which part a
// of the one meets part a + round of the other. The rows of the top of the tree, which
// all need, are copied by each block that comes by them, and after the round they move
// by the sum of what was changed in the copies.
//
// So the result depends on Partitions, and neither on the number of workers nor
// on GOMAXPROCS; up to Partitions of them help.
//
// # What partitions cost
//
// Copies that learn the same, or one side of a node alone, make the sum go too far, and
// on graphs with hubs and little else the more so the longer rounds are. They are short
// enough for the result to be that of one part, within what another seed makes of it
// (blockPairs); a graph of less than 512 vertices for each part has fewer parts.
// Something between the sum and the mean of the copies is never unstable, but learns
// less: with four parts it has cost 0.2 of Spearman's correlation of the degrees in
// reconstructions from DeepWalk on ca-GrQc.
//
// Two parts take as much processor time as one on one core. On two, waiting for each
// other after every round, they take about a tenth more.
//
// # Memory
//
// Two rows of Dim values (rounded up to 16) for each vertex, 4 bytes for each
// node on a path (5 to 20 per vertex), and some batches of walks. Walks are not kept:
// they are asked for twice, once to count visits and once to train.
package skipgram
