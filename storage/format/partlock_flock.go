//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package format

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockPart takes the lock on a part, which ends with closePart, by kill -9 too. Where another writer has it the error is ErrPartInUse. File systems without
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

// closePart releases the lock and closes the file. Closing alone is not enough: a
// process that starts another one lets it have every open file for a moment, and the
// lock ends with the last of them.
func closePart(file *os.File) error {
	_ = unix.Flock(int(file.Fd()), unix.LOCK_UN)
	return file.Close()
}
