//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// ttyState is the mode of a terminal; nil if unknown.
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

// suspend stops the process and its children, as Ctrl-Z does, and returns when
// it is continued. The stop comes a moment after the request, and not at all
// if no shell of the system could continue the process.
func suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(300 * time.Millisecond):
	}
}
