//go:build !unix

package storage

// isNoMemory: the map is never larger than the file here.
func isNoMemory(error) bool { return false }

// isReadOnlyFS: such a medium refuses permission here.
func isReadOnlyFS(error) bool { return false }

// syncDir does nothing: directories cannot be flushed here.
func syncDir(string) error { return nil }
