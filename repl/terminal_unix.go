//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalSize returns the columns and rows of a terminal, or 0 columns if f
// is not one, and whether it supports escape sequences.
func terminalSize(f *os.File) (columns, rows int, escapes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	conn.Control(func(fd uintptr) {
		// Only a terminal has a window size.
		size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		switch {
		case err != nil:
		case size.Col == 0: // such as a serial line
			columns, rows = defaultWidth, int(size.Row)
		default:
			columns, rows = int(size.Col), int(size.Row)
		}
	})
	return columns, rows, columns > 0
}
