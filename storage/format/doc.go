// Package format reads and writes graphs and embeddings as text: edge lists in,
// edge lists and word2vec vectors out, plain or compressed by gzip or zstd.
//
// It knows nothing of the store. A reader hands every edge to a function as two
// raw keys; a writer is given keys by vertex number. Input is taken as hostile:
// lines, keys, decompressed bytes and counts have limits, and every complaint
// names file, line and column, or the byte of the compressed stream.
package format
