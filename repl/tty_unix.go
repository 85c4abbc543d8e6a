//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// ttyState is how a terminal handles its keys; nil where that is not known.
type ttyState = unix.Termios

func getTTY(f *os.File) *ttyState {
	state, err := unix.IoctlGetTermios(int(f.Fd()), ioctlGetTermios)
	if err != nil {
		return nil
	}
	return state
}

func setTTY(f *os.File, state *ttyState) {
	if state != nil {
		unix.IoctlSetTermios(int(f.Fd()), ioctlSetTermios, state)
	}
}

// suspend stops the process and what it has started, as Ctrl-Z does, and returns
// when it is continued.
func suspend() { unix.Kill(0, unix.SIGTSTP) }
