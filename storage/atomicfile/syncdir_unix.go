//go:build !windows

package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// syncDir makes a rename in a directory durable.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir.Name(), err)
	}
	defer d.Close()
	// Some file systems cannot sync a directory and return EINVAL.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("sync %s: %w", dir.Name(), err)
	}
	return nil
}
