//go:build unix

package file

import (
	"errors"
	"os"
	"syscall"
)

// IsNoMemory reports whether a map was refused for lack of address space.
func IsNoMemory(err error) bool { return errors.Is(err, syscall.ENOMEM) }

// IsReadOnlyFS reports whether the medium can only be read.
func IsReadOnlyFS(err error) bool { return errors.Is(err, syscall.EROFS) }

// KeepOwner sets the owner, group and permissions of a new file to those of
// the file that it will replace, as far as this process may.
func KeepOwner(path string, info os.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Chown(path, int(stat.Uid), int(stat.Gid))
	}
	_ = os.Chmod(path, info.Mode().Perm())
}

// Names returns the number of names (hard links) of a file.
func Names(info os.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// SyncDir makes a new name in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // of file systems that cannot sync a directory
		err = nil
	}
	return errors.Join(err, d.Close())
}
