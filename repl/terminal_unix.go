//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth returns the columns of a terminal, or 0 if f is none, and
// whether it understands escape sequences.
func terminalWidth(f *os.File) (width int, escapes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	conn.Control(func(fd uintptr) {
		// Only a terminal has a window size.
		size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		switch {
		case err != nil:
		case size.Col == 0: // as on a serial line
			width = defaultWidth
		default:
			width = int(size.Col)
		}
	})
	return width, width > 0
}
