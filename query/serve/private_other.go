//go:build !unix

package serve

import "syscall"

// private does nothing: the folder decides who may connect.
func private(_, _ string, _ syscall.RawConn) error { return nil }
