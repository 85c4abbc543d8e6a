// Package format reads and writes graphs and vectors as files: graphs as edge lists, adjacency
// lists, CSV of edges and of vertices (also with Neo4j's headers), Matrix Market and square
// matrices (read only), METIS, Pajek, GraphML, GEXF, node-link JSON, Parquet and Arrow; vectors as word2vec text, word2vec
// binary, numpy's .npy, Parquet and Arrow; walks as sentences (write only). Text may be plain or
// compressed with gzip, zstd, bzip2, xz or zip (of one file; it needs random access, as Parquet
// does). Text in UTF-16 with a byte order mark is converted. Parquet and Arrow need random access to their files; all other formats are
// read as a stream.
//
// The package does not use the store. Readers pass every edge and every vertex to a function,
// as raw keys and values; writers get keys and values by vertex number. Neither holds a whole
// graph in memory. A reader of this package reads back what its writer wrote, with the same
// keys, types and missing values of vertices and of edges, and directions where the format has them; so do networkx, gensim and numpy as far as they support them.
//
// Input is not trusted: lines, keys, values, columns, nesting, decompressed bytes and declared
// counts have limits. Every error names the file and the place in it: line and column, row of a
// vector, or byte of the compressed stream.
//
// The path of a text through the package: Read determines the layout from the first block of
// the input, lines splits blocks into lines, and a lineTaker (parser for edge lists, adjacency,
// dense, table, matrix and others) handles each line. Of an edge list the parser keeps the first
// lines until their types show whether the first one is a header (header.go). GraphML, GEXF, JSON
// and GML are read as tokens instead.
//
// Below it are packages that know nothing of graphs: storage/internal/compress decompresses in a
// goroutine, and the inner packages split lines into columns (delimited), read tokens (tokens),
// recognise numbers (decimal) and describe what is wrong with a line (fault). A format's reader and
// writer are in one file, and no files are in a cycle of uses.
package format
