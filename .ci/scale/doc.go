// Command scale measures the time and memory of DP-Spectral on graphs that do not fit in the
// memory of one machine:
//
//	go run ./.ci/scale disk [-dim 64] [-edges 0.1] [-side both] [-workers 0] FILE GRAPH
//	go run ./.ci/scale partition [-vertices 100000,1000000] [-m 10] [-hub 0] [-machines 16] [-seed 1]
//
// [Disk] solves a graph of a heavytail file twice, with its edges in memory and with its
// edges read from the file again for each product, and compares time, memory and the bits
// of the vectors. [Partition] counts, without a network, what each of several machines
// would have to keep, compute and receive for one product, for several ways of dividing a
// graph with hubs. Both print tables in Markdown.
package main
