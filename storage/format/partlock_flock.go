//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package format

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockPart takes the lock on a part, which ends when the file is closed, by kill -9
// too. Where another writer has it the error is ErrPartInUse. File systems without
// locks have none here.
func lockPart(file *os.File) error {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrPartInUse
		default:
			return nil
		}
	}
}
