//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockHistory locks a file until it is closed, and reports whether it has the lock. It
// waits for other shells for at most some time.
func lockHistory(file *os.File, wait time.Duration) bool {
	for end := time.Now().Add(wait); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return true
		}
		if err != unix.EINTR && (err != unix.EWOULDBLOCK || time.Now().After(end)) {
			return false
		}
	}
}
