package vec

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages in the part of values that covers whole ones.
// It is a hint that some kernels ignore.
func adviseHuge(values []float32) {
	const huge = 2 << 20
	first := unsafe.Pointer(unsafe.SliceData(values))
	skip := -int(uintptr(first)) & (huge - 1)
	size := (4*len(values) - skip) &^ (huge - 1)
	if size > 0 {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(first, skip)), size), unix.MADV_HUGEPAGE)
	}
}
