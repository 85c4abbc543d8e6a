package vec

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages in memory that begins and ends with one. It is a hint that some
// kernels ignore.
func adviseHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
