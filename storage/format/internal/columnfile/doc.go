// Package columnfile reads and writes files of Apache Parquet: tables whose rows are
// stored by column, with types, compression and metadata. It knows nothing of graphs.
//
// A Parquet file declares sizes in many places (lists of its footer, pages, runs, blocks of
// deltas, compressed frames), and a reader that allocates by one of them can be made to take
// any amount of memory by a file of a few bytes. Here each size is compared with the bytes
// that are there, or with a limit, before memory is taken.
//
// Files are written with data pages of version 2, PLAIN values and dictionaries of texts,
// compressed by zstd, with bounds of the values of pages and of column chunks. There are no
// column indexes and no Bloom filters.
//
// Read are the physical types BOOLEAN, INT32, INT64, FLOAT, DOUBLE and BYTE_ARRAY with
// their usual logical types, as columns of values or of lists of numbers; the encodings
// PLAIN, dictionary, RLE, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY,
// DELTA_BYTE_ARRAY and BYTE_STREAM_SPLIT; pages of both versions; and the codecs snappy,
// gzip, zstd, Brotli and LZ4_RAW or none. Other columns are listed with the kind Other, and refused when they are read.
//
// Source: the specification of the format, https://github.com/apache/parquet-format.
package columnfile
