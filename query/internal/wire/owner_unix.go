//go:build unix

package wire

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether a file belongs to the user of the process.
func own(info fs.FileInfo) bool {
	system, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(system.Uid) == os.Getuid()
}
