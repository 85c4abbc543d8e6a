package memory

import (
	"math"

	"golang.org/x/sys/unix"
)

// AddressSpace returns the bytes of address space that the process may use (ulimit -v), MaxInt64 where
// they are not limited.
func AddressSpace() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
