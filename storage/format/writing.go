package format

import "fmt"

// checkVector refuses a row of another length, and values that are not finite.
func checkVector(row int, values []float32, dim int) error {
	if len(values) != dim {
		return fmt.Errorf("row %d has %d values instead of %d", row, len(values), dim)
	}
	for j, x := range values {
		if x-x != 0 { // NaN and infinities
			return fmt.Errorf("value %d of row %d: %w", j, row, ErrNotFinite)
		}
	}
	return nil
}

// vertexHeader is the name of the column of the keys of vertices in files that are written, and the
// first line of a file of keys in CSV. Readers take keyHeader as well.
const (
	vertexHeader = "vertex"
	keyHeader    = "key"
)

// isKeysHeader reports whether the first line of a file of keys says that it is CSV.
func isKeysHeader(line string) bool { return line == vertexHeader || line == keyHeader }
