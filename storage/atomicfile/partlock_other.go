//go:build !((linux && !android) || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "os"

// renamesOpen is false for Windows.
const renamesOpen = false

// tryLock takes no lock.
func tryLock(*os.File) bool { return false }

// lockPart does nothing: on this platform no lock is released when its file is closed.
func lockPart(*os.File) error { return nil }

func closePart(file *os.File) error { return file.Close() }
