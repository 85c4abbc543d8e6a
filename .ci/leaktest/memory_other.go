//go:build !linux

package leaktest

// inMemory is the folder of a file system in memory, which only Linux has by default.
func inMemory() string { return "" }
