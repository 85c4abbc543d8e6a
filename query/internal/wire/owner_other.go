//go:build !unix

package wire

import "io/fs"

// own is true where the folder for temporary files belongs to the user.
func own(fs.FileInfo) bool { return true }
