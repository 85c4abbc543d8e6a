//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockHistory locks a file until it is closed. Other shells hold the lock for
// less than a write; after waiting longer than that, this one continues
// without the lock, since it must not hang because of a history.
func lockHistory(file *os.File) {
	for range 20 {
		if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
