//go:build unix

package serve

import "syscall"

// private makes the file of a socket for the user alone, before it has a name.
func private(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) }) // where it is not supported, the file is changed later
}
