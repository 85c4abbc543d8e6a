package files

import (
	"path/filepath"
	"slices"
	"strings"

	"heavytail/query/internal/rowfile"
	"heavytail/storage/atomicfile"
)

// FormOf returns the format in which INTO FILE writes a file with this name, empty if its ending selects
// none, and whether the file is text, neither columnar nor compressed.
func FormOf(path string) (form string, text bool) {
	f, _ := rowfile.FormOf(path)
	return f.Name, f.Columnar == "" && !slices.Contains(atomicfile.Compressions(), strings.ToLower(filepath.Ext(path)))
}
