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
// batch of walks is trained in as many rounds, in each of which part a of the
// one meets part a + round of the other. The top of the tree, which all need, is
// copied for each block, and after the round it moves by the sum of what was
// changed in the copies.
//
// So the result depends on Partitions, and neither on the number of workers nor
// on GOMAXPROCS; up to Partitions of them help.
//
// # What partitions cost
//
// Copies that learn the same make the sum go too far. With two of them that is
// harmless on graphs of some thousand vertices and more, and a smaller graph has
// one part. With more, batches get smaller by the square of their number, and the
// result still differs. Pearson / Spearman of the degrees in reconstructions:
//
//	                                            parts: 1            2            4
//	ego-facebook, DeepWalk                     .726/.69     .732/.708    .718/.681
//	ego-facebook, DP-Walker β 1.5, α 0.0125    .728/.822    .737/.814
//	ca-GrQc, DeepWalk                          .711/.42     .721/.440    .727/.429
//	ca-GrQc, DP-Walker β 2.5, α 0.025          .874/.692    .879/.712    .878/.720
//	preferential attachment, β 2.5, α 0.025    .863/.594    .848/.623    .815/.438
//
// Something between the sum and the mean of the copies is never unstable, but
// learns less: with four parts it has cost 0.2 of Spearman's correlation on ca-GrQc
// (DeepWalk) and on preferential attachment.
//
// # Memory
//
// Two rows of Dim values (rounded up to 16) for each vertex, 4 bytes for each
// node on a path (5 to 20 per vertex), and some batches of walks. Walks are not kept:
// they are asked for twice, once to count visits and once to train.
package skipgram
