package format

import "cmp"

// VectorOptions configure how vectors are read. The zero value fits most files.
type VectorOptions struct {
	// Name is the name of the input in errors.
	Name string
	// Binary selects the binary format of word2vec, which cannot be recognised from the file.
	Binary bool
	// Key and Vector are the columns of keys and of vectors in a columnar file, by name or by
	// number from 1. See columnar.ReadVectors.
	Key, Vector string
	// MaxKey is the largest number of bytes of one key; 0 means 1024.
	MaxKey int
	// MaxDim is the largest number of values in a row; 0 means 65,536.
	MaxDim int
	// MaxBytes is the largest number of bytes after decompression; 0 means 64 GiB.
	MaxBytes int64
	// Size and Progress are as in EdgeListOptions.
	Size     int64
	Progress func(stage string, done, total int64)
}

const defaultMaxDim = 1 << 16

// VectorHandler receives the vectors that are read. Both functions must be set; an error that
// one returns ends the read and is returned unchanged.
type VectorHandler struct {
	// Shape receives the number of rows and the number of values per row, before the first row.
	// These numbers are only declared by the file: do not allocate memory for all rows on them
	// alone.
	Shape func(rows, dim int) error
	// Row receives a row. The slices are valid only during the call.
	Row func(key []byte, values []float32) error
}

// WithDefaults returns a copy with every zero that means a default replaced by it.
func (o VectorOptions) WithDefaults() VectorOptions {
	limits := EdgeListOptions{MaxKey: o.MaxKey, MaxBytes: o.MaxBytes}.WithDefaults()
	o.MaxKey, o.MaxBytes, o.MaxDim = limits.MaxKey, limits.MaxBytes, cmp.Or(o.MaxDim, defaultMaxDim)
	return o
}
