package compress

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Written returns the extensions of names whose files are written compressed.
func Written() []string { return []string{".gz", ".zst"} }

// ReadOnly returns those of compressed files that are read and not written.
func ReadOnly() []string { return []string{".bz2", ".xz", ".zip"} }

// CutEnding returns a name without the extension of a compression.
func CutEnding(name string) string {
	if ending := filepath.Ext(name); slices.Contains(Written(), ending) || slices.Contains(ReadOnly(), ending) {
		return strings.TrimSuffix(name, ending)
	}
	return name
}

// NewWriter returns the compressor that the ending of a name asks for. Its Close leaves w open.
func NewWriter(name string, w io.Writer) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		// With one goroutine the compressed bytes do not depend on the machine.
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return plainWriter{w}, nil
}

type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }
