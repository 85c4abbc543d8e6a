package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// WillNeed starts to read a range of a file into memory, without waiting.
func WillNeed(f *os.File, at, size int64) {
	if unix.Fadvise(int(f.Fd()), at, size, unix.FADV_WILLNEED) != nil {
		readThrough(f, at, size)
	}
}
