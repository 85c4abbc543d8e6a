//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// usage returns the processor time of the process and its largest resident set in bytes; 0
// if they are unknown.
func usage() (seconds float64, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak *= 1024 // elsewhere it counts kibibytes
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, peak
}
