//go:build !unix

package file

import "os"

// IsNoMemory is false: the map is never larger than the file here.
func IsNoMemory(error) bool { return false }

// IsReadOnlyFS is false: opening a file on such a medium is a permission error
// here.
func IsReadOnlyFS(error) bool { return false }

// KeepOwner does nothing: files are not replaced on this system.
func KeepOwner(string, os.FileInfo) {}

// Names is 1: files are not replaced on this system.
func Names(os.FileInfo) int { return 1 }

// SyncDir does nothing: directories cannot be flushed here.
func SyncDir(string) error { return nil }
