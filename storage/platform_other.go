//go:build !unix

package storage

import "os"

// isNoMemory: the map is never larger than the file here.
func isNoMemory(error) bool { return false }

// isReadOnlyFS: such a medium refuses permission here.
func isReadOnlyFS(error) bool { return false }

// keepOwner: nothing is replaced here.
func keepOwner(string, os.FileInfo) {}

// syncDir does nothing: directories cannot be flushed here.
func syncDir(string) error { return nil }
