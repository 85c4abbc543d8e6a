//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package memory

import "golang.org/x/sys/unix"

// systemBounds returns the memory of the machine.
func systemBounds() []int64 {
	for _, name := range []string{"hw.memsize", "hw.physmem64", "hw.physmem"} { // macOS, NetBSD, others
		if bytes, err := unix.SysctlUint64(name); err == nil {
			return []int64{int64(bytes)}
		}
	}
	return nil
}
