//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package repl

import "os"

// ttyState is empty: terminal modes are not supported on this system.
type ttyState struct{}

func getTTY(*os.File) *ttyState  { return nil }
func setTTY(*os.File, *ttyState) {}

// suspend does nothing on this system.
func suspend() {}
