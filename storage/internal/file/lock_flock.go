//go:build (linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly

package file

import (
	"errors"
	"fmt"
	"os"
	"time"

	berrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"
)

// CanShareLock reports that bbolt can be opened again under the lock that it
// has.
const CanShareLock = true

// Lock is an open file that holds the lock on itself. A lock of flock belongs
// to the open file, not to one of its descriptors. Each opening of bbolt gets
// a copy of the descriptor and so already has the lock: the file can be opened
// first for reading and later for writing without releasing the lock in
// between.
type Lock struct{ file *os.File }

// OpenLock opens the file without locking it.
func OpenLock(path string, readOnly bool) (*Lock, error) {
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	return &Lock{file: f}, nil
}

// Descriptor is what bbolt gets as its file.
func (l *Lock) Descriptor(bool) (*os.File, error) {
	fd, err := unix.FcntlInt(l.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "dup", Path: l.file.Name(), Err: err}
	}
	return os.NewFile(uintptr(fd), l.file.Name()), nil
}

// Exclusive takes the lock for writing, or converts the lock for reading,
// which bbolt took, to one for writing. During the conversion another process
// may get the lock, so data that was read before must be read again.
func (l *Lock) Exclusive(deadline time.Time) error {
	return l.lock(unix.LOCK_EX, deadline, nil)
}

// Shared takes the lock for reading and returns the file.
func (l *Lock) Shared(deadline time.Time) (*os.File, error) {
	if err := l.lock(unix.LOCK_SH, deadline, nil); err != nil {
		return nil, err
	}
	return l.Descriptor(true)
}

// Take takes the lock for reading or for writing before bbolt does: the
// attempts of bbolt are so far apart that they miss short moments in which the
// lock is free. It ends early with the error of stop, which it calls between
// attempts.
func (l *Lock) Take(readOnly bool, deadline time.Time, stop func() error) error {
	if readOnly {
		return l.lock(unix.LOCK_SH, deadline, stop)
	}
	return l.lock(unix.LOCK_EX, deadline, stop)
}

// LetGo releases the lock; the file stays open.
func (l *Lock) LetGo() error { return unix.Flock(int(l.file.Fd()), unix.LOCK_UN) }

func (l *Lock) lock(how int, deadline time.Time, stop func() error) error {
	for {
		if stop != nil {
			if err := stop(); err != nil {
				return err
			}
		}
		err := unix.Flock(int(l.file.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return fmt.Errorf("lock: %w", err)
		}
		// Two processes that wait for each other's lock for reading would wait
		// for ever.
		_ = unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
		if time.Until(deadline) < Pause {
			return berrors.ErrTimeout
		}
		time.Sleep(Pause)
	}
}

// Release releases the lock and closes the file.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	// Closing is not enough if a map of the file is still open.
	_ = unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
	return l.file.Close()
}
