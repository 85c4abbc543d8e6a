//go:build !((linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly)

package file

import (
	"errors"
	"os"
	"time"
)

// CanShareLock is false: each opening of bbolt has its own lock here, so a
// file is verified and opened for writing in one step.
const CanShareLock = false

// Lock represents the path; bbolt holds the locks.
type Lock struct{ path string }

// OpenLock names the file; bbolt locks it.
func OpenLock(path string, _ bool) (*Lock, error) { return &Lock{path: path}, nil }

// Descriptor is what bbolt gets as its file.
func (l *Lock) Descriptor(readOnly bool) (*os.File, error) {
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	return os.OpenFile(l.path, flag, 0)
}

// Take leaves the lock to bbolt.
func (l *Lock) Take(bool, time.Time, func() error) error { return nil }

// LetGo is never called here: the lock ends with the file that bbolt has open.
func (l *Lock) LetGo() error { return errors.ErrUnsupported }

// Exclusive is never called here.
func (l *Lock) Exclusive(time.Time) error { return errors.ErrUnsupported }

// Shared opens the file for reading; the caller must ensure that no process
// writes meanwhile.
func (l *Lock) Shared(time.Time) (*os.File, error) { return l.Descriptor(true) }

// Release does nothing: bbolt holds the lock.
func (l *Lock) Release() error { return nil }
