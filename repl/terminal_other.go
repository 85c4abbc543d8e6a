//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package repl

import "os"

// terminalWidth knows no terminals on this system.
func terminalWidth(*os.File) (width int, escapes bool) { return 0, false }
