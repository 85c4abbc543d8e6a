package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	size, load                                       uint32
	physical, available                              uint64
	pages, freePages, virtual, freeVirtual, extended uint64
}

// systemBounds returns the memory of the machine.
func systemBounds() []int64 {
	status := memoryStatus{size: uint32(unsafe.Sizeof(memoryStatus{}))}
	call := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := call.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return nil
	}
	return []int64{int64(status.physical)}
}
