// Package vectorfile reads and writes vectors: word2vec as text and binary, and numpy's .npy. It also writes the keys
// of their rows, and walks as sentences. Vectors in Parquet and Arrow are those of package columnar.
//
// Rows go in and out one by one, with their keys. It knows nothing of edges.
package vectorfile
