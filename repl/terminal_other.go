//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package repl

import "os"

// terminalSize reports that there is no terminal. Systems that are neither
// a Unix nor Windows are used without one.
func terminalSize(*os.File) (columns, rows int, escapes bool) { return 0, 0, false }
