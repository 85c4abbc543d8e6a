//go:build !linux

package memory

import "math"

// AddressSpace returns MaxInt64: no limit of this system is known.
func AddressSpace() int64 { return math.MaxInt64 }
