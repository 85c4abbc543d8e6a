//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renamesOpen reports that a file that is open can be renamed and removed.
const renamesOpen = true

// tryLock takes the lock on a file, and reports whether it did: false also on a file system
// without locks.
func tryLock(file *os.File) bool {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// lockPart takes the lock on a part. The lock ends with closePart, or with the process, even by
// kill -9. If another writer has the lock, the error is ErrPartInUse. On a file system without
// locks lockPart does nothing.
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

// closePart releases the lock and closes the file. Closing alone is not enough: a child process
// that is being started shares every open file for a moment, and the lock would last until its
// copy is closed, too.
func closePart(file *os.File) error {
	_ = unix.Flock(int(file.Fd()), unix.LOCK_UN)
	return file.Close()
}
