//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package repl

import "os"

// terminalSize reports that there is no terminal: it is not implemented on
// this system.
func terminalSize(*os.File) (columns, rows int, escapes bool) { return 0, 0, false }
