//go:build !linux

package storage

import "os"

// willNeed reads a range of a file into memory.
func willNeed(f *os.File, at, size int64) { readThrough(f, at, size) }
