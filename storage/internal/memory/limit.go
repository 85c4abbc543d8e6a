// Package memory finds how much memory this process may use.
package memory

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The default limit where nothing smaller is found.
const (
	most   = 8 << 30 // 10 million edges and 200 dimensions of 5 million vertices
	most32 = 1 << 30 // where addresses have four bytes
)

// RuntimeSpace is the address space that the runtime of Go reserves, whatever it uses.
const RuntimeSpace = 1 << 30

// Limit returns a default for the bytes that graphs and vectors may take: 8 GiB, or 1 GiB on
// 32-bit machines, and at most three quarters of the memory of the machine, of the control groups
// (containers) that the process is in, of the limit that the Go runtime was given (GOMEMLIMIT),
// and of the address space (ulimit -v) beyond 1 GiB.
// The rest is for the program itself, for garbage, and for the pages of the file. Beyond these
// bounds the system would end the process without a message. What other processes use is not
// subtracted. A bound that cannot be found is ignored.
func Limit() int64 {
	limit := int64(most)
	if math.MaxInt == math.MaxInt32 {
		limit = most32
	}
	for _, bound := range append(bounds(memlimit.FromCgroup, memlimit.FromSystem), debug.SetMemoryLimit(-1), max(AddressSpace()-RuntimeSpace, 1)) {
		if bound > 0 {
			limit = min(limit, bound/4*3)
		}
	}
	return limit
}

// bounds returns what can be found of bounds.
func bounds(of ...memlimit.Provider) (list []int64) {
	for _, find := range of {
		if bound, err := find(); err == nil {
			list = append(list, int64(min(bound, math.MaxInt64)))
		}
	}
	return list
}
