// Package dataset writes a graph, with its embeddings, models and indexes, as a folder of Parquet
// files that other programs read, and makes a store of such a folder whose objects answer as
// those that were written.
//
// The folder, version [Version]:
//
//	edges/00000.parquet          source u32, target u32, weight f32?, time i64?
//	vertices/00000.parquet       id u32, key text, and a column for each attribute
//	vectors/NAME/00000.parquet   id u32, vector list of f32, for each embedding
//	models/00000.bin             a model, and indexes/00000.bin an index, in a form of their own
//
// A vertex is its id, from 0. Files are numbered from 00000, and rows go on in the next file.
// Edges have source < target, once for each edge, and are sorted by both; vertices and vectors
// are sorted by id. The column weight is there if some edge has a weight other than 1, and time
// if some edge has a time, which may be missing: seconds since 1970 if GraphInfo.Times says that
// times are dates, and else numbers. Attributes are texts, 64-bit integers, 64-bit floats or
// booleans, and may be missing; the first two columns are always id and key, and an attribute of
// such a name gets a number, as id_2. Vectors all have the same length, which the metadata of the
// file has under heavytail.dim. An embedding of an earlier version of the graph has no vectors of
// vertices that are newer. NAME is escaped as a part of a URL is.
//
// Pages are compressed with zstd. A row group has 64 MiB of values, and a file ends with the row
// group that makes it 128 MiB or longer, so that all but the last one of a table have 128 to 192
// MiB. The same content gives the same bytes.
package dataset
