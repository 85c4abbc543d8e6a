package repl

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalSize returns the columns and rows of a console, or 0 columns if f is
// not one, and whether it supports escape sequences, which it switches on.
func terminalSize(f *os.File) (columns, rows int, escapes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, 0, false
	}
	conn.Control(func(fd uintptr) {
		var mode uint32
		console := windows.Handle(fd)
		if windows.GetConsoleMode(console, &mode) != nil {
			return
		}
		columns = defaultWidth
		var info windows.ConsoleScreenBufferInfo
		if windows.GetConsoleScreenBufferInfo(console, &info) == nil {
			columns = int(info.Window.Right-info.Window.Left) + 1
			rows = int(info.Window.Bottom-info.Window.Top) + 1
		}
		mode |= windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
		escapes = windows.SetConsoleMode(console, mode) == nil
	})
	return columns, rows, escapes
}
