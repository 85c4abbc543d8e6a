//go:build !linux

package file

// Holders returns nil: this system does not show which processes have a lock
// on a file.
func Holders(string) []string { return nil }
