//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package storage

import (
	"errors"
	"fmt"
	"os"
	"time"

	berrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"
)

// canShareLock: bbolt can be opened again under the lock that it has.
const canShareLock = true

// fileLock is an open file that holds the lock on itself. A lock of flock
// belongs to the open file, not to one of its descriptors, so that each opening
// of bbolt gets a copy of the descriptor and finds the lock taken already: the
// file can be opened for reading first and for writing later without a moment
// in which nobody holds it.
type fileLock struct{ file *os.File }

// openLock opens the file without locking it.
func openLock(path string, readOnly bool) (*fileLock, error) {
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	return &fileLock{file: f}, nil
}

// descriptor is what bbolt gets as its file.
func (l *fileLock) descriptor(bool) (*os.File, error) {
	fd, err := unix.FcntlInt(l.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "dup", Path: l.file.Name(), Err: err}
	}
	return os.NewFile(uintptr(fd), l.file.Name()), nil
}

// exclusive takes the lock for writing, or makes the one for reading that bbolt
// took into one for writing. Between the two another process may get it, so
// that what was read before must be read again.
func (l *fileLock) exclusive(deadline time.Time) error { return l.lock(unix.LOCK_EX, deadline) }

// shared takes the lock for reading and returns the file.
func (l *fileLock) shared(deadline time.Time) (*os.File, error) {
	if err := l.lock(unix.LOCK_SH, deadline); err != nil {
		return nil, err
	}
	return l.descriptor(true)
}

func (l *fileLock) lock(how int, deadline time.Time) error {
	const pause = 10 * time.Millisecond
	for {
		err := unix.Flock(int(l.file.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("lock: %w", err)
		}
		// Two that wait for each other's lock for reading would wait for ever.
		_ = unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
		if time.Until(deadline) < pause {
			return berrors.ErrTimeout
		}
		time.Sleep(pause)
	}
}

// release lets go of the lock and closes the file.
func (l *fileLock) release() error {
	if l == nil {
		return nil
	}
	// Closing is not enough where a map of the file is left open.
	_ = unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
	return l.file.Close()
}
