//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockHistory locks a file until it is closed. Others hold the lock for less than
// a write; who waits longer than that goes on without it, since a history is not
// worth a shell that hangs.
func lockHistory(file *os.File) {
	for range 20 {
		if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
