// Package columnar reads and writes graphs, pairs, vectors, walks and rows of any values as files whose values are
// stored by column: Parquet and Arrow.
//
// It decides which columns have which meaning, checks values and converts them; the bytes are those of
// storage/format/parquet and storage/format/arrow, which a program imports if it wants them, through
// internal/columnfile. It knows no text.
package columnar
