// Package format says what a file of a graph or of vectors is to those who read or write it: the layouts and the
// endings of their names, the options, what a reader passes on (Handler, Edge, Column) and reports (ReadStats, Remark),
// what a writer is given (Graph), the types of values, the forms of times, and the errors.
//
// It reads and writes nothing itself. The packages below it do:
//
//   - graphfile reads a graph, pairs of keys or a list of keys from a file of any form, which it finds out,
//   - rowtext reads and writes text with a row for each edge or each vertex: lists of edges, CSV, Neo4j's,
//   - graphtext reads and writes the texts of graphs that have a form of their own: GraphML, GEXF, GML, JSON, Pajek,
//     METIS, Matrix Market, matrices and adjacency lists,
//   - columnar reads and writes Parquet and Arrow, by the libraries of parquet and arrow, which a program imports,
//   - vectorfile reads and writes vectors, and writes their keys and walks.
//
// None of them uses the store. Readers pass every edge and every vertex to a function, as raw keys and values; writers
// get keys and values by vertex number. Neither holds a whole graph in memory. A reader reads back what the writer of
// its format wrote, with the same keys, types and missing values of vertices and of edges, and directions where the
// format has them; so do networkx, gensim and numpy as far as they support them.
//
// Text may be plain or compressed with gzip, zstd, bzip2, xz or zip (of one file; it needs random access, as Parquet and
// Arrow do). Text in UTF-16 with a byte order mark is converted. All other formats are read as a stream.
//
// Input is not trusted: lines, keys, values, columns, nesting, decompressed bytes and declared
// counts have limits. Every error names the file and the place in it: line and column, row of a
// vector, or byte of the compressed stream.
//
// The path of a text: storage/internal/compress decompresses it in a goroutine, internal/feed cuts blocks into lines and
// keeps the limits, internal/scan splits plain lines of edges ahead of that, and a reader of rowtext or graphtext takes
// each other line, or tokens (internal/tokens). What all readers share is in internal/reading, and what all writers share
// in internal/writing. Below these are packages that know nothing of graphs: internal/delimited splits lines into columns,
// internal/decimal and internal/figure recognise numbers, weights and times, and internal/fault describes what is wrong
// with a line.
package format
