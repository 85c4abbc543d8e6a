//go:build unix

package storage

import (
	"errors"
	"os"
	"syscall"
)

// isNoMemory reports whether a map was refused for want of address space.
func isNoMemory(err error) bool { return errors.Is(err, syscall.ENOMEM) }

// isReadOnlyFS reports whether the medium can only be read.
func isReadOnlyFS(err error) bool { return errors.Is(err, syscall.EROFS) }

// syncDir makes a new name in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
