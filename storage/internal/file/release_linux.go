package file

import "golang.org/x/sys/unix"

// Release drops the pages of a shared map of a file, which begins at an address, from the memory of
// the process. A read brings them back, from the memory of the system if it still has them.
func Release(at uintptr, size int64) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, at, uintptr(size), unix.MADV_DONTNEED) // it is advice
}
