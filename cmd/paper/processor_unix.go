//go:build unix

package paper

import "syscall"

// processorSeconds is what the process has taken of the processor, 0 where that is
// not known.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
