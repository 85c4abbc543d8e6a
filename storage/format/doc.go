// Package format reads and writes graphs and vectors as files: graphs as edge
// lists, adjacency lists, CSV of edges and of vertices (also with Neo4j's headers), Matrix
// Market (read only), METIS, Pajek, GraphML, GEXF, node-link JSON and Parquet; vectors as word2vec text, word2vec binary, numpy's .npy and
// Parquet; walks as sentences (write only). Text may be plain or compressed by gzip or
// zstd. Parquet is read by places in a file; all else is read as a stream.
//
// It knows nothing of the store. Readers hand every edge and every vertex to a
// function, as raw keys and values; writers are given keys and values by vertex
// number. Both stream: neither holds a graph. What a writer writes its reader
// reads back the same, keys, types and missing values, and so do networkx,
// gensim and numpy, as far as they know such things.
//
// Input is taken as hostile: lines, keys, values, columns, nesting, decompressed
// bytes and declared counts have limits, and every complaint names file, line
// and column, or the row of a vector, or the byte of the compressed stream.
//
// To follow one file through the package: Read finds out the layout of the first
// block of an input, lines cuts blocks into lines, and a lineTaker (parser for
// edge lists, adjacency, table, matrix) makes something of each; GraphML pulls
// tokens through an xmlReader instead.
package format
