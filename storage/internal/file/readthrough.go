package file

import (
	"os"
)

// readThrough brings a range of a file into memory by reading it.
func readThrough(f *os.File, at, size int64) {
	const piece = 1 << 20
	buffer := make([]byte, min(piece, size))
	for end := at + size; at < end; at += piece {
		if _, err := f.ReadAt(buffer[:min(piece, end-at)], at); err != nil {
			return
		}
	}
}
