//go:build !((linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly)

package storage

import (
	"errors"
	"os"
	"time"
)

// canShareLock: each opening of bbolt has a lock of its own here, so that a
// file is verified and opened for writing at once.
const canShareLock = false

// fileLock stands for the path; bbolt holds the locks.
type fileLock struct{ path string }

func openLock(path string, _ bool) (*fileLock, error) { return &fileLock{path: path}, nil }

// descriptor is what bbolt gets as its file.
func (l *fileLock) descriptor(readOnly bool) (*os.File, error) {
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	return os.OpenFile(l.path, flag, 0)
}

// exclusive is never called here.
func (l *fileLock) exclusive(time.Time) error { return errors.ErrUnsupported }

// shared opens the file for reading; that nobody writes meanwhile is left to
// the caller here.
func (l *fileLock) shared(time.Time) (*os.File, error) { return l.descriptor(true) }

func (l *fileLock) release() error { return nil }
