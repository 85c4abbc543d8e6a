// Package scale measures the time and memory of DP-Spectral on graphs that do not fit in the
// memory of one machine.
//
// [Disk] solves a graph of a heavytail file twice, with its edges in memory and with its
// edges read from the file again for each product, and compares time, memory and the bits
// of the vectors. [Partition] counts, without a network, what each of several machines
// would have to keep, compute and receive for one product, for several ways of dividing a
// graph with hubs. Both return tables in Markdown.
package scale
