package repl

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalWidth returns the columns of a console, or 0 if f is none, and whether
// it understands escape sequences, which it is told to do here.
func terminalWidth(f *os.File) (width int, escapes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	conn.Control(func(fd uintptr) {
		var mode uint32
		console := windows.Handle(fd)
		if windows.GetConsoleMode(console, &mode) != nil {
			return
		}
		width = defaultWidth
		var info windows.ConsoleScreenBufferInfo
		if windows.GetConsoleScreenBufferInfo(console, &info) == nil {
			width = int(info.Window.Right-info.Window.Left) + 1
		}
		mode |= windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
		escapes = windows.SetConsoleMode(console, mode) == nil
	})
	return width, escapes
}
