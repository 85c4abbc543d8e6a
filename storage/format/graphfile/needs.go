package graphfile

import (
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/internal/compress"
)

// StartBytes is how many of the first bytes of an input NeedsFile looks at.
const StartBytes = columnfile.MaxStart

// NeedsFile reports whether an input that begins with these bytes must be a [columnar.RandomReader]: Parquet, Arrow and zip.
func NeedsFile(start []byte) bool { return columnfile.FormOf(start) != "" || compress.IsZip(start) }
