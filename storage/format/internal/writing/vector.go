package writing

import (
	"fmt"

	"heavytail/storage/format"
)

// CheckVector refuses a row of another length, and values that are not finite.
func CheckVector(row int, values []float32, dim int) error {
	if len(values) != dim {
		return fmt.Errorf("row %d has %d values instead of %d", row, len(values), dim)
	}
	for j, x := range values {
		if x-x != 0 { // NaN and infinities
			return fmt.Errorf("value %d of row %d: %w", j, row, format.ErrNotFinite)
		}
	}
	return nil
}

// VertexHeader is the name of the column of the keys of vertices in files that are written, and the
// first line of a file of keys in CSV. Readers take KeyHeader as well.
const (
	VertexHeader = "vertex"
	KeyHeader    = "key"
)

// IsKeysHeader reports whether the first line of a file of keys says that it is CSV.
func IsKeysHeader(line string) bool { return line == VertexHeader || line == KeyHeader }
