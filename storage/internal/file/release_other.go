//go:build !linux

package file

// Release does nothing: the system decides which pages of a map it keeps.
func Release(at uintptr, size int64) {}
