package storage

import (
	"os"

	"golang.org/x/sys/unix"
)

// willNeed starts to read a range of a file into memory, without waiting.
func willNeed(f *os.File, at, size int64) {
	if unix.Fadvise(int(f.Fd()), at, size, unix.FADV_WILLNEED) != nil {
		readThrough(f, at, size)
	}
}
