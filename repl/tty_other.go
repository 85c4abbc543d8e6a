//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package repl

import "os"

// ttyState is not known on this system.
type ttyState struct{}

func getTTY(*os.File) *ttyState  { return nil }
func setTTY(*os.File, *ttyState) {}

// suspend is nothing that a process could do here.
func suspend() {}
