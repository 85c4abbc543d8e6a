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

// keepOwner gives a new file the owner, group and permissions of the one whose
// place it will take, as far as this process may.
func keepOwner(path string, info os.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(stat.Uid), int(stat.Gid))
	}
	_ = os.Chmod(path, info.Mode().Perm())
}

// syncDir makes a new name in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
