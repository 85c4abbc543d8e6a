//go:build !linux

package file

import "os"

// WillNeed reads a range of a file into memory.
func WillNeed(f *os.File, at, size int64) { readThrough(f, at, size) }
